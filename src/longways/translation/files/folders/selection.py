"""The files of a folder: which are translated, and which others lie beside them.

Hidden files, files of unfinished jobs and symbolic links are neither.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath

from longways.errors import TextError
from longways.formats.contents import has_another_root
from longways.formats.registry import SHARED_SUFFIXES, SUFFIXES
from longways.translation.files.folders.languages import (
    Languages,
    is_language,
    named_translation,
)
from longways.translation.files.output import PARTIAL, is_journal

TEXT_SUFFIXES = (".txt", ".text")
"""Suffixes of plain text."""

NAMED_SUFFIXES = 6
"""A message names at most this many suffixes, the most frequent first."""


@dataclass(frozen=True)
class Selection:
    """The patterns that choose files of a folder."""

    include: tuple[str, ...] = ()
    """Only files that match one of these are translated."""
    exclude: tuple[str, ...] = ()
    """Files that match one of these are left out: neither translated nor copied."""

    def leaves_out(self, path: PurePath) -> bool:
        """Whether a file or a folder, by its path below the folder, is left out."""
        return _matches(path, self.exclude)

    def translates(self, path: PurePath) -> bool:
        """Whether a file may be translated."""
        return not self.include or any(
            _matches(part, self.include) for part in (path, *path.parents)
        )

    def names_suffix(self, suffix: str) -> bool:
        """Whether a pattern that chooses files ends with a suffix."""
        return any(pattern.lower().endswith(suffix) for pattern in self.include)


ALL_FILES = Selection()


@dataclass(frozen=True)
class FolderContent:
    """The files of a folder, in the order of their paths."""

    texts: list[Path]
    """Files to translate."""
    others: list[Path]
    """Files whose format is unknown."""
    settings: list[Path]
    """Texts of programs, or settings: files with a shared suffix that no pattern names."""
    left: list[Path]
    """Files in the target language, and those that the user does not want translated."""
    links: int
    """The number of symbolic links, which are not followed."""


def read_folder(
    folder: Path, languages: Languages, selection: Selection, out: Path | None
) -> FolderContent:
    """Find the files of a folder; the folder of the translations may be inside."""
    found, links = list[Path](), 0
    for path in _walk(folder, selection, out):
        links += path.is_symlink()
        if path.is_file() and not path.is_symlink() and not _is_unfinished(path):
            found.append(path)
    kinds: dict[str, list[Path]] = {"text": [], "other": [], "settings": [], "left": []}
    translations = set(_translations(found, languages))
    for path in sorted(found):
        kind = _kind(path, path.relative_to(folder), languages, selection)
        kinds["left" if path in translations else kind].append(path)
    return FolderContent(kinds["text"], kinds["other"], kinds["settings"], kinds["left"], links)


def _translations(found: Iterable[Path], languages: Languages) -> Iterator[Path]:
    """The paths of translations of files whose names have the source language."""
    for path in found:
        name = named_translation(path.name, languages)
        if name is not None:
            yield path.with_name(name)


def counted(paths: Iterable[Path]) -> str:
    """Files counted by suffix; empty if there are none."""
    counts = Counter(path.suffix.lower() or "without a suffix" for path in paths)
    named = [f"{count:,} {suffix}" for suffix, count in counts.most_common(NAMED_SUFFIXES)]
    rest = counts.total() - sum(count for _, count in counts.most_common(NAMED_SUFFIXES))
    named += [f"{rest:,} others"] if rest else []
    return ", ".join(named)


def nothing_found(folder: Path, selection: Selection, settings: Sequence[Path]) -> str:
    """Why there is nothing to translate in a folder."""
    if settings:
        return (
            f"{folder} has files that may be settings or texts, and nothing else to translate: "
            f"{counted(settings)}. {include_hint(settings)}"
        )
    if selection != ALL_FILES:
        return f"{folder} has nothing to translate that --include and --exclude choose."
    return (
        f"{folder} has nothing to translate: no file NAME.txt, NAME.md or in another "
        "format that is known and that is not a translation itself."
    )


def include_hint(settings: Sequence[Path]) -> str:
    """How to translate files that may be settings."""
    return f"Name those to translate, as in --include '*{settings[0].suffix.lower()}'."


def is_text_name(path: Path, language: str) -> bool:
    """Whether a file has the suffix of plain text; `page.zh` has, in Chinese."""
    suffix = path.suffix.lower()
    return suffix in TEXT_SUFFIXES or is_language(suffix[1:], language)


def _walk(folder: Path, selection: Selection, out: Path | None) -> Iterator[Path]:
    """All files and links below a folder that are neither hidden nor left out."""
    aside = out and out.absolute()
    for above, folders, names in os.walk(folder, onerror=_refuse):
        here = Path(above)
        names += [name for name in folders if (here / name).is_symlink()]
        kept = {
            name
            for name in (*folders, *names)
            if not name.startswith(".")
            and not selection.leaves_out((here / name).relative_to(folder))
            and (here / name).absolute() != aside
        }
        folders[:] = kept.intersection(folders).difference(names)
        yield from (here / name for name in names if name in kept)


def _refuse(error: OSError) -> None:
    """Raise for a folder that cannot be read: what is in it would be left out in silence."""
    raise TextError(
        f"{error.filename} cannot be read: {error.strerror}. Check its permissions, or leave it "
        "out with --exclude."
    ) from error


def _kind(path: Path, below: Path, languages: Languages, selection: Selection) -> str:
    """Whether a file is a text to translate, one to leave, or of another format."""
    parts = path.name.split(".")[1:]
    if any(is_language(part, languages.target) for part in parts):
        return "left"
    is_known = path.suffix.lower() in SUFFIXES and not has_another_root(path)
    if not is_known and not is_text_name(path, languages.source):
        return "other"
    if not selection.translates(below):
        return "left"
    suffix = path.suffix.lower()
    is_shared = suffix in SHARED_SUFFIXES and not selection.names_suffix(suffix)
    return "settings" if is_shared else "text"


def _is_unfinished(path: Path) -> bool:
    """Whether a job has written a file beside a translation."""
    return PARTIAL in path.name.split(".")[1:] or is_journal(path)


def _matches(path: PurePath, patterns: tuple[str, ...]) -> bool:
    """Whether a path matches a pattern; one without a slash is for the name alone."""
    return any(
        _compiled(pattern).fullmatch(path.as_posix() if "/" in pattern.rstrip("/") else path.name)
        for pattern in patterns
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    r"""A pattern as an expression: `*` stays within a folder, `**` does not."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./").strip("/"))
    signs = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(signs.get(part, re.escape(part)) for part in parts), re.DOTALL)
