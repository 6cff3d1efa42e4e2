# ruff: noqa: RUF001 - a Chinese zero looks like a letter
"""Chinese numerals: the values of numbers that a sentence writes in characters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.translation.sanity.digits import canonical

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}
_TENS = {"廿": 20, "卅": 30}
_DIMENSIONS = {"单": 1, "平面": 2, "双": 2, "立体": 3, "十六进制": 16}
_PLAIN = str.maketrans("兩萬億點負個號鐘時", "两万亿点负个号钟时")
"""Traditional characters of numbers and of the words beside them."""
_FORMAL = str.maketrans("壹贰貳叁參肆伍陆陸柒捌玖拾佰仟", "一二二三三四五六六七八九十百千")
_FORMAL_RUN = re.compile("[壹贰貳叁參肆伍陆陸柒捌玖拾佰仟零万亿]{2,}")
_FORMAL_UNIT = re.compile("[壹贰貳叁參肆伍陆陸柒捌玖][拾佰仟万亿]")
NUMERAL = "零〇一二三四五六七八九两十百千万亿廿卅"
"""The characters of numerals, as the inside of a character class."""
_RUN = re.compile(f"[{NUMERAL}]+")
_WORDS = re.compile(
    "十分(?!钟|之|钱)|万一|千万(?=不|要|别)|一一|百分|千百|成千上万|一十|七十二变|十六进制"
)
"""Words that are written like numbers."""
_CHAPTER = re.compile("第[一二三四五六七八九十][章节卷篇讲课回届]")
_ABOUT = re.compile("[数几]")
"""Before a unit it makes a number vague: 数十万, 几十万."""

MIN_DIGITS = 4
"""Digits without units are a number from this length on, as in 二〇二四; 三四 means about four."""

MAX_CHARACTERS = 30
"""Longer runs are no numbers."""


def in_plain_characters(text: str) -> str:
    """A text of the same length with numerals in plain characters: 壹佰 is 一百, 兩 is 两."""

    def plain(run: re.Match[str]) -> str:
        return run[0].translate(_FORMAL) if _FORMAL_UNIT.search(run[0]) else run[0]

    return _FORMAL_RUN.sub(plain, text.translate(_PLAIN))


def numerals(text: str) -> Iterator[tuple[re.Match[str], int]]:
    """The numerals with their values: of two and more characters, or of a chapter, 第九章."""
    text = in_plain_characters(text)
    words = {place for match in _WORDS.finditer(text) for place in range(*match.span())}
    for run in _RUN.finditer(text):
        if words.issuperset(range(*run.span())):
            continue
        is_vague = run[0][0] in _UNITS and _ABOUT.match(text[run.start() - 1 : run.start()])
        is_numeral = 1 < len(run[0]) <= MAX_CHARACTERS and not is_vague
        found = value(run[0]) if is_numeral else _of_chapter(text, run)
        if found is not None:
            yield run, found


def _of_chapter(text: str, run: re.Match[str]) -> int | None:
    """The value of a numeral of one character in 第九章, which is a number for certain."""
    is_one = len(run[0]) == 1 and _CHAPTER.fullmatch(text, run.start() - 1, run.end() + 1)
    return (_DIGITS | _UNITS)[run[0]] if is_one else None


def single_values(text: str) -> set[int]:
    """The values of numerals of one character, most of which are no numbers: 一, 两, 十.

    Words that are often written in digits count too: 平面 is 2D.
    """
    known = _DIGITS | _UNITS | _MYRIADS | _TENS
    text = in_plain_characters(text)
    found = {known[run[0]] for run in _RUN.finditer(text) if len(run[0]) == 1}
    return found | {value for word, value in _DIMENSIONS.items() if word in text}


def amount(number: str) -> str | None:
    """The value of a number in digits or in characters, 三 and 百 included, as digits."""
    if number[:1].isdigit():
        return canonical(number)
    known = _DIGITS | _UNITS | _MYRIADS | _TENS
    found = known.get(number) if len(number) == 1 else value(number) if number else None
    return None if found is None else str(found)


def value(numeral: str) -> int | None:
    """The value of a numeral; None if it is not well formed or only a row of digits."""
    if all(c in _DIGITS for c in numeral):
        return int("".join(str(_DIGITS[c]) for c in numeral)) if _is_year(numeral) else None
    if numeral[0] not in _DIGITS and numeral[0] not in "十廿卅":
        return None
    total = section = digit = 0
    for c in numeral:
        if c in _DIGITS:
            digit = _DIGITS[c]
        elif c in _TENS:
            section += _TENS[c]
        elif c in _UNITS:
            section, digit = section + (digit or 1) * _UNITS[c], 0
        else:
            total, section, digit = (total + section + digit) * _MYRIADS[c], 0, 0
    return total + section + digit * _last_unit(numeral)


def _last_unit(numeral: str) -> int:
    """What a last digit counts: 一千五 is 1500, 一千零五 is 1005."""
    unit = (_UNITS | _MYRIADS).get(numeral[-2], 10) if len(numeral) > 1 else 10
    return unit // 10


def _is_year(digits: str) -> bool:
    return len(digits) >= MIN_DIGITS or "〇" in digits
