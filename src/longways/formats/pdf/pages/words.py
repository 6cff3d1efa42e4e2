"""The words of a page: characters that stand together in one style, with their places.

Places are in points, x to the right and y down, on a page that is turned until most of its text is
upright. A word in Chinese may be a whole line. It ends where the style or the link changes.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longways.formats.pdf.pages.characters import BULLET, readable, without_unreadable
from longways.formats.pdf.pages.fonts import Fonts, Style, TextObject

_ASCENT, _DESCENT = 0.75, 0.2
"""The height of text above and below its baseline, in units of its size."""
_BASELINE_SHIFT, _SPACE_GAP, _BACK_GAP = 0.2, 0.3, 0.4
"""What ends a word, in units of its size."""
_LINE_SHIFT = 0.6
"""How far raised and lowered words are from the baseline of a line."""
_OCR_SHARE = 5
"""A page is a scan with invisible text if it has this many times less visible text."""
_NO_SIGNS = (0, 0xFFFE, 0xFFFF)
_LAST_SIGN = 0x10FFFF
_LINE_HYPHEN = 2
"""PDFium's code for a hyphen at the end of a line."""
_LINK_ROW, _MAX_LINK_ROWS = 8.0, 400
"""The height of a row in which links are looked for, in points; a link is in fewer than these."""
MAX_CHARACTERS = 1_000_000
"""The most characters of one page that are read."""


@dataclass(frozen=True, slots=True)
class Link:
    """The place of a link on a page, and its address."""

    left: float
    bottom: float
    right: float
    top: float
    address: str


@dataclass(frozen=True, slots=True)
class Word:
    """Characters in one style without a space between them."""

    text: str
    left: float
    right: float
    base: float
    style: Style
    place: int
    """Its number in the order of the file."""
    spaced: bool
    """Whether a space is before it in the order of the file."""
    link: str = ""
    heading: int = 0
    """The level of the heading that it belongs to, by the tags of the document; 0 without one."""
    is_artifact: bool = False
    """Whether it is marked as no part of the text."""

    @property
    def size(self) -> float:
        """The size of its font."""
        return self.style.size

    @property
    def top(self) -> float:
        """The upper edge of its letters."""
        return self.base - _ASCENT * self.style.size

    @property
    def bottom(self) -> float:
        """The lower edge of its letters."""
        return self.base + _DESCENT * self.style.size


@dataclass(frozen=True)
class PageWords:
    """The words of a page."""

    words: list[Word]
    """Upright words in the order of the file."""
    turned: list[list[Word]]
    """Words in other directions, each direction by itself."""
    angle: int
    """By how many degrees the page was turned."""
    unreadable: int
    """Characters that have no meaning outside their font."""


@dataclass(slots=True)
class _Built:
    """The characters of a word, as they are collected."""

    codes: list[int]
    left: float
    right: float
    base: float
    text: TextObject
    spaced: bool
    link: str
    last: float
    """Where its last character begins."""


def read_words(
    raw: Any, text: Any, links: Sequence[Link], headings: Mapping[int, int]
) -> PageWords:
    """The words of a page from its text in PDFium."""
    shown: dict[int, list[Word]] = {}
    hidden: dict[int, list[Word]] = {}
    unreadable = 0
    for place, built in enumerate(_Reader(raw, text, links).words()):
        signs, lost = without_unreadable(readable("".join(map(chr, built.codes))))
        unreadable += lost
        if signs.strip():
            group = hidden if built.text.hidden else shown
            group.setdefault(built.text.angle, []).append(_word(signs, place, built, headings))
    found = hidden if _letters(hidden) > _OCR_SHARE * _letters(shown) else shown
    sizes = Counter({angle: sum(len(w.text) for w in words) for angle, words in found.items()})
    main = sizes.most_common(1)[0][0] if sizes else 0
    others = [words for angle, words in sorted(found.items()) if angle != main]
    return PageWords(found.get(main, []), others, main, unreadable)


def turned(x: float, y: float, angle: int) -> tuple[float, float]:
    """A point of a page in PDF coordinates, after the page is turned; y is down."""
    if angle == 0:
        return x, -y
    sine, cosine = math.sin(math.radians(angle)), math.cos(math.radians(angle))
    return x * cosine + y * sine, x * sine - y * cosine


def _is_letter(code: int) -> bool:
    return 0x20 < code < 0x2500


def _letters(words: dict[int, list[Word]]) -> int:
    return sum(len(word.text) for group in words.values() for word in group)


def _word(signs: str, place: int, built: _Built, headings: Mapping[int, int]) -> Word:
    return Word(
        signs,
        built.left,
        built.right,
        built.base,
        built.text.style,
        place,
        built.spaced,
        built.link,
        headings.get(built.text.tag, 0),
        built.text.is_artifact,
    )


class _Reader:
    """Reads the characters of a page one by one."""

    def __init__(self, raw: Any, text: Any, links: Sequence[Link]) -> None:
        self.raw, self.text = raw, text
        self.links = _by_height(links)
        self.fonts = Fonts(raw, text)
        self._box = raw.FS_RECTF()
        self._x, self._y = ctypes.c_double(), ctypes.c_double()

    def words(self) -> Iterator[_Built]:
        """The words in the order of the file."""
        word: _Built | None = None
        spaced = True
        for index, code, style in self._signs():
            if style is None:
                spaced = True
                continue
            left, right, base = self._place(index, style)
            link = self._link() if self.links else ""
            if word and not spaced and _continues(word, style, left, base, link):
                word.codes.append(code)
                word.right, word.last = max(word.right, right), left
                continue
            if word:
                spaced = spaced or not _touches(word, style, left, base, _LINE_SHIFT)
                yield word
            word = _Built([code], left, right, base, style, spaced, link, left)
            spaced = False
        if word:
            yield word

    def _signs(self) -> Iterator[tuple[int, int, TextObject | None]]:
        """The index, code and text object of each character; a space has no object."""
        raw, text, last = self.raw, self.text, -1
        code_of, object_of = raw.FPDFText_GetUnicode, raw.FPDFText_GetTextObject
        style: TextObject | None = None
        for index in range(min(raw.FPDFText_CountChars(text), MAX_CHARACTERS)):
            code = code_of(text, index)
            if code == _LINE_HYPHEN:
                code = 0x2D
            elif code in _NO_SIGNS or code > _LAST_SIGN:
                continue
            elif chr(code).isspace():
                yield index, code, None
                continue
            entry = object_of(text, index)
            address = ctypes.addressof(entry.contents) if entry else 0
            if style is None or address != last:
                last, style = address, self.fonts.read(index, entry)
            yield index, ord(BULLET) if style.pictures and _is_letter(code) else code, style

    def _place(self, index: int, text: TextObject) -> tuple[float, float, float]:
        """The left and right edge of a character, and its baseline."""
        raw, box, angle = self.raw, self._box, text.angle
        raw.FPDFText_GetCharOrigin(self.text, index, self._x, self._y)
        raw.FPDFText_GetLooseCharBox(self.text, index, box)
        if angle == 0:
            x, base, left, right = self._x.value, -self._y.value, box.left, box.right
        else:
            x, base = turned(self._x.value, self._y.value, angle)
            left, right = x, x + text.style.size / 2
            if angle % 90 == 0:
                one, two = turned(box.left, box.bottom, angle), turned(box.right, box.top, angle)
                left, right = min(one[0], two[0]), max(one[0], two[0])
        return (left, right, base) if left < right else (x, x + text.style.size / 4, base)

    def _link(self) -> str:
        """The link under the character whose box was read last."""
        box = self._box
        x, y = (box.left + box.right) / 2, (box.bottom + box.top) / 2
        for link in self.links.get(int(y // _LINK_ROW), ()):
            if link.left <= x <= link.right and link.bottom <= y <= link.top:
                return link.address
        return ""


def _by_height(links: Sequence[Link]) -> dict[int, list[Link]]:
    """The links of each row of a page, so that a character is compared with few."""
    rows: dict[int, list[Link]] = {}
    for link in links:
        first, last = int(link.bottom // _LINK_ROW), int(link.top // _LINK_ROW)
        for row in range(first, min(last, first + _MAX_LINK_ROWS) + 1):
            rows.setdefault(row, []).append(link)
    return rows


def _continues(word: _Built, text: TextObject, left: float, base: float, link: str) -> bool:
    """Whether a character belongs to the word before it."""
    return (
        (text is word.text or text == word.text)
        and link == word.link
        and _touches(word, text, left, base)
    )


def _touches(
    word: _Built, text: TextObject, left: float, base: float, shift: float = _BASELINE_SHIFT
) -> bool:
    """Whether a character stands directly beside a word."""
    if left == word.last and base == word.base:  # one sign for several letters: a ligature
        return True
    size = max(text.style.size, word.text.style.size)
    gap = left - word.right
    return abs(base - word.base) < shift * size and -_BACK_GAP * size < gap < _SPACE_GAP * size
