"""The encoding of an HTML file: by its mark, the user, what it declares, or UTF-8; and its bytes.

Bytes that are no text are kept: they come back as they were. Text that the encoding cannot express
is written as character references.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from longways.errors import FormatError
from longways.text.encoding import split_mark
from longways.translate.formats.text_file import codec_of

_LOOKED_AT = 4096
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARED = re.compile(
    rb"""
      <meta \s [^>]*? charset \s*=\s* ["']? \s* ([\w.:-]+)
    | <\?xml \s [^>]*? encoding \s*=\s* ["'] ([\w.:-]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_READ_AS = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
}
"""By the name of a codec: the larger one that browsers read it with."""
_WRITTEN_AS = {
    "ascii": "ascii",
    "big5": "big5",
    "gb2312": "gbk",
    "gbk": "gbk",
    "iso8859-1": "iso8859-1",
    "iso8859-9": "iso8859-9",
}
"""And a smaller one that all programs read alike, for new text."""
_OTHER_NAMES = {
    "windows-874": "cp874",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gbk",
    "x-sjis": "shift_jis",
    "x-x-big5": "big5",
}
"""Names of encodings that are only known in HTML."""
_ASCII = bytes(range(0x20, 0x7F)) + b"\t\n\r"
_MOST_UNREADABLE = 100
"""A file is not in an encoding if more than one in so many of its characters is not."""


@dataclass(frozen=True)
class Encoded:
    """The text of a file, and how to write it again."""

    text: str
    mark: bytes
    reading: str
    """The codec its bytes were read with."""
    writing: str
    """The codec for new text."""
    warnings: tuple[str, ...] = ()
    odd: dict[int, bytes] = field(default_factory=dict)
    """Characters, in order, that were not written as the codec writes them, and how they were."""

    def original(self, start: int, end: int) -> bytes:
        """The bytes of some characters of the file, as they were."""
        if not self.odd:
            return self.text[start:end].encode(self.reading, _errors(self.reading))
        places, parts = self._places, list[bytes]()
        for place in places[bisect_left(places, start) : bisect_left(places, end)]:
            parts += self.text[start:place].encode(self.reading, "surrogateescape"), self.odd[place]
            start = place + 1
        return b"".join([*parts, self.text[start:end].encode(self.reading, "surrogateescape")])

    def new(self, text: str) -> bytes:
        """The bytes of new text; what would not be read as it is, is a reference."""
        if self.reading.startswith("utf") or text.isascii():
            return text.encode(self.reading)
        return b"".join(_character(c, self.writing, self.reading) for c in text)

    @cached_property
    def _places(self) -> list[int]:
        return list(self.odd)


@lru_cache(maxsize=1 << 16)
def _character(character: str, writing: str, reading: str) -> bytes:
    """The bytes of a character if it is read as itself, or a reference to it."""
    data = character.encode(writing, "xmlcharrefreplace")
    return data if data.decode(reading, "replace") == character else f"&#{ord(character)};".encode()


def decode(data: bytes, encoding: str | None = None) -> Encoded:
    """The text of a file; raises `FormatError` if it is not in its encoding."""
    mark, codec = split_mark(data)
    warnings = list[str]()
    declared = codec or (_named(encoding) if encoding else _declared(data, warnings))
    reading = codec or _READ_AS.get(declared, declared)
    text, odd = _decode(data[len(mark) :], reading)
    bad = [m.start() for m in re.finditer("[\0\ud800-\udfff]", text)]
    if bad:
        where = f"line {text.count(chr(10), 0, bad[0]) + 1}"
        if len(bad) * _MOST_UNREADABLE > len(text):
            raise _not_text(data, declared, where)
        warnings.append(
            f"{where.capitalize()}: there are bytes that are not text in {declared} ({len(bad)} in "
            "the file); they are left as they are."
        )
    writing = reading if codec else _WRITTEN_AS.get(declared, reading)
    return Encoded(text, mark, reading, writing, tuple(warnings), odd)


def _errors(codec: str) -> str:
    return "surrogatepass" if codec.startswith(("utf-16", "utf-32")) else "surrogateescape"


def _named(encoding: str) -> str:
    """The codec that a user names."""
    codec = codec_of(encoding)
    if _has_states(codec):
        raise FormatError(f"HTML in {encoding} cannot be written again. Convert it to utf-8.")
    return codec


def _declared(data: bytes, warnings: list[str]) -> str:
    """The codec that a file declares, or UTF-8."""
    found = _DECLARED.search(_COMMENT.sub(b"", data[:_LOOKED_AT]))
    if not found:
        return "utf-8"
    label = (found[1] or found[2]).decode("ascii", "replace").strip().lower()
    try:
        codec = codecs.lookup(_OTHER_NAMES.get(label, label)).name
        if label.startswith(("utf-16", "utf-32")):  # it was read as bytes, so it is not
            return "utf-8"
        if _ASCII.decode(codec) == _ASCII.decode("ascii") and not _has_states(codec):
            return codec
    except (LookupError, UnicodeError, AssertionError):
        pass
    warnings.append(
        f"The encoding {label} that the file declares is not known; it is read as utf-8."
    )
    return "utf-8"


def _has_states(codec: str) -> bool:
    """Whether the same bytes mean different characters in different places."""
    return codec.startswith(("iso2022", "hz", "utf-7", "punycode", "unicode_escape", "raw_unicode"))


def _decode(data: bytes, codec: str) -> tuple[str, dict[int, bytes]]:
    """Text, and its characters that the codec would write otherwise."""
    errors = _errors(codec)
    try:
        text = data.decode(codec, errors)
    except UnicodeDecodeError as error:
        raise FormatError(
            f"The file is damaged or cut short: byte {error.start + 1} is not a character of "
            f"{codec}. Use the whole file."
        ) from error
    if text.encode(codec, errors) == data:
        return text, {}
    return _decode_lines(data, codec)


def _decode_lines(data: bytes, codec: str) -> tuple[str, dict[int, bytes]]:
    texts, odd, length = list[str](), dict[int, bytes](), 0
    for line in data.splitlines(keepends=True):
        text = line.decode(codec, "surrogateescape")
        if text.encode(codec, "surrogateescape") != line:
            text = _decode_bytes(line, codec, length, odd)
        texts.append(text)
        length += len(text)
    return "".join(texts), odd


def _decode_bytes(line: bytes, codec: str, length: int, odd: dict[int, bytes]) -> str:
    """A line, byte by byte, to see which bytes make each of its characters."""
    decoder, texts, start = codecs.getincrementaldecoder(codec)("surrogateescape"), list[str](), 0
    for place in range(len(line)):
        text = decoder.decode(line[place : place + 1], place + 1 == len(line))
        if text or place + 1 == len(line):
            held = len(decoder.getstate()[0])
            there = line[start : place + 1 - held]
            if text.encode(codec, "surrogateescape") != there:
                odd.update({length + i: b"" for i in range(len(text))})
                odd[length] = there
            start, length = place + 1 - held, length + len(text)
            texts.append(text)
    return "".join(texts)


def _not_text(data: bytes, codec: str, where: str) -> FormatError:
    fits = [c for c in ("utf-8", "gb18030", "big5") if c != codec and _is_in(data, c)]
    hint = f', such as <meta charset="{fits[0]}">, which fits its bytes' if fits else ""
    return FormatError(
        f"The file is binary or not in {codec} ({where}). Declare the encoding that it has at its "
        f"beginning{hint}, or convert it to utf-8."
    )


def _is_in(data: bytes, codec: str) -> bool:
    try:
        return "\0" not in data.decode(codec)
    except UnicodeDecodeError:
        return False
