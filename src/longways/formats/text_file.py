"""Text files: decoding, and encoding of new text in the same way.

UTF-8 is detected with or without a byte order mark, UTF-16 and UTF-32 with one. Any other encoding
must be named by the user or by the file itself.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from longways.errors import FormatError, TextError
from longways.text.charset import CHUNK_BYTES, decode_chunks, split_mark
from longways.text.encodings import byte_order, text_codec

_WITHOUT_MARK = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}
"""For each codec that writes a byte order mark, the codec that does not."""


@dataclass(frozen=True, slots=True)
class TextFile:
    """The text of a file, and its encoding."""

    data: bytes
    """Bytes of the file; its encoding may have several byte sequences for the same text."""
    text: str
    mark: bytes
    """The byte order mark, or no bytes."""
    encoding: str

    def encode(self, text: str) -> bytes:
        """Encode another text in the same way; in UTF-8 if the encoding lacks a character."""
        if text == self.text:
            return self.data
        if not self.can_encode(text):
            return self.encode_utf8(text)
        return self.mark + text.encode(self.encoding)

    def edited(self, edits: Iterable[tuple[int, int, str]]) -> bytes:
        """The file with other texts at some places, which are in order; the rest stays."""
        return self.encode(edited(self.text, edits))

    def encode_utf8(self, text: str) -> bytes:
        """Encode another text in UTF-8, with a byte order mark if the file has one in UTF-8."""
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
    """Decode a file by its byte order mark, else by the named encoding, else as UTF-8.

    Raises `FormatError` if the bytes are not valid in that encoding.
    """
    mark, marked = split_mark(data)
    known = marked or (_named(encoding, data) if encoding else None)
    try:
        body = io.BytesIO(data[len(mark) :])
        text = "".join(decode_chunks(body, known, "The file", language))
    except TextError as error:
        raise FormatError(str(error)) from error
    return TextFile(data, text, mark, known or "utf-8")


def edited(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """A text with other texts at some places, which are in order."""

    def parts() -> Iterator[str]:
        place = 0
        for start, end, new in edits:
            yield text[place:start]
            yield new
            place = end
        yield text[place:]

    return joined(parts())


def joined(parts: Iterable[str]) -> str:
    """The parts of a text as one; a list of them would take more memory than the text."""
    text = io.StringIO()
    text.writelines(parts)
    return text.getvalue()


def _named(encoding: str, data: bytes) -> str:
    """The codec of a file without a mark, in the byte order that it shows."""
    codec = codec_of(encoding)
    widths = {"utf-16": 2, "utf-32": 4}
    width = widths.get(text_codec(encoding) or "")
    return codec[:-2] + byte_order(data[:CHUNK_BYTES], width) if width else codec


def codec_of(encoding: str) -> str:
    """The name of the codec for a file without a mark; raises `FormatError` if there is none."""
    name = text_codec(encoding)
    if name is None:
        raise FormatError(
            f"There is no encoding {encoding!r} of text files. Use a name such as utf-8, gb18030 "
            "or cp1251."
        )
    return _WITHOUT_MARK.get(name, name)
