"""The plan of a job: which files are translated and where to; checked before any translation."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from longways.errors import LongwaysError, TextError
from longways.formats.base import Format
from longways.formats.registry import SUFFIXES, format_named, format_of
from longways.text.charset import check_encoding, check_file
from longways.translation.files.output import (
    MAX_NAME_BYTES,
    PARTIAL,
    is_stream,
    journal_path,
    partial_path,
)
from longways.translation.files.record import FinishedFiles

STANDARD = Path("-")
"""Standard input, or standard output."""


TEXT_SUFFIXES = (".txt", ".text")
"""Suffixes of plain text."""


class Languages(NamedTuple):
    """The languages of a translation."""

    source: str
    target: str


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

    @property
    def name(self) -> str:
        """Its name in messages."""
        if self.source is None:
            return "standard input"
        return os.fsencode(self.source).decode("utf-8", "backslashreplace")


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
) -> list[File]:
    """Find the files to translate; plain text is decoded once, and every target must be free.

    Folders are searched for text and for known formats. The format follows from a file's name,
    unless it is given. With `together` all translations go to `out`, or to standard output. Of
    several files, those in the `record` of finished ones may exist.
    """
    check_encoding(encoding)
    given = format_named(format_name) if isinstance(format_name, str) else format_name
    formats = _Formats(given, format_name is None, languages.source)
    inputs, known = list(inputs), None
    sources = list(_sources(inputs, languages, out))
    if together:
        pairs = [(source, _no_dash(out)) for source, _ in sources]
        targets = [target for _, target in pairs[:1]]
    else:
        many = len(sources) > 1 or any(path.is_dir() for path in inputs)
        pairs = list(_with_targets(sources, out, languages, many))
        targets = [target for _, target in pairs]
        known = record if many else None
    _check_targets(targets, [source for source, _ in pairs], force, known)
    return [
        _checked(File(*pair, encoding, format=formats.of(pair[0])), languages, len(pairs) > 1)
        for pair in pairs
    ]


def translated_name(name: str, languages: Languages) -> str:
    """`page.zh.txt` and `page.txt` become `page.en.txt`, `page` becomes `page.en`."""
    stem, *parts = name.split(".")
    for place in reversed(range(len(parts))):
        if _is_language(parts[place], languages.source):
            parts[place] = languages.target
            return ".".join([stem, *parts])
    parts.insert(max(0, len(parts) - 1), languages.target)
    return ".".join([stem, *parts])


def _is_language(part: str, language: str) -> bool:
    """`zh`, and also `zh-CN` and `zh_TW`, are `zh`."""
    return re.split("[-_]", part)[0].lower() == language.lower()


def _sources(
    inputs: list[Path], languages: Languages, out: Path | None
) -> Iterator[tuple[Path | None, Path]]:
    """Each file with its path below the folder that was named."""
    for path in inputs:
        if path == STANDARD:
            yield None, STANDARD
        elif path.is_dir():
            found = sorted(_texts_below(path, languages, out))
            if not found:
                raise TextError(
                    f"{path} has nothing to translate: no file NAME.txt, NAME.md or in another "
                    "format that is known and that is not a translation itself."
                )
            yield from ((file, file.relative_to(path)) for file in found)
        elif path.exists():
            yield path, Path(path.name)
        else:
            raise TextError(f"There is no file {path}. Check the path.")


def _texts_below(folder: Path, languages: Languages, out: Path | None) -> Iterator[Path]:
    """Text and known formats, by name; hidden files and translations are skipped."""
    for path in folder.rglob("*"):
        parts = path.name.split(".")[1:]
        is_text = path.suffix.lower() in (".txt", f".{languages.source}".lower(), *SUFFIXES)
        is_translation = any(
            _is_language(part, languages.target) or part == PARTIAL for part in parts
        )
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        inside = out is not None and out.absolute() in path.absolute().parents
        if is_text and not (is_translation or hidden or inside) and path.is_file():
            yield path


def _with_targets(
    sources: list[tuple[Path | None, Path]], out: Path | None, languages: Languages, many: bool
) -> Iterator[tuple[Path | None, Path | None]]:
    """The path of each translation: `out`, a file in `out`, or beside its source."""
    if out == STANDARD and many:
        raise LongwaysError(
            f"{len(sources)} texts cannot be separated on standard output. Name a folder with -o."
        )
    if many and out is not None and (out.is_file() or _is_file_name(out)):
        raise LongwaysError(f"{out} is a file, but {len(sources)} texts need a folder. Name one.")
    into = out is not None and out != STANDARD and (many or out.is_dir())
    for source, below in sources:
        if source is None:
            yield (
                None,
                out / f"standard-input.{languages.target}" if into and out else _no_dash(out),
            )
        elif into and out:
            yield source, out / below.parent / translated_name(below.name, languages)
        elif out is None:
            yield source, source.with_name(translated_name(source.name, languages))
        else:
            yield source, _no_dash(out)


def _is_file_name(path: Path) -> bool:
    """Whether a path that does not exist has the suffix of a text or of a known format."""
    return not path.exists() and path.suffix.lower() in (*TEXT_SUFFIXES, *SUFFIXES)


def _no_dash(out: Path | None) -> Path | None:
    return None if out == STANDARD else out


def _check_targets(
    targets: list[Path | None],
    sources: list[Path | None],
    force: bool,
    record: FinishedFiles | None,
) -> None:
    """Raise if a translation would overwrite something, or cannot be written."""
    read = {source.resolve() for source in sources if source is not None}
    seen: dict[Path, Path | None] = {}
    for place, target in enumerate(targets):
        if target is None:
            continue
        _check_name(target)
        if is_stream(target):
            continue
        own = [target, partial_path(target), journal_path(target)]
        if clash := next((path for path in own if path.resolve() in read), None):
            raise LongwaysError(f"{clash} would overwrite a source. Name another place with -o.")
        if target.resolve() in seen:
            pair = f"{seen[target.resolve()]} and {sources[place]}"
            raise LongwaysError(
                f"{pair} would have the same translation, {target}. Translate one at a time."
            )
        seen[target.resolve()] = sources[place]
        if target.is_dir():
            raise LongwaysError(f"{target} is a folder, so no file can have that name.")
        if target.exists() and not force and not (record and record.knows(target)):
            raise LongwaysError(f"{target} exists. Overwrite it with --force, or use -o.")
        _check_beside(own[1], own[2], force)
        _check_writable(target)


def _check_name(target: Path) -> None:
    """Raise if the name of a translation is too long for a file."""
    size = len(os.fsencode(target.name))
    if size > MAX_NAME_BYTES:
        raise LongwaysError(
            f"The translation {target} would have a name of {size} bytes, but a file has at most "
            f"{MAX_NAME_BYTES}. Rename the source, or name a file with -o."
        )


def _check_beside(partial: Path, journal: Path, force: bool) -> None:
    """Raise if a file that a user made has the name of a partial translation or of a journal."""
    for path in (partial, journal):
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise LongwaysError(
                f"{path} is not a file of Longways, so it is not touched. Rename it, or use -o."
            )
    if partial.exists() and not journal.exists() and not force:
        raise LongwaysError(
            f"{partial} exists, and no journal says that an interrupted job wrote it. Overwrite it "
            "with --force, or use -o."
        )


def _check_writable(target: Path) -> None:
    """Raise if the nearest existing folder above a target cannot be written."""
    above = next(parent for parent in target.absolute().parents if parent.exists())
    if not above.is_dir():
        raise LongwaysError(f"{target} cannot be written: {above} is not a folder.")
    if not os.access(above, os.W_OK | os.X_OK):
        raise LongwaysError(
            f"{target} cannot be written: there is no permission to write into {above}. "
            "Name another place with -o."
        )


class _Formats(NamedTuple):
    """The format of all files, or by each file's name."""

    given: Format | None
    by_name: bool
    language: str
    """The source language: `page.zh` is plain text."""

    def of(self, path: Path | None) -> Format | None:
        if path is None or not self.by_name:
            return self.given
        self._check_suffix(path)
        return format_of(path)

    def _check_suffix(self, path: Path) -> None:
        """Raise if a suffix is unknown: such a file would come back broken as plain text."""
        suffix = path.suffix.lower()
        if suffix in ("", *TEXT_SUFFIXES, *SUFFIXES) or _is_language(suffix[1:], self.language):
            return
        known = ", ".join([*TEXT_SUFFIXES, *SUFFIXES])
        raise TextError(
            f"{path} has the suffix {suffix}, which is no known format. Known are {known}. Use "
            "--format to name its format; --format text translates it as plain text."
        )


def _checked(file: File, languages: Languages, many: bool) -> File:
    """Decode a plain text file once to check it; pipes and formatted files are checked later.

    One of many files that cannot be decoded has a fault; the only one is an error.
    """
    if file.source is None or not file.source.is_file() or file.format:
        return file
    try:
        checked = check_file(file.source, file.encoding, languages.source)
    except TextError as error:
        if not many:
            raise
        return replace(file, fault=str(error))
    return replace(file, encoding=checked.encoding, characters=checked.characters)
