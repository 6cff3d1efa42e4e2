"""Entries of a gettext file: their texts, their translations, and the positions of both.

Comments, references, previous texts and obsolete entries are skipped and stay unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from longways.errors import FormatError
from longways.formats.numbered import numbered
from longways.formats.po.strings import unquoted
from longways.formats.subtitles.timing import Line, Warnings

_FIELD = re.compile(r"\s*(msgctxt|msgid_plural|msgid|msgstr)(?:\s*\[\s*(\d{1,3})\s*\])?\s*(\".*)?$")

_LIKE_FIELD = re.compile(r"\s*(?!domain\b)(?:msg\w*\b|\w+(?:\s*\[[^\]\"]*\])?\s*\")")
"""A line that begins like a keyword, or a word before a string."""


@dataclass(slots=True)
class Text:
    """One of the texts of an entry."""

    start: int
    end: int
    """Range in the file, with the keyword and without the last line end."""
    lines: Sequence[str]

    @property
    def value(self) -> str:
        """The unescaped text."""
        return "".join(self.lines)


@dataclass(slots=True)
class Entry:
    """A text and its translations."""

    line: int = 0
    """Line number of its first keyword, from 1."""
    start: int = 0
    """Where flags are inserted: before the first keyword and before commented previous texts."""
    flags: tuple[int, str] | None = None
    """Offset of the first line of flags, and all flags."""
    references: Sequence[str] = field(default_factory=list)
    """Places of its message, as in install.rst:12, without the line where it is not known."""
    texts: dict[str, Text] = field(default_factory=dict)
    """Texts by keyword: msgctxt, msgid and msgid_plural."""
    translations: Mapping[int, Text] = field(default_factory=lambda: numbered({}))
    """Translations by plural form; form 0 without plural."""

    @property
    def is_header(self) -> bool:
        """Whether this is the header of the file."""
        return not self.texts["msgid"].value and "msgctxt" not in self.texts

    @property
    def is_fuzzy(self) -> bool:
        """Whether its translation is flagged as fuzzy."""
        return self.flags is not None and "fuzzy" in re.split(r"[,\s]+", self.flags[1])

    @property
    def end(self) -> int:
        """Offset at which its last text ends."""
        return max(text.end for text in (*self.texts.values(), *self.translations.values()))


def entries_of(lines: Iterable[Line], warnings: Warnings) -> list[Entry]:
    """Parse all entries that are not obsolete, in order."""
    return [_compact(entry) for entry in _all(lines, warnings) if _is_whole(entry, warnings)]


def _all(lines: Iterable[Line], warnings: Warnings) -> Iterator[Entry]:
    entry, last = Entry(), None
    for line in lines:
        match = _FIELD.match(line.text)
        if line.text.lstrip().startswith("#"):
            if entry.line:
                yield entry
                entry = Entry()
            entry, last = _with_comment(entry, line), None
        elif match:
            if _begins(match[1], entry):
                yield entry
                entry = Entry()
            last = _add(entry, match, line, warnings)
        elif line.text.lstrip().startswith('"') and last:
            cast(list[str], last.lines).append(_read(line.text.strip(), line, warnings))
            last.end = line.end
        elif _LIKE_FIELD.match(line.text):
            raise _damaged(line)
        elif line.text.strip() and not line.text.startswith("domain"):
            warnings.add("line", line.number, "this is no part of an entry; it is left as it is.")
    if entry.line:
        yield entry


def _damaged(line: Line) -> FormatError:
    """The error for a damaged keyword: its text and the next ones would be taken for others."""
    return FormatError(
        f"Line {line.number}: {line.text.strip()[:40]!r} is no keyword of a gettext file (msgctxt, "
        "msgid, msgid_plural, msgstr) with a string, so it is not known to which message the lines "
        "after it belong. Correct the line; msgfmt --check names others."
    )


def _begins(keyword: str, entry: Entry) -> bool:
    """Whether a keyword is the first of another entry."""
    if keyword == "msgctxt":
        return "msgctxt" in entry.texts or "msgid" in entry.texts
    return keyword == "msgid" and "msgid" in entry.texts


def _with_comment(entry: Entry, line: Line) -> Entry:
    """The entry that a comment belongs to; an obsolete entry starts a new one."""
    text = line.text.lstrip()
    if text.startswith("#~"):
        return Entry()
    if text.startswith("#,"):
        first, flags = entry.flags or (line.end - len(text), "")
        entry.flags = first, f"{flags},{text[2:]}"
    elif text.startswith("#:"):
        cast(list[str], entry.references).extend(text[2:].split())
    elif text.startswith("#|") and not entry.start:
        entry.start = line.start
    return entry


def _add(entry: Entry, match: re.Match[str], line: Line, warnings: Warnings) -> Text:
    """Add the text that a keyword begins, and return it."""
    keyword, form, strings = match.groups()
    if not entry.line:
        entry.line, entry.start = line.number, entry.start or line.start
    value = _read(strings or '""', line, warnings)
    text = Text(line.end - len(line.text.lstrip()), line.end, [value])
    number = int(form or 0)
    if keyword in entry.texts or (keyword == "msgstr" and number in entry.translations):
        warnings.add("twice", line.number, f"an entry has a second {keyword}; the first is used.")
    elif keyword == "msgstr":
        entry.translations = {**entry.translations, number: text}
    else:
        entry.texts[keyword] = text
    return text


def _read(strings: str, line: Line, warnings: Warnings) -> str:
    value, is_whole = unquoted(strings)
    if not is_whole:
        warnings.add("quotes", line.number, "a string is not in quotes; it is read up to its line.")
    return value


def _compact(entry: Entry) -> Entry:
    """A finished entry in less memory: a catalogue has thousands of them."""
    for text in (*entry.texts.values(), *entry.translations.values()):
        text.lines = tuple(text.lines)
    entry.references = tuple(entry.references)
    entry.translations = numbered(entry.translations)
    return entry


def _is_whole(entry: Entry, warnings: Warnings) -> bool:
    """Whether the entry has a msgid; warn otherwise."""
    if "msgid" in entry.texts:
        return True
    warnings.add("msgid", entry.line, "an entry has no msgid; it is left as it is.")
    return False
