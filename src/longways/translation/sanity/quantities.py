# ruff: noqa: RUF001 - Chinese zeros and signs look like ASCII ones
"""Quantities: Chinese numbers that need the words around them, such as 百分之五十.

Percentages, fractions, decimals, times of day, dates, negative numbers, and numbers with a scale
(100 万) or a unit (三千克, 五个). Each has the numbers that a translation must have, and the form
in which a model reads it best.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from longways.translation.sanity.chinese_numerals import NUMERAL, amount, in_plain_characters
from longways.translation.sanity.digits import plain_number
from longways.translation.sanity.english_numerals import MONTHS

_N = rf"(?:\d{{1,15}}(?:[.,]\d{{1,9}}){{0,5}}|[{NUMERAL}]{{1,12}})"
_DIGITS = "[零〇一二三四五六七八九]{1,9}"
_DAYTIME = "凌晨|清晨|早上|早晨|上午|中午|下午|午后|傍晚|晚上|夜里|今晚|明晚"

_PART = re.compile(
    r"(?<![\d.])(\d{1,3}(?:,\d{3}){1,4}(?!\d)|\d{1,15}(?:\.\d{1,9})?)(?:"
    r"\s?[多余]?([十百千]?)\s?([万亿])(?!能|一[^千百])|([十百千])(?![分度米克瓦赫字兆帕卡伏问])"
    r"|\s?(thousand|million|billion)s?\b)"
)
"""A number with its scale: 3亿, 5千万, 5千, 100 万."""
_SCALED = re.compile(rf"(?:{_PART.pattern}){{1,4}}")
"""Several of them: 1万5千, 3亿5千万."""
_SCALES = {"": 1, "十": 10, "百": 100, "千": 1000, "万": 10**4, "亿": 10**8}
_SCALES |= {"thousand": 1000, "million": 10**6, "billion": 10**9}

_OLD_YEAR = re.compile(rf"民[国國]\s?({_N})\s?年")
_SHARE = re.compile(rf"([百千])分之({_N})(?:点({_DIGITS}))?")
_FRACTION = re.compile(rf"(?<![百千万点\d])({_N})分之({_N})")
_DECADE = re.compile(rf"({_N})\s?世[纪紀]\s?({_N})\s?年代")
"""20世纪70年代: the 1970s."""
_LAST_DECADE = re.compile(rf"上世[纪紀]\s?({_N})\s?年代")
_CLOCK = re.compile(
    rf"({_DAYTIME})?\s?({_N})\s?(?:[点时時](整|[钟鐘])?|:(?=\d\d))"
    rf"(?:\s?({_N})(\s?分)?(?![年月日个百千万亿]))?(半|[一三]刻)?"
)
_DATE = re.compile(rf"(?<![\d几数历曆])({_N})\s?月(?:\s?({_N})\s?[日号])?")
_UNIT = re.compile(rf"({_N})\s?千(克|米|瓦|赫|字节)")
_UNITS = {"克": "kg", "米": "km", "瓦": "kW", "赫": "kHz", "字节": "KB"}
_DECIMAL = re.compile(
    rf"({_N})点({_DIGITS})(?<!点一(?=[定般样起些直旦致个]))(?![十百分刻半\d])([万亿]?)"
)
_NEGATIVE = re.compile(rf"(?:零下|负)\s?({_N})|(?:(?<![!-~])|(?<=[=(<>:]))[-−－](\d+(?:\.\d+)?)")
_COUNTED = re.compile(
    rf"(?<![{NUMERAL}几数多每点之\d])([二两三四五六七八九十])(?=\s?(?:"
    "[个名台条项种类章节步倍天年周秒页行列层组份张块件段位]|小时|分钟|字节|次(?![方函角插增曲样多])))"
)
"""A numeral of one character that counts something."""
_HOUR = re.compile(rf"{_N}\s?(?:[点时時點]|[:：]00)")
_CENTURY = re.compile(rf"({_N})\s?世[纪紀]")
_TENTHS = re.compile(rf"({_N})成|({_N})折")
_HOLIDAYS = {"元旦": "1", "正月": "1", "劳动节": "5", "儿童节": "6", "国庆": "10", "冬月": "11"}
_HOLIDAYS |= {"腊月": "12", "圣诞": "12", "勞動節": "5", "兒童節": "6", "國慶": "10", "臘月": "12"}
"""Words for which a translation may name a month."""
_SHORT_YEAR = re.compile(r"(?<![\d零〇一二三四五六七八九])(\d\d|[零〇一二三四五六七八九]{2})\s?年")


class SourceNumber(NamedTuple):
    """A number of the source."""

    start: int
    end: int
    value: str
    """Its canonical form in digits."""
    readings: tuple[tuple[str, ...], ...] = ()
    """Sets of numbers that say the same: 1970, or 20 and 70 for 20世纪70年代."""
    written: str = ""
    """How English writes it, if not in digits: March, 50%, 1 billion, 3:30 PM."""
    read: str = ""
    """How a model reads it best, if not as it is written."""
    is_month: bool = False
    is_negative: bool = False
    daytime: str = ""
    """AM or PM, if the source says so."""

    def is_in(self, arrived: set[str]) -> bool:
        """Whether it is among the numbers of a translation."""
        return any(arrived.issuperset(one) for one in self.readings or ((self.value,),))

    @property
    def signs(self) -> tuple[str, ...]:
        """What a translation must have beside the digits: a minus, a month's name, AM or PM."""
        signs = {"-": self.is_negative, self.written: self.is_month, self.daytime: self.daytime}
        return tuple(sign for sign, is_needed in signs.items() if is_needed)

    @property
    def in_english(self) -> str:
        """How to write the number in English."""
        return self.written or self.value


def quantities(source: str) -> Iterator[SourceNumber]:
    """The quantities of a sentence, none inside another."""
    text, taken = in_plain_characters(source), set[int]()
    for pattern, kind in _KINDS:
        for match in pattern.finditer(text):
            if taken.isdisjoint(range(*match.span())):
                found = list(kind(match))
                yield from found
                taken.update(*(range(one.start, one.end) for one in found))


def scaled_numbers(source: str) -> Iterator[SourceNumber]:
    """Only the numbers with a scale, which several languages write."""
    return (one for match in _SCALED.finditer(source) for one in _scaled(match))


def _scaled(match: re.Match[str]) -> Iterator[SourceNumber]:
    total = 0.0
    for number, unit, scale, small, word in _PART.findall(match[0]):
        total += float(number.replace(",", "")) * _SCALES[unit] * _SCALES[scale or small or word]
    value = plain_number(total)
    yield SourceNumber(*match.span(), value, written=_in_words(value), read=_in_words(value))


def _old_year(match: re.Match[str]) -> Iterator[SourceNumber]:
    """A year of the Republic of China: 民国113年 is 2024."""
    year = amount(match[1])
    if year and year.isdigit():
        ours = str(int(year) + 1911)
        yield SourceNumber(*match.span(), year, ((year,), (ours,)), ours, f"{ours} 年")


def _share(match: re.Match[str]) -> Iterator[SourceNumber]:
    number = _decimal_value("一百" if match[2] == "百" else match[2], match[3])
    if number is None:
        return
    if match[1] == "百":
        yield SourceNumber(*match.span(), number, written=f"{number}%", read=f"{number}%")
    else:
        share = plain_number(float(number) / 10)
        readings = ((number,), (share,))
        yield SourceNumber(*match.span(), number, readings, f"{share}%", f"{share}%")


def _fraction(match: re.Match[str]) -> Iterator[SourceNumber]:
    below, above = amount(match[1]), amount(match[2])
    if below and above:
        readings = ((above, below), *([(below,)] if above == "1" else []))
        written = f"{above}/{below}"
        yield SourceNumber(*match.span(), above, readings, written, written)


def _decade(match: re.Match[str]) -> Iterator[SourceNumber]:
    century, decade = (amount(one) for one in (match[1], match[2]))
    if century and decade and century.isdigit() and decade.isdigit():
        year = str((int(century) - 1) * 100 + int(decade))
        readings = ((year,), (century, decade))
        yield SourceNumber(*match.span(), year, readings, f"{year}s", f"{year} 年代")


def _last_decade(match: re.Match[str]) -> Iterator[SourceNumber]:
    decade = amount(match[1])
    if decade and decade.isdigit() and int(decade) < 100:
        year = str(1900 + int(decade))
        yield SourceNumber(*match.span(), year, ((year,), (decade,)), f"{year}s", f"{year} 年代")


def _clock(match: re.Match[str]) -> Iterator[SourceNumber]:
    """A time of day, which has more than 点: 三点 may mean three points."""
    said, whole, minutes, unit, part = match[1], match[3], match[4], match[5], match[6]
    hour = amount(match[2]) or ""
    minute = {"半": "30", "一刻": "15", "三刻": "45"}.get(part or "", amount(minutes or "零"))
    is_decimal = minutes and len(minutes) == 1 and not (unit or said)
    is_time = hour.isdigit() and int(hour) <= 24 and minute and minute.isdigit()
    if is_decimal or not is_time or not (said or whole or minutes or part) or int(minute or 0) > 59:
        return
    minute = minute or "0"
    daytime = _am_or_pm(said or "", int(hour))
    written = f"{hour}:{int(minute):02}" if int(minute) or not daytime else hour
    written = f"{written} {daytime}".strip()
    rest = [(minute,), *([("2",)] if part == "半" else []), *([("4",)] if part else [])]
    hours = [hour, *([str(int(hour) + 12)] if daytime == "PM" else [])]
    readings = tuple((h, *m) if int(minute) else (h,) for h in hours for m in rest)
    yield SourceNumber(*match.span(), hour, readings, written, written, daytime=daytime)


def _am_or_pm(said: str, hour: int) -> str:
    if said in ("凌晨", "清晨", "早上", "早晨", "上午"):
        return "AM" if 0 < hour < 12 else ""
    if said in ("下午", "午后", "傍晚"):
        return "PM" if hour < 12 else ""
    if said == "中午":
        return "PM" if hour in (12, 1, 2) else ""
    return "PM" if said and 5 <= hour < 12 else ""


def _date(match: re.Match[str]) -> Iterator[SourceNumber]:
    month, day = amount(match[1]), amount(match[2] or "")
    if month and month.isdigit() and 1 <= int(month) <= 12:
        name = MONTHS[int(month) - 1]
        yield SourceNumber(*match.span(1), month, written=name, read=month, is_month=True)
        if day:
            yield SourceNumber(*match.span(2), day, read=day)


def _unit(match: re.Match[str]) -> Iterator[SourceNumber]:
    number = amount(match[1])
    if number:
        readings = ((number,), (plain_number(float(number.replace(",", "")) * 1000),))
        written = f"{number} {_UNITS[match[2]]}"
        yield SourceNumber(*match.span(), number, readings, written, written)


def _decimal(match: re.Match[str]) -> Iterator[SourceNumber]:
    number = _decimal_value(match[1], match[2])
    if number:
        value = plain_number(float(number) * _SCALES[match[3]]) if match[3] else number
        yield SourceNumber(*match.span(), value, written=_in_words(value), read=_in_words(value))


def _counted(match: re.Match[str]) -> Iterator[SourceNumber]:
    number = amount(match[1]) or ""
    yield SourceNumber(*match.span(), number, read=number)


def _negative(match: re.Match[str]) -> Iterator[SourceNumber]:
    number = amount(match[1] or match[2])
    if number:
        written = f"-{number}"
        yield SourceNumber(*match.span(), number, (), written, written, is_negative=True)


def implied_numbers(source: str) -> set[str]:
    """Numbers that a translation may have for words of the source: 80% for 八成, 30 for 半."""
    found = {"30", "0.5", "1.5", "50"} if "半" in source else set()
    found |= {"0"} if _HOUR.search(source) else set()
    found |= {month for word, month in _HOLIDAYS.items() if word in source}
    for match in _CENTURY.finditer(source):
        century = amount(match[1])
        found |= {str(100 * (int(century) - 1))} if century and century.isdigit() else set()
    for match in _TENTHS.finditer(source):
        number = amount(match[1] or match[2])
        if number and number.isdigit() and int(number) < 10:
            found |= {str(10 * int(number)), str(100 - 10 * int(number))}
    for match in _SHORT_YEAR.finditer(source):
        digits = "".join(amount(digit) or "" for digit in match[1])
        found |= {f"19{digits}", f"20{digits}"}
    return found


def _decimal_value(whole: str, digits: str | None) -> str | None:
    """The value of 九十九点九, whose digits may be missing."""
    number = amount(whole)
    if number is None or not digits:
        return number
    return f"{number}.{''.join(amount(digit) or '' for digit in digits)}"


def _in_words(value: str) -> str:
    """A large round number in English: 1.4 billion; others with commas."""
    for scale, word in ((10**9, "billion"), (10**6, "million")):
        number = float(value) / scale
        if number >= 1 and number * 10 == int(number * 10):
            return f"{number:g} {word}" if number < 10_000 else value
    return f"{int(value):,}" if value.isdigit() and len(value) > 4 else value


_KINDS = [
    (_OLD_YEAR, _old_year),
    (_SHARE, _share),
    (_FRACTION, _fraction),
    (_DECADE, _decade),
    (_LAST_DECADE, _last_decade),
    (_CLOCK, _clock),
    (_DATE, _date),
    (_UNIT, _unit),
    (_SCALED, _scaled),
    (_NEGATIVE, _negative),
    (_DECIMAL, _decimal),
    (_COUNTED, _counted),
]
"""In the order in which they are looked for; a later one has no characters of an earlier one."""
