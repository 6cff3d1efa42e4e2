"""Model folders for other languages: the bundled model with other names of languages."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from longways.translation.model_folder import default_model


def make_model(folder: Path, source: str, target: str, **changes: object) -> Path:
    """A model folder with these languages; `changes` are keys of its config.json."""
    shutil.copytree(default_model(), folder, copy_function=os.link)
    _edit(folder / "text" / "text.json", {"source_language": source, "target_language": target})
    _edit(folder / "config.json", changes)
    return folder


def _edit(path: Path, changes: dict[str, object]) -> None:
    content = {**json.loads(path.read_text(encoding="utf-8")), **changes}
    path.unlink()  # it is a link to the file of the bundled model
    path.write_text(json.dumps(content), encoding="utf-8")
