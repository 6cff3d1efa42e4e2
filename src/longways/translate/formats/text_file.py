"""A text file as its text, and any text as the same kind of file again.

UTF-8, with or without a mark at its start, and UTF-16 and UTF-32 with one; or the encoding that the
user or the file itself names.
"""

from __future__ import annotations

import codecs
import io
from dataclasses import dataclass

from longways.errors import FormatError, TextError
from longways.text.encoding import decode_chunks, split_mark

_WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""By the name of a codec that writes a mark at the start: the one for a file that has none."""

_NOT_OF_FILES = frozenset(["idna", "punycode", "undefined"])


@dataclass(frozen=True)
class TextFile:
    """What a file says, and how it is written."""

    data: bytes
    """The file itself: its encoding may have other bytes for the same characters."""
    text: str
    mark: bytes
    """The byte order mark at its start, if there is one."""
    encoding: str

    def encode(self, text: str) -> bytes:
        """Another text in the same encoding, with the same mark; in UTF-8 if that is too small."""
        if text == self.text:
            return self.data
        if not self.can_encode(text):
            return self.encode_utf8(text)
        return self.mark + text.encode(self.encoding)

    def encode_utf8(self, text: str) -> bytes:
        """Another text in UTF-8, with a mark if the file has the one of UTF-8."""
        mark = self.mark if self.encoding == "utf-8" else b""
        return mark + text.encode("utf-8")

    def can_encode(self, text: str) -> bool:
        """Whether the file's encoding has all characters of a text."""
        if self.encoding.startswith("utf"):
            return True
        try:
            return text.encode(self.encoding).decode(self.encoding) == text
        except UnicodeError:
            return False


def read_text(data: bytes, language: str, encoding: str | None = None) -> TextFile:
    """A file's text, in the encoding of its mark or else the one that is named, or else UTF-8.

    Raises `FormatError` if it is not text in that.
    """
    mark, marked = split_mark(data)
    known = marked or (codec_of(encoding) if encoding else None)
    try:
        body = io.BytesIO(data[len(mark) :])
        text = "".join(decode_chunks(body, known, "The file", language))
    except TextError as error:
        raise FormatError(str(error)) from error
    return TextFile(data, text, mark, known or "utf-8")


def codec_of(encoding: str) -> str:
    """The name of the codec for a file without a mark; raises `FormatError` if there is none."""
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # unlike a lookup, it wants one for text
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = ""
    if not name or name in _NOT_OF_FILES:
        raise FormatError(
            f"There is no encoding {encoding!r} of text files. Use a name such as utf-8, gb18030 "
            "or cp1251."
        )
    return _WITHOUT_MARK.get(name, name)
