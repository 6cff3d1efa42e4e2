"""What a journal is of: the texts, the model and how it is asked, so that no other job goes on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import longways
from longways.model.manifest import CONFIG_FILE, WEIGHTS_FILE
from longways.translation.files.plan import File
from longways.translation.translator import Options, Translator

VERSION = 1
"""Of the format of journals."""


def journal_path(target: Path) -> Path:
    """Beside the output: `page.en.md.journal`."""
    return target.with_name(f"{target.name}.journal")


def about(files: Sequence[File], translator: Translator, options: Options) -> dict[str, Any]:
    """All on which the translations depend."""
    return {
        "journal": VERSION,
        "longways": longways.__version__,
        "text": _digest([file.source for file in files if file.source]),
        "encoding": [file.encoding for file in files],
        "format": [file.format.name if file.format else None for file in files],
        "model": _digest(_model_files(translator.model.folder)),
        "window": translator.model.window(options.get("window")),
        "beam": options.get("beam", 4),
        "glossary": _digest_of(options.get("glossary", {}).items()),
        "words to keep": _digest_of(options.get("keep", ())),
    }


def _model_files(folder: Path) -> list[Path]:
    """The manifest has the digests of exported graphs; weights are read themselves."""
    return [path for name in (CONFIG_FILE, WEIGHTS_FILE) if (path := folder / name).exists()]


def _digest_of(values: Iterable[object]) -> str:
    """One number for values in any order."""
    return hashlib.sha256(repr(sorted(values, key=repr)).encode()).hexdigest()


def _digest(paths: Sequence[Path]) -> str:
    """One number for the contents of files."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
