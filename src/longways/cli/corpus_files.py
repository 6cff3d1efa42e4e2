"""Corpus files and languages named on the command line, as the tables of a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longways.errors import ConfigError

FILES_HELP = (
    "Files of the {} split: one TSV file (document, source, target), one folder of paired files, "
    "or SOURCE,TARGET or SOURCE,TARGET,STARTS with one sentence per line. Repeatable."
)


def language_pair(text: str) -> dict[str, str]:
    """Source and target language of an option such as zh-en, as keys of the table [corpus]."""
    source, dash, target = text.partition("-")
    if not (source and dash and target):
        raise ConfigError(f"--languages is {text!r}, but it must be like zh-en.")
    return {"source_language": source, "target_language": target}


def files_table(names: list[str]) -> dict[str, Any]:
    """The table of a recipe for files given as FILE, SOURCE,TARGET or SOURCE,TARGET,STARTS."""
    rows = [[str(Path(path).absolute()) for path in name.split(",")] for name in names]
    widths = {len(row) for row in rows}
    if widths == {1}:
        kind = "folder" if Path(rows[0][0]).is_dir() else "tsv"
        return {"format": kind, "files": [row[0] for row in rows]}
    if widths not in ({2}, {3}):
        raise ConfigError(f"{names[0]!r} must be FILE, SOURCE,TARGET or SOURCE,TARGET,STARTS.")
    columns = dict(zip(("source", "target", "starts"), zip(*rows, strict=True), strict=False))
    table = {name: list(paths) for name, paths in columns.items()}
    return {"format": _paired_format(Path(rows[0][0])), **table}


def _paired_format(source: Path) -> str:
    """The format of a source file and its target file, guessed from name and first line."""
    if ".xml" in source.name or source.name.startswith("train.tags"):
        return "iwslt"
    return "groups" if _has_groups(source) else "plain"


def _has_groups(path: Path) -> bool:
    """Whether the first line has several sentences joined by ` _eos `."""
    from longways.corpus.readers.bad_input import BadInputPolicy
    from longways.corpus.readers.lines import read_lines
    from longways.corpus.readers.opensubtitles import SENTENCE_SEPARATOR

    if not path.is_file():
        return False
    first = next(read_lines(path, BadInputPolicy(skip_bad=True)), (1, None))[1]
    return SENTENCE_SEPARATOR in (first or "")
