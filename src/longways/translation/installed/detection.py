"""The source language of files, among the languages that installed models translate from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from longways.errors import ConfigError, LongwaysError
from longways.formats.contents import likely_format
from longways.formats.registry import SHARED_SUFFIXES, SUFFIXES, TEXT, format_named, format_of
from longways.text.languages.codes import main_language
from longways.text.languages.identify import COMPARED, identified

SAMPLE_BYTES = 1 << 16
"""Bytes of a plain text that are read for its language."""
SAMPLE_CHARACTERS = 4_000
SAMPLE_FILES = 20
"""Files of a folder whose language is identified."""
MIN_LETTERS = 12
"""A text with fewer letters does not say its language."""
MIN_OTHER_LETTERS = 120
"""A text with at least this many letters may turn out to be in a language without a model."""
UNKNOWN_LANGUAGE = "und"
_PLAIN = (".txt", ".text")


class Detected(NamedTuple):
    """The language of a file."""

    path: Path
    language: str | None
    """One of the candidates; None if the text does not say it."""
    other: str | None = None
    """The language of a text that is in none of the candidates; empty if it is unknown."""


def source_language(
    inputs: Sequence[Path],
    candidates: Sequence[str],
    target: str | None = None,
    format_name: str | None = None,
    encoding: str | None = None,
) -> Detected:
    """The language that all inputs have in common.

    Files that do not say it follow the others, and files in the target language are left out where
    there are others. Raises if two files differ, or if none says it and there are several
    candidates.
    """
    found = [detected(path, candidates, format_name, encoding) for path in _files(inputs)]
    said = [one for one in found if one.language or one.other is not None]
    ready = main_language(target) if target else None
    said = [one for one in said if one.other != ready] or said
    if not said:
        if len(candidates) == 1:
            return Detected(inputs[0], candidates[0])
        raise ConfigError(
            f"It is not clear which language {inputs[0]} is in: {_either(candidates)}. Name it, as "
            f"in --from {candidates[0]}."
        )
    first = said[0]
    for one in said[1:]:
        if (one.language, one.other) != (first.language, first.other):
            raise ConfigError(
                f"{first.path} is in {_said(first)}, but {one.path} is in {_said(one)}. Translate "
                "files of one language at a time, or name the language of all with --from."
            )
    return first


def detected(
    path: Path, candidates: Sequence[str], format_name: str | None, encoding: str | None
) -> Detected:
    """The language of a file: by its text, or if that is not certain, by its name."""
    text = sample(path, format_name, encoding)
    if sum(map(str.isalpha, text)) < MIN_LETTERS:
        return Detected(path, _in_name(path, candidates))
    found = identified(text, candidates)
    if found.language is None:
        return Detected(path, None, identified(text, _all_languages()).language or "")
    if sum(map(str.isalpha, text)) >= MIN_OTHER_LETTERS:
        mains = [main_language(code) for code in candidates]
        wide = identified(text, dict.fromkeys([*mains, *_all_languages()]))
        if wide.is_certain and wide.language not in mains:
            return Detected(path, None, wide.language)
    if found.is_certain:
        return Detected(path, found.language)
    return Detected(path, _in_name(path, candidates))


def sample(path: Path, format_name: str | None, encoding: str | None) -> str:
    """The beginning of the text of a file, without markup; empty if it cannot be read."""
    with suppress(LongwaysError, OSError):
        form = format_named(format_name) if format_name else format_of(path)
        if form is None and not (format_name or path.suffix):
            name = likely_format(_plain(path, encoding))
            form = format_named(name or TEXT)
        if form is None:
            return _plain(path, encoding)[:SAMPLE_CHARACTERS]
        passages = form.read(path.read_bytes(), UNKNOWN_LANGUAGE, encoding).passages
        texts = (passage.text for passage in islice(passages, SAMPLE_CHARACTERS))
        return " ".join(_beginning(texts))
    return ""


def _beginning(texts: Iterable[str]) -> Iterator[str]:
    size = 0
    for text in texts:
        yield text
        size += len(text)
        if size >= SAMPLE_CHARACTERS:
            return


def _plain(path: Path, encoding: str | None) -> str:
    with path.open("rb") as file:
        data = file.read(SAMPLE_BYTES)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = encoding or "utf-16"
    with suppress(LookupError):
        return data.decode(encoding or "utf-8", "ignore" if encoding else "replace")
    return ""


def _files(inputs: Sequence[Path]) -> Iterator[Path]:
    """The files, and of each folder the first ones that are texts."""
    for path in inputs:
        if path.is_dir():
            texts = (one for one in sorted(path.rglob("*")) if _is_text(one.relative_to(path), one))
            yield from islice(texts, SAMPLE_FILES)
        else:
            yield path


def _is_text(inside: Path, path: Path) -> bool:
    suffix = path.suffix.lower()
    known = suffix in _PLAIN or (suffix in SUFFIXES and suffix not in SHARED_SUFFIXES)
    return known and path.is_file() and not any(part.startswith(".") for part in inside.parts)


def _in_name(path: Path, candidates: Sequence[str]) -> str | None:
    """The candidate that the name of a file has, as in page.de.md."""
    parts = {main_language(part) for part in path.name.split(".")[1:]}
    named = [code for code in candidates if main_language(code) in parts]
    return named[0] if len(named) == 1 else None


def _all_languages() -> list[str]:
    others = ["zh", "ja", "ko", "el", "he", "ar", "hi", "th"]
    return [*others, *(code for codes in COMPARED.values() for code in codes)]


def _said(one: Detected) -> str:
    return one.language or one.other or "another language"


def _either(candidates: Sequence[str]) -> str:
    *others, last = candidates
    return f"{', '.join(others)} or {last}" if others else last
