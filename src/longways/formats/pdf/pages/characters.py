"""The characters of a PDF as text has them: ligatures, radicals, signs of bullet fonts.

Fonts map glyphs to characters that look alike: a ligature to one character, and a Chinese character
to the radical of the same shape (U+2F64 for `用`), which no dictionary and no model knows.
"""

from __future__ import annotations

import re
import unicodedata

HYPHENS = "-\u2010\u00ad"
"""Characters that divide a word at the end of a line."""

BULLET = "•"

_BULLET_SIGNS = "\uf02d\uf0a7\uf0a8\uf0b7\uf0d7\uf0d8\uf0e0\uf0e8\uf0f0\uf0fc\uf0fe" + "".join(
    map(chr, range(0xF06C, 0xF07B))
)
"""Bullets of Wingdings and Symbol, which have places in the private use area."""

_SHAPES = (
    "⺇几⺊卜⺝月⺟母⺠民⺩王⺪疋⺫目⺬示⺮竹⺯糸⺶羊⺷羊⺻聿⺼月⺽臼⻁虎⻄西⻅见⻆角⻇角⻉贝⻊足⻋车⻌辶⻍辶⻎辶"
    "⻐钅⻑長⻓长⻔门⻕阜⻗雨⻘青⻙韦⻚页⻛风⻜飞⻝食⻞食⻟飠⻠饣⻡首⻢马⻣骨⻤鬼⻥鱼⻦鸟⻧卤⻨麦⻩黄⻪黾⻫斉"
    "⻬齐⻭歯⻮齿⻯竜⻰龙⻱龜⻲亀⻳龟"
)
"""Radicals without a compatibility mapping in Unicode, each before its character."""

_TRANSLATION = {
    **{ord(sign): BULLET for sign in _BULLET_SIGNS},
    **{ord(radical): sign for radical, sign in zip(_SHAPES[::2], _SHAPES[1::2], strict=True)},
}
_MAPPED = re.compile("[\u2f00-\u2fd5\ufb00-\ufb06\uf900-\ufaff]")
_UNREADABLE = re.compile(
    "[\ue000-\uf8ff\ufffc-\uffff\x00-\x08\x0b-\x1f\x7f-\x9f]|[\U000f0000-\U0010ffff]"
)
_SURROGATES = re.compile("[\ud800-\udfff]+")
_INVISIBLE = re.compile("[\u200b\u200c\u2060\ufeff]")
_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u303f\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003ffff]"
)
_SPACED = re.compile("[\u1100-\u11ff\uac00-\ud7af]")


def readable(text: str) -> str:
    """A text with plain characters for ligatures, radicals and bullets; unreadable ones stay."""
    if text.isascii():
        return text
    text = _SURROGATES.sub(_whole, text).translate(_TRANSLATION)
    text = _MAPPED.sub(lambda sign: unicodedata.normalize("NFKC", sign[0]), text)
    return _INVISIBLE.sub("", text)


def without_unreadable(text: str) -> tuple[str, int]:
    """A text without characters that have no meaning outside their font, and their number."""
    return _UNREADABLE.subn("", text)


def is_wide(sign: str) -> bool:
    """Whether a character belongs to a script with wide characters: Chinese, Japanese, Korean."""
    return bool(_WIDE.match(sign))


def is_unspaced(sign: str) -> bool:
    """Whether a character belongs to a script that has no spaces between words."""
    return is_wide(sign) and not _SPACED.match(sign)


def width(text: str) -> int:
    """The width of a text in columns; a wide character has two."""
    return len(text) + len(_WIDE.findall(text))


def _whole(half: re.Match[str]) -> str:
    """Characters from their surrogates; half a character is unreadable."""
    return half[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
