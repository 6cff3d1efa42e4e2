"""Encoding of an HTML file: from its byte order mark, the user, its declaration, or UTF-8.

A file that declares another encoding but is certainly UTF-8 is read as that. Invalid bytes are kept
unchanged. Characters that the encoding lacks are written as character
references.
"""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from longways.errors import FormatError
from longways.formats.text_file import codec_of
from longways.text.charset import split_mark
from longways.text.encodings import has_states, is_utf8, likeliest, text_codec

_DECLARATION_BYTES = 4096
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_DECLARED = re.compile(
    rb"""
      <meta \s [^>]*? charset \s*=\s* ["']? \s* ([\w.:-]+)
    | <\?xml \s [^>]*? encoding \s*=\s* ["'] ([\w.:-]+)
    """,
    re.IGNORECASE | re.VERBOSE,
)
READ_AS = {
    "ascii": "cp1252",
    "big5": "big5hkscs",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "shift_jis": "cp932",
}
"""For a declared codec, the superset with which browsers decode it."""
_WRITTEN_AS = {
    "ascii": "ascii",
    "big5": "big5",
    "gb2312": "gbk",
    "gbk": "gbk",
    "iso8859-1": "iso8859-1",
    "iso8859-9": "iso8859-9",
}
"""For a declared codec, the subset for new text, which all programs decode alike."""
_OTHER_NAMES = {
    "windows-874": "cp874",
    "x-euc-jp": "euc_jp",
    "x-gbk": "gbk",
    "x-sjis": "shift_jis",
    "x-x-big5": "big5",
}
"""Encoding names that only HTML defines."""
_ASCII = bytes(range(0x20, 0x7F)) + b"\t\n\r"
_MIN_CHARACTERS_PER_BAD_ONE = 100
"""With fewer characters for each invalid one, a file is not in the encoding."""


@dataclass(frozen=True)
class DecodedHtml:
    """Decoded text of an HTML file, and the codecs to encode it again."""

    text: str
    mark: bytes
    reading: str
    """The codec that decoded the bytes."""
    writing: str
    """The codec for new text: ASCII if the declared encoding is wrong."""
    warnings: tuple[str, ...] = ()
    odd: dict[int, bytes] = field(default_factory=dict)
    """Original bytes, by offset, of characters that the codec would encode differently."""

    def original(self, start: int, end: int) -> bytes:
        """The original bytes of some characters of the file."""
        if not self.odd:
            return self.text[start:end].encode(self.reading, _errors(self.reading))
        places, parts = self._places, list[bytes]()
        for place in places[bisect_left(places, start) : bisect_left(places, end)]:
            parts += self.text[start:place].encode(self.reading, "surrogateescape"), self.odd[place]
            start = place + 1
        return b"".join([*parts, self.text[start:end].encode(self.reading, "surrogateescape")])

    def new(self, text: str) -> bytes:
        """Encode new text; characters that would not round-trip become references."""
        if self.writing.startswith("utf") or text.isascii():
            return text.encode(self.reading)
        return b"".join(_character(c, self.writing, self.reading) for c in text)

    @cached_property
    def _places(self) -> list[int]:
        return list(self.odd)


@lru_cache(maxsize=1 << 16)
def _character(character: str, writing: str, reading: str) -> bytes:
    """The bytes of a character, or of a reference if the bytes do not round-trip."""
    data = character.encode(writing, "xmlcharrefreplace")
    return data if data.decode(reading, "replace") == character else f"&#{ord(character)};".encode()


def decode(data: bytes, encoding: str | None = None) -> DecodedHtml:
    """Decode a file; raises `FormatError` if its bytes are not valid in its encoding."""
    mark, codec = split_mark(data)
    warnings = list[str]()
    declared = codec or (_named(encoding) if encoding else _declared(data, warnings))
    converted = not (codec or encoding) and declared != "utf-8" and is_utf8(data)
    if converted:
        warnings.append(f"The file is not in {declared}, as it declares, but in utf-8.")
    reading = codec or ("utf-8" if converted else READ_AS.get(declared, declared))
    text, odd = _decode(data[len(mark) :], reading)
    bad = [m.start() for m in re.finditer("[\0\ud800-\udfff]", text)]
    if bad:
        where = f"line {text.count(chr(10), 0, bad[0]) + 1}"
        if len(bad) * _MIN_CHARACTERS_PER_BAD_ONE > len(text):
            raise _not_text(data, declared, where)
        warnings.append(
            f"{where.capitalize()}: there are bytes that are not text in {declared} ({len(bad)} in "
            "the file); they are left as they are."
        )
    writing = reading if codec else _WRITTEN_AS.get(declared, reading)
    writing = "ascii" if converted else writing
    return DecodedHtml(text, mark, reading, writing, tuple(warnings), odd)


def _errors(codec: str) -> str:
    return "surrogatepass" if codec.startswith(("utf-16", "utf-32")) else "surrogateescape"


def _named(encoding: str) -> str:
    """The codec that a user names."""
    codec = codec_of(encoding)
    if has_states(codec):
        raise FormatError(f"HTML in {encoding} cannot be written again. Convert it to utf-8.")
    return codec


def _declared(data: bytes, warnings: list[str]) -> str:
    """The codec that a file declares, or UTF-8."""
    found = _DECLARED.search(_COMMENT.sub(b"", data[:_DECLARATION_BYTES]))
    if not found:
        return "utf-8"
    label = (found[1] or found[2]).decode("ascii", "replace").strip().lower()
    codec = text_codec(_OTHER_NAMES.get(label, label))
    if label.startswith(("utf-16", "utf-32")):  # an ASCII declaration cannot be in UTF-16
        return "utf-8"
    if codec and not has_states(codec) and _ASCII.decode(codec, "replace") == _ASCII.decode():
        return codec
    warnings.append(
        f"The encoding {label} that the file declares is not known; it is read as utf-8."
    )
    return "utf-8"


def _decode(data: bytes, codec: str) -> tuple[str, dict[int, bytes]]:
    """Decoded text, and the original bytes of characters that do not round-trip."""
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
    """Decode a line byte by byte, to find the bytes of each character."""
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
    others = [name for name in ("gb18030", "big5") if name != codec]
    fits = likeliest(data, ["utf-8"] if codec != "utf-8" else []) or likeliest(data, others)
    hint = f', such as <meta charset="{fits}">, which fits its bytes' if fits else ""
    return FormatError(
        f"The file is binary or not in {codec} ({where}). Declare the encoding that it has at its "
        f"beginning{hint}, or convert it to utf-8."
    )
