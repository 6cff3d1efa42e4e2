r"""Java properties: the values of the keys, in the encoding and with the escapes of the file.

    # 注释
    file.saved = 已保存 {0}, 用时 {1} 秒。\
                 谢谢。

A file is UTF-8 or ISO-8859-1 with \u escapes, as Java reads it; new text has escapes for all
characters beyond ASCII unless the file has such characters in UTF-8. In a value with arguments
like {0}, which is a pattern of MessageFormat, '' is an apostrophe and '{' a brace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from longways.errors import FormatError
from longways.formats.resources.decoded import Decoded
from longways.formats.resources.document import ResourceDocument, Value
from longways.formats.resources.messages import QUOTED, messages_of
from longways.formats.subtitles.timing import Warnings
from longways.formats.text_file import TextFile, read_text

_LINE = re.compile(
    r"[ \t\f]*+(?:(?P<comment>[#!][^\r\n]*+)"
    r"|(?P<key>(?:[^\\=:\s]|\\(?:(?:\r\n|\n|\r)[ \t\f]*+|.))*+)(?:[ \t\f]*+[=:])?+"
    r"(?:[ \t\f]|\\(?:\r\n|\n|\r))*+(?P<value>(?:[^\\\r\n]++|\\(?:\r\n|.|\n|\r))*+)\\?)"
)
_ENDS = re.compile(r"[\r\n]*")
_PAIR = r"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_ESCAPES = rf"\\(?:{_PAIR}|u[0-9a-fA-F]{{4}}|(?:\r\n|\n|\r)[ \t\f]*+|.)"
_PLAIN = re.compile(_ESCAPES)
_PATTERN = re.compile(rf"{_ESCAPES}|''")
"""Escapes in a pattern of MessageFormat."""
_ARGUMENT = re.compile(r"\{\d")
_UNICODE = re.compile(r"\\u([0-9a-fA-F]{4})")
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_NAMES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\f": "\\f"}


class _Entry(NamedTuple):
    """A key with a value, `text[start:end]`."""

    key: str
    start: int
    end: int


class Properties:
    """The format of Java properties."""

    name = "properties"
    suffixes = (".properties",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> ResourceDocument:
        """Parse a file; see `Format`."""
        file, warnings = _read_text(data, language, encoding), Warnings()
        entries = list(_entries(file.text))
        _warn_of_keys(file.text, entries, warnings)
        style = _Style(file, entries)
        values = (style.value(entry, language) for entry in entries)
        return ResourceDocument(file, values, warnings.sentences())


class _Style:
    """How the values of a file are escaped."""

    def __init__(self, file: TextFile, entries: list[_Entry]) -> None:
        text = self._text = file.text
        self._limit = 127 if text.isascii() or file.encoding != "utf-8" else 0x10FFFF
        codes = _UNICODE.findall(text)
        self._upper = any(code != code.lower() for code in codes) or not codes
        signs = {ord(sign): f"\\{sign}" for sign in ":=#!" if f"\\{sign}" in text}
        self._signs = str.maketrans(_NAMES) | signs
        bare = [e for e in entries if not _ARGUMENT.search(text, e.start, e.end)]
        self._all_patterns = any(text.find("''", e.start, e.end) >= 0 for e in bare)

    def value(self, entry: _Entry, language: str) -> Value:
        """The value of an entry."""
        text, start, end = self._text, entry.start, entry.end
        is_pattern = self._all_patterns or bool(_ARGUMENT.search(text, start, end))
        decoded = Decoded(text, start, end, _PATTERN if is_pattern else _PLAIN, _meaning)
        if not is_pattern:
            return Value(messages_of(decoded, language), self._escape)
        quoted = frozenset(QUOTED.findall(text[start:end].replace("''", "")))
        messages = messages_of(decoded, language, quotes=True)
        return Value(messages, lambda new: self._escape(_with_quotes(new, quoted)))

    def _escape(self, text: str) -> str:
        return "".join(map(self._character, text.translate(self._signs)))

    def _character(self, char: str) -> str:
        if ord(char) <= self._limit:
            return char
        units = char.encode("utf-16-be").hex()
        units = units.upper() if self._upper else units
        return "".join(f"\\u{units[n : n + 4]}" for n in range(0, len(units), 4))


def _with_quotes(text: str, quoted: frozenset[str]) -> str:
    """A text in which apostrophes are doubled, except for those around quoted parts."""
    return re.sub(
        f"{QUOTED.pattern}|'",
        lambda found: found[0] if found[0] in quoted else found[0].replace("'", "''"),
        text,
    )


def _meaning(escape: re.Match[str]) -> str:
    sign = escape[0][1]
    if sign in "\r\n":
        return ""
    if sign == "u" and len(escape[0]) > 2:
        units = bytes.fromhex("".join(_UNICODE.findall(escape[0])))
        return units.decode("utf-16-be", "surrogatepass")
    return _CHARACTERS.get(sign, sign)


def _entries(text: str) -> Iterator[_Entry]:
    """The keys of a file with their values, in order."""
    place = 0
    while place < len(text):
        line = _LINE.match(text, place)
        assert line  # it may be empty
        if line["comment"] is None and (line["key"] or line["value"]):
            yield _Entry(line["key"], *line.span("value"))
        ends = _ENDS.match(text, line.end())
        assert ends  # it may be empty
        place = ends.end()


def _warn_of_keys(text: str, entries: list[_Entry], warnings: Warnings) -> None:
    """Warn of keys that the file has twice."""
    seen, line, place = set[str](), 1, 0
    for entry in entries:
        if entry.key in seen:
            line, place = line + text.count("\n", place, entry.start), entry.start
            warnings.add(
                "twice", line, f"the key {entry.key!r} is there twice; Java reads the last."
            )
        seen.add(entry.key)


def _read_text(data: bytes, language: str, encoding: str | None) -> TextFile:
    r"""Decode a file in UTF-8, else in ISO-8859-1 if it has \u escapes or a language in Latin."""
    decoders: list[Callable[[], TextFile]] = [lambda: read_text(data, language, encoding)]
    if not encoding and (_UNICODE.search(data.decode("latin-1")) or language in _LATIN_1):
        decoders.append(lambda: read_text(data, language, "iso-8859-1"))
    for decode in decoders[:-1]:
        with suppress(FormatError):
            return decode()
    return decoders[-1]()


_LATIN_1 = frozenset(
    ["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "nb", "nn", "fi", "is", "id", "ms"]
)
"""Languages that ISO-8859-1 is enough for."""
