# ruff: noqa: RUF001, RUF002 - the full-width colon looks like an ASCII one
"""Gaps within a line: runs of spaces that separate texts, as in forms and lists of authors.

Each text between gaps is translated by itself, and the gaps are kept. So is each block of HTML in a
text that holds several. A gap inside a label that was
spaced out to a width, as in `日  期：`, separates nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from longways.text.sentences.languages import has_spaces

_SPACE = "[ \t\u00a0\u2003\u3000]"
_WIDE = "[０-９Ａ-Ｚａ-ｚ]"
_GAPS = {
    True: re.compile(f"{_SPACE}{{3,}}|\t+"),  # two spaces often follow a full stop
    False: re.compile(f"{_SPACE}{{2,}}|\t+|(?<!{_WIDE})\u3000|\u3000(?!{_WIDE})"),
}
"""By whether the language writes spaces between words."""

_BEFORE_SIGN = re.compile(r"(?<=\w)[ \t\u3000]+(?=[^\w\s])|(?<=\w)[ \t\u3000]+(?=[①-⓿❶-➓])")
_CIRCLED = re.compile("[①-⓿❶-➓㈠-㈩㊀-㊉]")
_ITEM = re.compile(r"(?<=[\w)）」”]{2})(?<![和与與或及到至])(?=[①-⓿❶-➓㈠-㈩㊀-㊉])")
"""The place before an item of a list without spaces: ①准备②安装."""
_LEADER = re.compile(r"(?<=[^\W_])\s*(?:…{3,}|[.．·・_＿-]{5,})\s*[0-9０-９ivxIVX]{1,8}\s*$")
"""The dots between a heading and its page in a table of contents."""
_BLANK = re.compile(r"[:：]\s?[_＿]{2,}(?=[^\W\d_])")
"""A blank of a form, with the next label behind it."""

BLOCK_TAGS = (
    "(?:p|div|ul|ol|li|dl|dt|dd|table|caption|thead|tbody|tfoot|tr|td|th|h[1-6]|option|select"
    "|section|article|header|footer|main|nav|form|fieldset|legend|blockquote|pre|title)"
)
"""Names of the elements of HTML that begin a line of their own."""
_BLOCK_END = re.compile(rf"</{BLOCK_TAGS}>(?=\s*<{BLOCK_TAGS}[\s>])", re.IGNORECASE)
"""The end of a block of HTML with another block behind it, in a text that holds markup."""

_HAN = "[\u3400-\u9fff]"
_TITLE = "(?![年月日时分秒一二三四五六七八九十甲乙丙丁男女是否有无上下左右])" + _HAN
_SPACED_LABEL = re.compile(
    f"(?<![^\\s:：]){_HAN}(?:{_SPACE}{{1,8}}{_HAN}){{1,3}}(?={_SPACE}*[:：])"
    f"|(?<!.){_TITLE}(?:{_SPACE}{{1,8}}{_TITLE}){{1,9}}(?=\\s*$)"
)
"""A label before a colon, or the title of a page that is alone on its line: 目　录."""


def gap_starts(line: str, language: str) -> Iterator[int]:
    """Offsets at which a gap between two texts begins."""
    yield from _sign_starts(line)
    if leader := _LEADER.search(line):
        yield leader.start()
    yield from (blank.end() for blank in _BLANK.finditer(line))
    yield from (block.end() for block in _BLOCK_END.finditer(line))
    gaps = _GAPS[has_spaces(language)]
    if not gaps.search(line):
        return
    labels = [match.span() for match in _SPACED_LABEL.finditer(line)]
    number = 0
    for gap in gaps.finditer(line):
        while number < len(labels) and labels[number][1] <= gap.start():
            number += 1
        inside = number < len(labels) and labels[number][0] < gap.start()
        if gap.start() and gap.end() < len(line) and not inside:
            yield gap.start()


def _sign_starts(line: str) -> Iterator[int]:
    """Offsets of the gaps in a row of texts that each begin with a sign: ✅ a ❌ b."""
    if _is_sign(line.lstrip()[:1]):
        gaps = _BEFORE_SIGN.finditer(line)
        yield from (gap.start() for gap in gaps if _is_sign(line[gap.end()]))
        yield from _items(line)


def _items(line: str) -> Iterator[int]:
    """Offsets of the items after the first in a list that counts on: ①准备②安装③运行."""
    number = ord(line.lstrip()[0])
    for item in _ITEM.finditer(line):
        if ord(line[item.start()]) == number + 1:
            number += 1
            yield item.start()


def _is_sign(character: str) -> bool:
    """Whether a character is an emoji, a bullet or a number in a circle."""
    return bool(_CIRCLED.match(character)) or unicodedata.category(character or " ") == "So"


def without_gaps_in_labels(text: str) -> str:
    """The text with its spaced-out labels written without spaces."""
    return _SPACED_LABEL.sub(lambda label: re.sub(_SPACE, "", label[0]), text)
