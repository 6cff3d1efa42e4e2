"""What a command with `--update` needs: checked options, old translations, and the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longways.errors import ConfigError
from longways.translation.files.job import Listener
from longways.translation.files.output_styles import OutputStyle, PlainText
from longways.translation.files.plan import STANDARD
from longways.translation.files.record import FinishedFiles
from longways.translation.files.updates.update import Updates
from longways.translation.model_folder import ModelFolder


def check_update(
    update: bool,
    report: Path | None,
    force: bool,
    style: type[OutputStyle],
    inputs: Sequence[Path],
    out: Path | None,
) -> None:
    """Raise if the options contradict --update."""
    if report and not update:
        raise ConfigError("--report is about what --update has changed. Add --update.")
    if update and force:
        raise ConfigError(
            "--update keeps translations and --force overwrites them. Use one of the two."
        )
    if update and (style is not PlainText or out == STANDARD):
        raise ConfigError(
            "--update changes files of translations. Leave out --json, --bilingual, "
            "--side-by-side and -o -."
        )
    if update and STANDARD in inputs:
        raise ConfigError("--update needs files: standard input has no old translation. Name them.")


def open_updates(
    model: ModelFolder,
    record: FinishedFiles,
    listener: Listener,
    inputs: Sequence[Path],
    out: Path | None,
) -> Updates:
    """The old translations of the files, and the folders in which others may be."""
    folders = [path for path in inputs if path.is_dir()]
    roots = [out] if out and folders else folders
    text = model.text
    return Updates(text.source_language, text.target_language, record, listener.warn, roots)
