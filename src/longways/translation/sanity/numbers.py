"""Numbers of a sentence that are missing in its translation, and numbers that it made up.

A number of the source must arrive: in digits, or where the target is English also in words. 3万 may
be 30,000 or 30 thousand, 3月 may be March. Chinese numerals of two and more characters must arrive
too; single ones are often no numbers (一个, 一起), so they are allowed and not demanded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from longways.translation.sanity.chinese_numerals import numerals, single_values
from longways.translation.sanity.english_numerals import MONTHS, values

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_SCALES = {"万": 10_000, "亿": 100_000_000}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_PART = re.compile(r"(?<!\d)(\d{1,15}(?:\.\d{1,9})?)([十百千]?)([万亿]|(?<=[百千]))")
"""A number with its unit: 3亿, 5千万, 5千."""
_MIXED = re.compile(rf"(?:{_PART.pattern}){{2,4}}")
"""Several of them: 1万5千, 3亿5千万."""
_DECADE = re.compile(r"(\d{1,2})\s*世纪\s*(\d0)\s*年代")
"""20世纪70年代: the 1970s."""
SPELLED_MAX = 12
"""Numbers up to this value are often written in words, which only English is parsed for."""

MAX_DIGITS = 15
"""Longer numbers are compared as they are written."""


class SourceNumber(NamedTuple):
    """A number of the source."""

    start: int
    end: int
    value: str
    """Its canonical form in digits."""
    is_month: bool = False
    or_parts: tuple[str, ...] = ()
    """Numbers that together say the same: 20 and 70 for 1970."""

    def is_in(self, arrived: set[str]) -> bool:
        """Whether it is among the numbers of a translation."""
        parts = set(self.or_parts)
        return self.value in arrived or (bool(parts) and parts <= arrived)

    @property
    def written(self) -> str:
        """How to write the number in English."""
        return MONTHS[int(self.value) - 1] if self.is_month else self.value


class NumberCheck(NamedTuple):
    """What is wrong with the numbers of a translation."""

    missing: tuple[SourceNumber, ...]
    foreign: tuple[tuple[int, int], ...]
    """Spans of numbers in the translation that the source does not have."""

    @property
    def is_right(self) -> bool:
        """Whether no number is missing or made up."""
        return not self.missing and not self.foreign


def check_numbers(source: str, translation: str, languages: tuple[str, str]) -> NumberCheck:
    """Compare the numbers of a sentence and its translation."""
    english = languages[1].lower().startswith("en")
    wanted = list(source_numbers(source, languages[0]))
    digits = {_canonical(match[0]): match.span() for match in _NUMBER.finditer(translation)}
    arrived = set(digits) | _parts(digits)
    if english:
        arrived |= {_plain(value) for value in values(translation)}
    missing = [one for one in wanted if not one.is_in(arrived)]
    if not english:
        missing = [one for one in missing if not _may_be_spelled(one.value)]
    return NumberCheck(tuple(missing), tuple(_foreign(source, wanted, digits, languages)))


def source_numbers(source: str, language: str) -> Iterator[SourceNumber]:
    """The numbers of a source sentence that its translation must have."""
    compounds = list(_compounds(source))
    taken = {place for one in compounds for place in range(one.start, one.end)}
    yield from compounds
    for match in _NUMBER.finditer(source):
        if match.start() not in taken:
            yield _in_digits(source, match)
    if language.lower().startswith(("zh", "yue")):
        for run, value in numerals(source):
            month = source[run.end() : run.end() + 1] == "月" and value <= 12
            yield SourceNumber(*run.span(), str(value), month)


def _compounds(source: str) -> Iterator[SourceNumber]:
    """The numbers of several parts in digits: 1万5千, 20世纪70年代."""
    for match in _MIXED.finditer(source):
        total = sum(
            float(number) * _UNITS.get(unit, 1) * _SCALES.get(scale, 1)
            for number, unit, scale in _PART.findall(match[0])
        )
        yield SourceNumber(*match.span(), _plain(total))
    for match in _DECADE.finditer(source):
        century, decade = _canonical(match[1]), _canonical(match[2])
        year = str((int(century) - 1) * 100 + int(decade))
        yield SourceNumber(*match.span(), year, or_parts=(century, decade))


def numerals_as_digits(source: str) -> str:
    """A Chinese sentence with its numerals of several characters in digits."""
    for run, value in reversed(list(numerals(source))):
        source = f"{source[: run.start()]} {value} {source[run.end() :]}"
    return source.strip()


def _in_digits(source: str, match: re.Match[str]) -> SourceNumber:
    number, after = _canonical(match[0]), source[match.end() : match.end() + 1]
    if after in _SCALES and re.fullmatch(r"\d{1,15}(\.\d{1,9})?", number):
        number = _plain(float(number) * _SCALES[after])
    is_month = after == "月" and _is_whole(number) and 1 <= int(number) <= 12
    return SourceNumber(*match.span(), number, is_month)


def _foreign(
    source: str,
    wanted: list[SourceNumber],
    digits: dict[str, tuple[int, int]],
    languages: tuple[str, str],
) -> Iterator[tuple[int, int]]:
    """Numbers in digits that stand for nothing in the source."""
    allowed = {part for one in wanted for part in (one.value, *one.or_parts)}
    allowed |= _parts(allowed) | _in_scales(allowed)
    if languages[0].lower().startswith(("zh", "yue")):
        allowed |= {str(value) for value in single_values(source)}
    elif languages[0].lower().startswith("en"):
        allowed |= {_plain(value) for value in values(source)}
    for number, span in digits.items():
        if number not in allowed and not _parts([number]) <= allowed:
            yield span


def _parts(numbers: object) -> set[str]:
    """The numbers between the points of versions and addresses, and around decimal points."""
    assert isinstance(numbers, (dict, set, list))
    return {_canonical(part) for number in numbers for part in re.split("[.,]", number)}


def _in_scales(numbers: set[str]) -> set[str]:
    """The numbers before a scale: 30 of 30 thousand."""
    whole = [int(number) for number in numbers if _is_whole(number)]
    scales = (100, 1000, 1_000_000, 1_000_000_000)
    return {_plain(n / scale) for n in whole for scale in scales if n >= scale}


def _canonical(number: str) -> str:
    """A number in ASCII digits, without thousands separators and leading zeros."""
    number = unicodedata.normalize("NFKC", number)
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    return number.lstrip("0") or "0" if number.isdigit() else number


def _plain(value: float) -> str:
    value = round(value, 6)  # 1.1万 is 11000.000000000002
    return str(int(value)) if value == int(value) else str(value)


def _may_be_spelled(number: str) -> bool:
    return _is_whole(number) and int(number) <= SPELLED_MAX


def _is_whole(number: str) -> bool:
    """Whether it is a whole number that is short enough to compute with."""
    return number.isdigit() and len(number) <= MAX_DIGITS
