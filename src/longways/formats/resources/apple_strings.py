r"""Apple .strings: the values of the keys, in the encoding and with the comments of the file.

    /* 按钮 */
    "Save %@" = "保存“%@”";

A file is UTF-16 or UTF-8. Keys, which are often texts themselves, and comments stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.errors import FormatError
from longways.formats.resources.decoded import Decoded
from longways.formats.resources.document import ResourceDocument, Value
from longways.formats.resources.messages import messages_of
from longways.formats.subtitles.timing import Warnings
from longways.formats.text_file import TextFile, read_text
from longways.text.charset import split_mark
from longways.text.encodings import byte_order

_SKIPPED = re.compile(r"(?:\s++|//[^\n\r]*+|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+")
_STRING = re.compile(
    r'"((?:[^"\\]++|\\[\s\S])*+)"|\'((?:[^\'\\]++|\\[\s\S])*+)\'|((?!/[/*])[\w.$:/-]++)'
)
_ESCAPE = re.compile(r"\\(?:[Uu]([0-9a-fA-F]{4})|([0-7]{1,3})|([\s\S]))")
_CHARACTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_ESCAPES = {ord(char): f"\\{name}" for name, char in _CHARACTERS.items()}
_ESCAPES |= {ord('"'): '\\"', ord("\\"): "\\\\"}


class AppleStrings:
    """The format of the strings files of macOS and iOS."""

    name = "strings"
    suffixes = (".strings",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> ResourceDocument:
        """Parse a file; see `Format`."""
        if data.startswith((b"bplist", b"<?xml", b"\xef\xbb\xbf<?xml")):
            raise FormatError(
                "The file is a compiled or XML property list, not a list of strings. Convert it "
                "with `plutil -p`, or translate the .strings file that it was made from."
            )
        file = _read_text(data, language, encoding)
        return _Reader(file, language).document()


def _read_text(data: bytes, language: str, encoding: str | None) -> TextFile:
    """Decode a file; UTF-16 may have no mark."""
    if not encoding and b"\0" in data[:200] and not split_mark(data)[1]:
        encoding = f"utf-16-{byte_order(data[:2000])}"
    return read_text(data, language, encoding)


class _Reader:
    """Reads the pairs of a file from start to end."""

    def __init__(self, file: TextFile, language: str) -> None:
        self.file, self.language = file, language
        self._text, self._place = file.text, 0
        self._warnings, self._keys = Warnings(), set[str]()
        self._lines, self._counted = 1, 0

    def document(self) -> ResourceDocument:
        """The file as a document."""
        return ResourceDocument(self.file, list(self._values()), self._warnings.sentences())

    def _values(self) -> Iterator[Value]:
        while self._skip() < len(self._text):
            key = self._string("a key")
            self._note(key[0])
            self._skip()
            if self._text.startswith("=", self._place):
                self._place += 1
                self._skip()
                value = self._string("a value in double quotes")
                decoded = Decoded(self._text, *value.span(value.lastindex or 0), _ESCAPE, _meaning)
                escape = _escape_single if value.lastindex == 2 else _escape
                if value.lastindex != 3:
                    yield Value(messages_of(decoded, self.language), escape)
                self._skip()
            if not self._text.startswith(";", self._place):
                raise self._error("a semicolon")
            self._place += 1

    def _note(self, key: str) -> None:
        """Warn of a key that the file has twice."""
        if key in self._keys:
            what = f"the key {key} is there twice, of which a program reads one."
            self._warnings.add("twice", self._number(), what)
        self._keys.add(key)

    def _skip(self) -> int:
        found = _SKIPPED.match(self._text, self._place)
        assert found  # it may be empty
        self._place = found.end()
        return self._place

    def _string(self, wanted: str) -> re.Match[str]:
        found = _STRING.match(self._text, self._place)
        if not found:
            raise self._error(wanted)
        self._place = found.end()
        return found

    def _number(self) -> int:
        """The number of the present line, counted from the last place that was asked for."""
        self._lines += self._text.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._lines

    def _line(self) -> int:
        return self._text.count("\n", 0, self._place) + 1

    def _error(self, wanted: str) -> FormatError:
        found = self._text[self._place : self._place + 20].split("\n")[0]
        there = f"there is {found!r}" if found else "the line or the file ends"
        return FormatError(
            f"Line {self._line()}: {wanted} should be here, but {there}. Correct the file; "
            "`plutil -lint` checks it."
        )


def _meaning(escape: re.Match[str]) -> str:
    code, octal, sign = escape.groups()
    if sign:
        return _CHARACTERS.get(sign, sign)
    return chr(int(code, 16) if code else int(octal, 8))


def _escape(text: str) -> str:
    return text.translate(_ESCAPES)


def _escape_single(text: str) -> str:
    return _escape(text).replace("'", "\\'")
