"""Transfer encodings of bodies: base64 and quoted-printable, whose unchanged lines stay."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Sequence

MAX_LINE_BYTES = 998
"""Lines of a body that is not encoded are no longer than this."""
BASE64_LINE_BYTES = 76
MAX_ENCODED_SHARE = 0.3
"""With more bytes beyond ASCII than this share, base64 is shorter than quoted-printable."""
PLAIN = ("", "7bit", "8bit", "binary")
"""Encodings that leave a body as it is."""
_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")
_BASE64 = re.compile(rb"[A-Za-z0-9+/\s]*+(?:=\s*){0,2}")


def transfer_encoding(name: str) -> str:
    """The encoding with a name in a header field, which may be misspelt, as in 8-bit."""
    name = name.strip().lower()
    known = (("7", "7bit"), ("8", "8bit"), ("base64", "base64"), ("quoted", "quoted-printable"),
             ("plain", ""), ("text", ""))  # fmt: skip
    return next((meant for start, meant in known if name.startswith(start)), name)


def decoded(body: bytes, encoding: str) -> bytes | None:
    """The content of a body; None if it cannot be read."""
    if encoding in PLAIN:
        return body
    if encoding == "quoted-printable":
        return b"".join(line + end for _, line, end in _printable_lines(body))
    if encoding != "base64" or not _BASE64.fullmatch(body):
        return None
    signs = b"".join(body.split()).rstrip(b"=")
    try:
        return binascii.a2b_base64(signs + b"=" * (-len(signs) % 4))
    except binascii.Error:
        return None


def encoded(
    content: bytes, body: bytes, encoding: str, boundaries: Sequence[bytes]
) -> tuple[bytes, str]:
    """New content in place of a body, and its encoding: the same one, unless it is too narrow."""
    if encoding == "base64":
        return _base64(content, body), encoding
    if encoding == "quoted-printable":
        return _printable(content, body, boundaries), encoding
    is_narrow = encoding in ("", "7bit") and not content.isascii() and body.isascii()
    if not is_narrow and _longest(content) <= max(MAX_LINE_BYTES, _longest(body)):
        return b"".join(_guarded(line, boundaries) for line in content.splitlines(True)), encoding
    if sum(byte > 127 for byte in content) > MAX_ENCODED_SHARE * len(content):
        return _base64(content, body), "base64"
    return _printable(content, b"", boundaries), "quoted-printable"


def _longest(content: bytes) -> int:
    return max(map(len, content.splitlines()), default=0)


def _guarded(line: bytes, boundaries: Sequence[bytes]) -> bytes:
    """A line that ends no part."""
    return b" " + line if _is_boundary(line, boundaries) else line


def _is_boundary(line: bytes, boundaries: Sequence[bytes]) -> bool:
    return line.startswith(b"--") and line[2:].startswith(tuple(boundaries))


def _base64(content: bytes, body: bytes) -> bytes:
    """Base64 in lines as long as the ones of the file."""
    first = _LINE.match(body)
    width = len(first[1]) if first and first[2] and body.strip().isascii() else BASE64_LINE_BYTES
    size = min(max(width, 4), MAX_LINE_BYTES) // 4 * 3 if _BASE64.fullmatch(body) else 57
    end = first[2] if first and first[2] else b"\r\n"
    lines = (content[n : n + size] for n in range(0, len(content), size))
    whole = end.join(binascii.b2a_base64(line, newline=False) for line in lines)
    return whole + (end if body.endswith((b"\n", b"\r")) else b"")


def _printable_lines(body: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Each line of a quoted-printable body: its bytes, its content and its line end."""
    raw, content = list[bytes](), list[bytes]()
    for line in _LINE.finditer(body):
        text = line[1].rstrip(b" \t")
        is_soft = text.endswith(b"=") and line[2]
        content.append(binascii.a2b_qp(text[:-1] if text.endswith(b"=") else text))
        raw.append(line[0] if is_soft else line[1])
        if not is_soft:
            yield b"".join(raw), b"".join(content), line[2]
            raw, content = [], []
    if raw:
        yield b"".join(raw), b"".join(content), b""


def _printable(content: bytes, body: bytes, boundaries: Sequence[bytes]) -> bytes:
    """Quoted-printable; a line with the content of one in the body is written as that one."""
    known = {line: raw for raw, line, _ in _printable_lines(body)}
    first = _LINE.match(body or content)
    soft = b"=" + ((first[2] if first else b"") or b"\r\n")
    parts = list[bytes]()
    for line in _LINE.finditer(content):
        raw = known.get(line[1])
        if raw is None:
            raw = binascii.b2a_qp(line[1], istext=True).replace(b"=\n", soft)
            raw = b"=2D" + raw[1:] if _is_boundary(raw, boundaries) else raw
        parts += raw, line[2]
    return b"".join(parts)
