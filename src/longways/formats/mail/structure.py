"""The parts of an e-mail and their header fields, by their places in the file.

The `email` package of the standard library reads a message, but does not know its places, and does
not write the same bytes again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import Message

MAX_DEPTH = 30
"""Parts that are nested deeper stay."""
MAX_HEADER_BYTES = 1 << 14
"""A longer header field is not read."""
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")
_END, _BEYOND_ASCII = re.compile(r"[\r\n]+"), re.compile(r"[^\x00-\x7f]")
_NAME = re.compile(rb"([!-9;-~]+)[ \t]*:")
_MAILBOX = re.compile(rb"\s*>?From [^\r\n]*(?:\r\n|\n|\r)|\s+")


@dataclass(frozen=True, slots=True)
class HeaderField:
    """A header field, `data[start:end]` with its line end."""

    name: str
    """In lower case."""
    start: int
    value: int
    """Where its value begins."""
    end: int


@dataclass(frozen=True)
class Part:
    """A part of a message, or the message itself."""

    fields: Sequence[HeaderField]
    start: int
    body: int
    end: int
    headers: Message
    """The header fields that describe the part."""
    parts: Sequence[Part]
    """The parts inside."""
    boundaries: tuple[bytes, ...]
    """The boundaries of the parts around it."""

    @property
    def type(self) -> str:
        """Its type, as in text/plain."""
        return self.headers.get_content_type()

    def find(self, name: str) -> HeaderField | None:
        """The first header field with a name."""
        return next((field for field in self.fields if field.name == name), None)

    def walk(self) -> Iterator[Part]:
        """The part itself, and all parts inside."""
        yield self
        for part in self.parts:
            yield from part.walk()


def read_message(data: bytes) -> Part:
    """The message in a file; without header fields, it has none."""
    return _part(data, _after_mailbox(data, 0, len(data)), len(data), (), "text/plain")


def _after_mailbox(data: bytes, start: int, end: int) -> int:
    """Where a message begins; a mailbox may have a line before it."""
    line = _MAILBOX.match(data, start, end)
    return line.end() if line else start


def _part(
    data: bytes, start: int, end: int, boundaries: tuple[bytes, ...], default: str, depth: int = 0
) -> Part:
    fields, body = _fields(data, start, end)
    headers = Message()
    headers.set_default_type(default)
    for field in fields:
        if field.name.startswith("content-") and field.name not in headers:
            headers[field.name] = _BEYOND_ASCII.sub("?", unfolded(data, field))
    inner = list(_inner(data, body, end, headers, boundaries, depth))
    return Part(fields, start, body, end, headers, inner, boundaries)


def unfolded(data: bytes, field: HeaderField) -> str:
    """The value of a header field on one line; bytes beyond ASCII are surrogates."""
    value = data[field.value : field.end][:MAX_HEADER_BYTES].decode("ascii", "surrogateescape")
    return _END.sub("", value).strip()


def _fields(data: bytes, start: int, end: int) -> tuple[list[HeaderField], int]:
    """The header fields of a part, and the place of its body."""
    fields, place = list[HeaderField](), start
    while place < end:
        line = _LINE.match(data, place, end)
        assert line  # it may be empty
        if not line[0].strip(b"\r\n"):
            return fields, line.end()
        name = _NAME.match(data, place, line.end())
        if line[0][:1] in b" \t" and fields:
            last = fields[-1]
            fields[-1] = HeaderField(last.name, last.start, last.value, line.end())
        elif name:
            low = name[1].decode("ascii").lower()
            fields.append(HeaderField(low, place, name.end(), line.end()))
        else:
            return fields, place
        place = line.end()
    return fields, place


def _inner(
    data: bytes, body: int, end: int, headers: Message, boundaries: tuple[bytes, ...], depth: int
) -> Iterator[Part]:
    """The parts inside of a part."""
    kind = headers.get_content_type()
    if depth == MAX_DEPTH or len(headers.get("content-type", "")) >= MAX_HEADER_BYTES:
        return
    if kind == "message/rfc822" and _is_plain(headers):
        start = _after_mailbox(data, body, end)
        yield _part(data, start, end, boundaries, "text/plain", depth + 1)
    boundary = _boundary(headers) if kind.startswith("multipart/") else b""
    if not boundary:
        return
    default = "message/rfc822" if kind == "multipart/digest" else "text/plain"
    sign = re.escape(boundary)
    delimiter = re.compile(
        rb"(?:(?:\r\n|\n|\r)|(?<![^\r\n]))--" + sign + rb"(--)?[ \t]*(?=[\r\n]|\Z)"
    )
    first: int | None = None
    for found in delimiter.finditer(data, body, end):
        if first is not None:
            yield _part(data, first, max(first, found.start()), (*boundaries, boundary), default,
                        depth + 1)  # fmt: skip
        if found[1]:
            return
        line = _LINE.match(data, found.end(), end)
        first = line.end() if line else end
    if first is not None:
        yield _part(data, first, end, (*boundaries, boundary), default, depth + 1)


def _is_plain(headers: Message) -> bool:
    encoding = headers.get("content-transfer-encoding", "").strip().lower()
    return encoding in ("", "7bit", "8bit", "binary")


def _boundary(headers: Message) -> bytes:
    found = headers.get_boundary()
    return found.encode("utf-8", "surrogateescape") if found else b""
