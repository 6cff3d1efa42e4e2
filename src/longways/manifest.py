"""Manifests: the JSON files that describe models, text pipelines, prepared data and runs.

A manifest has a format version, so that an older Longways can ask for an upgrade, and the version
of Longways that wrote it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longways import __version__
from longways.errors import LongwaysError


def write_versioned(path: Path, version: int, content: dict[str, Any]) -> None:
    """Write the content, preceded by its format version."""
    stamped = {"format": version, "longways": __version__, **content}
    text = json.dumps(stamped, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8", newline="\n")


def read_versioned(
    path: Path,
    version: int,
    what: str,
    damaged: type[LongwaysError],
    newer: type[LongwaysError] | None = None,
) -> dict[str, Any]:
    """The content of a manifest of at most this format version.

    `what` names the kind of folder in errors. Errors have the class `damaged`, or `newer` if a
    later Longways wrote the file.
    """
    if not path.parent.is_dir():
        raise damaged(f"There is no {what} at {path.parent}. Check the path.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise damaged(f"{path.parent} has no {path.name}, so it is not a {what}.") from error
    except OSError as error:
        raise damaged(
            f"{path} cannot be read: {error.strerror}. Check its permissions; if another process "
            "is writing the folder, try again when it has finished."
        ) from error
    except (ValueError, RecursionError) as error:
        raise damaged(
            f"{path} is not valid JSON ({error}). Restore the folder from a copy."
        ) from error
    if not isinstance(content, dict):
        raise damaged(f"{path} is not a JSON object. Restore the folder from a copy.")
    found = content.get("format")
    if type(found) is not int or found < 1:
        raise damaged(f"{path} has no format version, so it is not a {what} of Longways.")
    if found > version:
        raise (newer or damaged)(
            f"{path} has format {found}, but this Longways ({__version__}) reads up to {version}. "
            f"It was written by Longways {content.get('longways')}: upgrade to that or later."
        )
    return content
