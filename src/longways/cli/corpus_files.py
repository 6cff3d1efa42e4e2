"""Corpus files and languages named on the command line, as the tables of a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longways.errors import ConfigError

FILES_HELP = (
    "Files of the {} split: TSV (document, source, target), .tmx, .xlf, .po or .jsonl; a folder of "
    "paired files or translated pages; or SOURCE,TARGET, two folders of pages or two files with "
    "one sentence per line, also SOURCE,TARGET,STARTS. Repeatable."
)
SUFFIXES = {
    **{".tmx": "tmx", ".xlf": "xliff", ".xliff": "xliff", ".sdlxliff": "xliff", ".mxliff": "xliff"},
    **{".mqxliff": "xliff", ".po": "po", ".jsonl": "jsonl", ".ndjson": "jsonl"},
}
"""Formats of corpora by the suffixes of their files; other files are TSV, or lines in pairs."""


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
        kinds = {_format(Path(row[0])) for row in rows}
        return {"format": _only(kinds, names), "files": [row[0] for row in rows]}
    if widths not in ({2}, {3}):
        raise ConfigError(f"{names[0]!r} must be FILE, SOURCE,TARGET or SOURCE,TARGET,STARTS.")
    columns = dict(zip(("source", "target", "starts"), zip(*rows, strict=True), strict=False))
    table = {name: list(paths) for name, paths in columns.items()}
    return {"format": _paired_format(Path(rows[0][0])), **table}


def _format(path: Path) -> str:
    """The format of a file or folder with both languages."""
    if path.is_dir():
        return "pages" if _has_pages(path) else "folder"
    return SUFFIXES.get(_suffix(path), "tsv")


def _suffix(path: Path) -> str:
    """The suffix of a file, without the one of its compression."""
    name = Path(path.stem) if path.suffix in (".gz", ".xz") else path
    return name.suffix.lower()


def _only(kinds: set[str], names: list[str]) -> str:
    if len(kinds) > 1:
        raise ConfigError(
            f"{', '.join(names)} are of the formats {', '.join(sorted(kinds))}, but a split has "
            "one. Convert the files into one format, such as TSV or TMX."
        )
    return next(iter(kinds))


def _has_pages(folder: Path) -> bool:
    """Whether a folder has pages of a format, and not files with one sentence per line."""
    from longways.corpus.readers.pages import PAGES
    from longways.formats.registry import SUFFIXES as FORMATS

    files = (path for path in folder.rglob("*") if not path.name.startswith("."))
    return any(FORMATS.get(path.suffix.lower()) in PAGES for path in files)


def _paired_format(source: Path) -> str:
    """The format of a source and its target, guessed from name and first line."""
    if source.is_dir():
        return "pages"
    if _suffix(source) == ".po":
        return "po"
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
