"""Header fields: subjects with their encoded words, charsets and transfer encodings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import Header, decode_header

from longways.formats.html.charset import READ_AS
from longways.text.charset import older_encoding
from longways.text.encodings import is_utf8, text_codec

_ANSWER = re.compile(
    r"\s*(?:(?:re|fwd?|aw|wg|tr|sv|回复|回覆|答复|答覆|转发|轉寄|转寄)\s*(?:\[\d+\])?\s*[:\uff1a]\s*)+",
    re.IGNORECASE,
)
"""Words that programs put before the subject of an answer."""
_CHINESE_WORDS = {"回复": "Re", "回覆": "Re", "答复": "Re", "答覆": "Re"} | dict.fromkeys(
    ("转发", "轉寄", "转寄"), "Fwd"
)
_CHARSET = re.compile(rb"(\bcharset\s*=\s*)(\"[^\"]*\"|[^;\s]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Subject:
    """A subject, and the words before it that programs write."""

    answer: str
    text: str

    def written(self, text: str, end: str) -> bytes:
        """A new subject as the value of a header field."""
        words = re.sub("|".join(_CHINESE_WORDS), lambda word: _CHINESE_WORDS[word[0]], self.answer)
        whole = words.replace("\uff1a", ": ") + " ".join(text.split())
        whole = "".join(char for char in whole if char.isprintable())
        charset = "us-ascii" if whole.isascii() and "=?" not in whole else "utf-8"
        return Header(whole, charset, 76, "Subject").encode(linesep=end).encode("ascii")


def read_subject(value: str, language: str, encoding: str | None) -> Subject | None:
    """The subject in a header field; None if it cannot be decoded."""
    parts = list[str]()
    try:
        words = decode_header(value)
    except (HeaderParseError, ValueError):
        return None
    for word, name in words:
        data = word if isinstance(word, bytes) else word.encode("ascii", "surrogateescape")
        codec = body_charset(data, name or "", language, encoding)
        if codec is None:
            return None
        parts.append(data.decode(READ_AS.get(codec, codec), "replace"))
    whole = "".join(parts)
    if "\ufffd" in whole:
        return None
    answer = _ANSWER.match(whole)
    before = answer[0] if answer else ""
    return Subject(before, whole[len(before) :])


def body_charset(data: bytes, name: str, language: str, encoding: str | None) -> str | None:
    """The codec of some bytes with the charset that a header names, or none; None if unknown."""
    codec = text_codec(name or encoding or "ascii")
    if data.isascii() or codec not in ("ascii", "iso8859-1", None):
        return codec or "ascii"
    if is_utf8(data) or (codec != "iso8859-1" and _is_valid(data, "utf-8")):
        return "utf-8"
    return older_encoding(data, language) if codec == "ascii" else codec


def _is_valid(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeError:
        return False
    return True


def with_charset(field: bytes, charset: str) -> bytes:
    """A header field Content-Type with another charset."""
    name = charset.encode()
    if _CHARSET.search(field):
        quoted = b'"%b"' % name
        return _CHARSET.sub(lambda m: m[1] + (quoted if m[2][:1] == b'"' else name), field, count=1)
    stripped = field.rstrip(b" \t\r\n;")
    return stripped + b"; charset=" + name + field[len(field.rstrip(b" \t\r\n")) :]
