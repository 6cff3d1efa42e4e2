"""A text file as its text, and any text as the same kind of file again.

UTF-8, with or without a mark at its start, and UTF-16 and UTF-32 with one; or the encoding that the
file itself names.
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from longways.errors import FormatError, TextError
from longways.text.encoding import decode_chunks, split_mark


@dataclass(frozen=True)
class TextFile:
    """What a file says, and how it is written."""

    text: str
    mark: bytes
    """The byte order mark at its start, if there is one."""
    encoding: str

    def encode(self, text: str) -> bytes:
        """Another text in the same encoding, with the same mark."""
        return self.mark + text.encode(self.encoding)


def read_text(data: bytes, language: str, encoding: str | None = None) -> TextFile:
    """A file's text; `encoding` is what it says of itself. Raises `FormatError` if it has none."""
    mark, marked = split_mark(data)
    body, known = data[len(mark) :], marked or encoding
    try:
        text = "".join(decode_chunks(io.BytesIO(body), known, "The file", language))
    except TextError as error:
        raise FormatError(str(error)) from error
    return TextFile(text, mark, known or "utf-8")
