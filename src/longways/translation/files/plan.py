"""The plan of a job: which files are translated and where to; checked before any translation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from longways.errors import ConfigError, LongwaysError, TextError
from longways.formats.base import Format
from longways.formats.contents import check_text_file
from longways.formats.registry import (
    SUFFIXES,
    TABLES,
    WRITTEN,
    format_named,
    format_of,
    with_columns,
)
from longways.formats.tables.columns import ALL_COLUMNS, Columns
from longways.text.charset import check_encoding, check_file
from longways.translation.files.folders.copies import Copy
from longways.translation.files.folders.languages import Languages, translated_name
from longways.translation.files.folders.links import Page, Pages
from longways.translation.files.folders.selection import (
    ALL_FILES,
    TEXT_SUFFIXES,
    FolderContent,
    Selection,
    counted,
    is_text_name,
    nothing_found,
    read_folder,
)
from longways.translation.files.output import is_stream
from longways.translation.files.record import FinishedFiles
from longways.translation.files.targets import Pair, check_copies, check_targets

__all__ = ["STANDARD", "File", "Languages", "Plan", "plan_files", "plan_job", "translated_name"]

STANDARD = Path("-")
"""Standard input, or standard output."""


@dataclass(frozen=True)
class File:
    """A file to translate."""

    source: Path | None
    """None is standard input."""
    target: Path | None
    """The path of its translation; None is standard output."""
    encoding: str | None = None
    """Its character encoding; None: detected while reading."""
    characters: int | None = None
    """Its length, if it is known."""
    format: Format | None = None
    """Its format; None is plain text."""
    fault: str = ""
    """Why it cannot be translated; other files of the job can."""
    pages: Pages | None = None
    """The pages of its job, whose links are renamed; None leaves all links as they are."""
    unnamed: bool = False
    """Whether neither its name nor the user tells its format."""

    @property
    def name(self) -> str:
        """Its name in messages."""
        if self.source is None:
            return "standard input"
        return os.fsencode(self.source).decode("utf-8", "backslashreplace")

    def edited_links(self) -> bytes | None:
        """Its bytes with the links to other pages as these will be named; None without such."""
        if self.pages is None or self.format is None or self.source is None:
            return None
        data = self.source.read_bytes()
        edited = self.pages.edited(self.source, data, self.format.name, self.encoding)
        return edited if edited != data else None


@dataclass(frozen=True)
class Plan:
    """What a job does."""

    files: list[File]
    """The files to translate."""
    copies: list[Copy]
    """The files to copy."""
    passed_over: str
    """The files of unknown formats, counted by suffix; empty if there are none."""
    settings: list[Path]
    """The files that may be settings, which no pattern names."""
    links: int
    """The number of symbolic links in the folders."""


class _Source(NamedTuple):
    """A file and the folder that was named; None is standard input, or no folder."""

    path: Path | None
    root: Path | None

    @property
    def below(self) -> Path:
        """Its path below the folder of the translations, before it is renamed."""
        assert self.path is not None, "standard input has no path"
        return self.path.relative_to(self.root) if self.root else Path(self.path.name)


def plan_files(
    inputs: Iterable[Path],
    out: Path | None,
    languages: Languages,
    *,
    force: bool = False,
    encoding: str | None = None,
    format_name: str | Format | None = None,
    together: bool = False,
    record: FinishedFiles | None = None,
    columns: Columns = ALL_COLUMNS,
) -> list[File]:
    """The files that `plan_job` finds without a selection and copies."""
    return plan_job(
        inputs,
        out,
        languages,
        force=force,
        encoding=encoding,
        format_name=format_name,
        together=together,
        record=record,
        columns=columns,
    ).files


def plan_job(
    inputs: Iterable[Path],
    out: Path | None,
    languages: Languages,
    *,
    force: bool = False,
    encoding: str | None = None,
    format_name: str | Format | None = None,
    together: bool = False,
    record: FinishedFiles | None = None,
    selection: Selection = ALL_FILES,
    copy: bool = False,
    columns: Columns = ALL_COLUMNS,
    update: bool = False,
) -> Plan:
    """Find the files to translate; plain text is decoded once, and every target must be free.

    Folders are searched for text and for known formats. The format follows from a file's name,
    unless it is given. With `together` all translations go to `out`, or to standard output. Of
    several files, those in the `record` of finished ones may exist. With `copy` the other files of
    the folders are copied, and links between the translated files are renamed. `columns` are those
    of all tables. With `update` all translations may exist.
    """
    check_encoding(encoding)
    given = format_named(format_name) if isinstance(format_name, str) else format_name
    formats = _Formats(given, format_name is None, languages.source, columns)
    inputs, known = list(inputs), None
    sources, contents = _sources(inputs, languages, selection, out)
    if together:
        pairs = [(source.path, _no_dash(out)) for source in sources]
        check_targets(pairs[:1], force, None)
    else:
        many = len(sources) > 1 or bool(contents)
        pairs = list(_with_targets(sources, out, languages, many, formats))
        known = record if many or update else None
        check_targets(pairs, force, known, update=update)
    pages = _pages(sources, pairs, out) if copy else None
    files = [
        _checked(formats.file(pair, encoding, pages), languages, len(pairs) > 1) for pair in pairs
    ]
    _check_columns(columns, files)
    copies = list(_copies(inputs, contents, out, files)) if copy and out else []
    check_copies(copies, force, known)
    others = counted(path for found in contents for path in found.others)
    settings = [path for found in contents for path in found.settings]
    return Plan(files, copies, others, settings, sum(found.links for found in contents))


def _check_columns(columns: Columns, files: list[File]) -> None:
    """Raise if columns are chosen, but no file is a table."""
    if columns and not any(file.format and file.format.name in TABLES for file in files):
        raise ConfigError(
            "--columns and --header are for tables, and none of the files is a .csv or .tsv file. "
            "Name one; in a folder, --include '*.csv' does."
        )


def _pages(sources: list[_Source], pairs: list[Pair], out: Path | None) -> Pages:
    """The files of folders with their translations."""
    return Pages(
        {
            path: Page(path, target, root, out or root)
            for (_, root), (path, target) in zip(sources, pairs, strict=True)
            if path and target and root
        }
    )


def _copies(
    inputs: list[Path], contents: list[FolderContent], out: Path, files: list[File]
) -> Iterator[Copy]:
    """The other files of folders, and known formats that the job does not translate."""
    made = {file.target.absolute() for file in files if file.target}
    for folder, found in zip(filter(Path.is_dir, inputs), contents, strict=True):
        for source in (*found.others, *found.settings, *found.left):
            target = out / source.relative_to(folder)
            if target.absolute() not in made and target.absolute() != source.absolute():
                yield Copy(source, target)


def _sources(
    inputs: list[Path], languages: Languages, selection: Selection, out: Path | None
) -> tuple[list[_Source], list[FolderContent]]:
    """Each file with the folder that was named, and all that is in the folders."""
    sources, contents = list[_Source](), list[FolderContent]()
    for path in inputs:
        if path == STANDARD:
            sources.append(_Source(None, None))
        elif path.is_dir():
            found = read_folder(path, languages, selection, out)
            if not found.texts:
                raise TextError(nothing_found(path, selection, found.settings))
            contents.append(found)
            sources += [_Source(text, path) for text in found.texts]
        elif path.exists():
            sources.append(_Source(path, None))
        else:
            raise TextError(f"There is no file {path}. Check the path.")
    return sources, contents


def _with_targets(
    sources: list[_Source],
    out: Path | None,
    languages: Languages,
    many: bool,
    formats: _Formats,
) -> Iterator[Pair]:
    """The path of each translation: `out`, a file in `out`, or beside its source."""
    if out == STANDARD and many:
        raise LongwaysError(
            f"{len(sources)} texts cannot be separated on standard output. Name a folder with -o."
        )
    if many and out is not None and (out.is_file() or _is_file_name(out)):
        raise LongwaysError(f"{out} is a file, but {len(sources)} texts need a folder. Name one.")
    into = out is not None and out != STANDARD and (many or out.is_dir())
    for found in sources:
        if (source := found.path) is None:
            yield (
                None,
                out / f"standard-input.{languages.target}" if into and out else _no_dash(out),
            )
        elif into and out:
            yield source, out / found.below.parent / formats.target_name(source, languages)
        elif out is None:
            if is_stream(source):
                raise LongwaysError(
                    f"{source} is a pipe or a device, which has no file beside it. Name a file for "
                    "its translation with -o; - is standard output."
                )
            yield source, source.with_name(formats.target_name(source, languages))
        else:
            yield source, _no_dash(out)


def _is_file_name(path: Path) -> bool:
    """Whether a path that does not exist has the suffix of a text or of a known format."""
    return not path.exists() and path.suffix.lower() in (*TEXT_SUFFIXES, *SUFFIXES)


def _no_dash(out: Path | None) -> Path | None:
    return None if out == STANDARD else out


class _Formats(NamedTuple):
    """The format of all files, or by each file's name."""

    given: Format | None
    by_name: bool
    language: str
    """The source language: `page.zh` is plain text."""
    columns: Columns
    """The columns of tables that the user chooses."""

    def file(self, pair: Pair, encoding: str | None, pages: Pages | None) -> File:
        """A file with its format."""
        unnamed = self.by_name and (pair[0] is None or not pair[0].suffix)
        form = with_columns(self._format(pair[0]), self.columns)
        _check_written(pair[1], form)
        return File(*pair, encoding, format=form, pages=pages, unnamed=unnamed)

    def target_name(self, path: Path, languages: Languages) -> str:
        """The name of a translation; its suffix is that of the format in which it is written."""
        known = SUFFIXES.get(path.suffix.lower()) if self.by_name else None
        suffix = WRITTEN.get(self.given.name if self.given else known or "")
        name = translated_name(path.name, languages)
        if suffix is None:
            return name
        return (Path(name).stem if path.suffix else name) + suffix

    def _format(self, path: Path | None) -> Format | None:
        if path is None or not self.by_name:
            return self.given
        self._check_suffix(path)
        return format_of(path)

    def _check_suffix(self, path: Path) -> None:
        """Raise if a suffix is unknown: such a file would come back broken as plain text."""
        suffix = path.suffix.lower()
        if not suffix or suffix in SUFFIXES or is_text_name(path, self.language):
            return
        check_text_file(path, str(path))
        known = ", ".join([*TEXT_SUFFIXES, *SUFFIXES])
        raise TextError(
            f"{path} has the suffix {suffix}, which is no known format. Known are {known}. Use "
            "--format to name its format; --format text translates it as plain text."
        )


def _check_written(target: Path | None, form: Format | None) -> None:
    """Raise if the name of a translation promises a format in which it is not written."""
    suffix = WRITTEN.get(form.name) if form else None
    promised = SUFFIXES.get(target.suffix.lower()) if target else None
    if form and suffix and promised not in (None, SUFFIXES[suffix]):
        raise ConfigError(
            f"{target} would not be {promised}: the translation of a {form.name} document is "
            f"written as {SUFFIXES[suffix]}. Name a file {Path(str(target)).stem}{suffix} with -o."
        )


def _checked(file: File, languages: Languages, many: bool) -> File:
    """Decode a plain text file once to check it; pipes and formatted files are checked later.

    One of many files that cannot be decoded has a fault; the only one is an error.
    """
    if file.source is None or not file.source.is_file() or file.format:
        return file
    try:
        check_text_file(file.source, file.name)
        checked = check_file(file.source, file.encoding, languages.source)
    except TextError as error:
        if not many:
            raise
        return replace(file, fault=str(error))
    return replace(file, encoding=checked.encoding, characters=checked.characters)
