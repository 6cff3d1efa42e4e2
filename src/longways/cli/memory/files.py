"""The translation memories that a command reads and writes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from longways.errors import ConfigError, LongwaysError
from longways.translation.files.output import partial_path
from longways.translation.files.plan import File
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.opened import TMX_SUFFIX, open_memory
from longways.translation.memory.recorder import PairRecorder
from longways.translation.memory.tmx_writer import TmxWriter, is_unfinished
from longways.translation.model_folder import ModelFolder


def open_memories(paths: Sequence[Path], model: ModelFolder) -> TranslationMemory | None:
    """The memory of all files; None without any."""
    text = model.text
    return open_memory(paths, text.source_language, text.target_language) if paths else None


def open_recorder(
    memory: TranslationMemory | None,
    export: Path | None,
    model: ModelFolder,
    files: Sequence[File],
    force: bool,
) -> PairRecorder:
    """What stores and exports the sentences of a job."""
    text, writer = model.text, None
    if export:
        check_export(export, force, [path for f in files for path in (f.source, f.target) if path])
        writer = TmxWriter(export, text.source_language, text.target_language)
    return PairRecorder(memory, writer, text.target_language)


def check_export(path: Path, force: bool, others: Sequence[Path]) -> None:
    """Raise if a TMX file cannot be written without harm."""
    if path.suffix.lower() != TMX_SUFFIX:
        raise ConfigError(
            f"{path} is to be a translation memory, which is a {TMX_SUFFIX} file. Name it so."
        )
    if path.resolve() in {other.resolve() for other in others}:
        raise LongwaysError(
            f"{path} is read or written by this command already. Name another file."
        )
    if path.exists() and not force:
        raise LongwaysError(f"{path} exists. Overwrite it with --force, or name another file.")
    partial = partial_path(path)
    if os.path.lexists(partial) and not is_unfinished(partial) and not force:
        raise LongwaysError(
            f"{partial} exists, which this file would replace while it is written. "
            "Overwrite it with --force, or name another file."
        )
