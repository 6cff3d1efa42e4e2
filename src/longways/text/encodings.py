"""Which character encodings files have, and which of them fits the bytes of a text.

Python has codecs that no program writes files with: `undefined` raises on every text, `idna` and
`punycode` are for host names, and `punycode` takes quadratic time. A file may name them, so only
the encodings below are ever used.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

_OF_FILES = re.compile(
    r"""utf-8(-sig)? | utf-(16|32)(-[lb]e)? | utf-7 | ascii | cp\d+ | iso8859-\d+ | iso2022_\w+
      | gb2312 | gbk | gb18030 | hz | big5 | big5hkscs | shift_jis(_2004|x0213)? | euc_\w+ | johab
      | koi8-[rut] | mac-\w+ | tis-620 | kz1048 | ptcp154 | hp-roman8
    """,
    re.VERBOSE,
)
"""Names of codecs, as `codecs.lookup` writes them."""

_UTF8_MIN_EXTRA_BYTES = 12
"""Bytes beyond the number of characters that make UTF-8 certain."""

_WITH_STATES = re.compile(r"utf-7|hz|iso2022_\w+")

_HAN = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\ue000-\uf8ff]|[^\x00-\x7f\u3000-\u303f\uff00-\uffef]"
)
_FIRST_LEVEL = {"gb18030": ("gb2312", 0xB0, 0xD7), "big5": ("big5", 0xA4, 0xC6)}
"""The lead bytes of the first level of a standard: its 3,755 or 5,401 most frequent characters."""


def text_codec(name: str) -> str | None:
    """The codec with this name if files are written in it, by its name in Python."""
    try:
        found = codecs.lookup(name.strip()).name
    except (LookupError, ValueError):  # ValueError: a NUL in the name
        return None
    return found if _OF_FILES.fullmatch(found) else None


def has_states(codec: str) -> bool:
    """Whether the meaning of a byte depends on all bytes before it."""
    return bool(_WITH_STATES.fullmatch(codec))


def is_utf8(data: bytes) -> bool:
    """Whether a file is certainly UTF-8; short files in another encoding may be valid by chance."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return len(data) - len(text) >= _UTF8_MIN_EXTRA_BYTES


def byte_order(start: bytes, width: int = 2) -> str:
    """`le` or `be` for the first bytes of UTF-16 or UTF-32 without a mark.

    The high bytes of a text have fewer different values than its low bytes.
    """
    start = start[: len(start) // width * width]
    first, last = set(start[::width]), set(start[width - 1 :: width])
    return "be" if len(first) < len(last) else "le"


def likeliest(data: bytes, names: Sequence[str]) -> str | None:
    """The encoding in which bytes are valid and have most common characters; the first if equal."""
    fitting = [(name, text) for name in names if (text := _decoded(data, name)) is not None]
    return max(fitting, key=lambda fit: commonness(*fit[::-1]))[0] if fitting else None


def commonness(text: str, name: str) -> float:
    """The share of common characters in a text that was decoded in an encoding.

    For Chinese, these are the characters of the first level of the standard: nearly all of a text,
    but about a quarter of a Big5 text that is read as GB 18030. The reverse is often invalid. For
    other languages, the share of small letters and kana decides.
    """
    signs: list[str] = _HAN.findall(text[:100_000])
    if not signs:
        return 0.0
    if name not in _FIRST_LEVEL:
        return sum(sign.islower() or "\u3040" <= sign <= "\u30ff" for sign in signs) / len(signs)
    codec, low, high = _FIRST_LEVEL[name]
    leads = (sign.encode(codec, "replace")[0] for sign in signs)
    return sum(low <= lead <= high for lead in leads) / len(signs)


def _decoded(data: bytes, name: str) -> str | None:
    """The text of bytes, whose last character may be cut off; None if they are invalid."""
    try:
        text = codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeError:
        return None
    return None if "\0" in text else text
