# ruff: noqa: RUF001 - a minus sign looks like a hyphen
"""Numbers of a sentence that are missing in its translation, and numbers that it made up.

A number of the source must arrive: in digits, or where the target is English also in words. 3万 may
be 30,000 or 30 thousand, 3月 may be March. Chinese numerals of two and more characters must arrive
too, and single ones that count something (五个); others are often no numbers (一起), so they are
allowed and not demanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import NamedTuple

from longways.translation.sanity.chinese_numerals import numerals, single_values
from longways.translation.sanity.digits import canonical, plain_number
from longways.translation.sanity.english_numerals import MONTHS, SCALES, values
from longways.translation.sanity.quantities import (
    SourceNumber,
    implied_numbers,
    quantities,
    scaled_numbers,
)

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SCALED = re.compile(rf"(?<![\d,.])(\d[\d,]{{0,19}}(?:\.\d{{1,9}})?)[ -]({'|'.join(SCALES)})s?\b")
"""A number with its scale in English: 30 thousand."""
_AM_PM = re.compile(r"(?:(?<=\d)|\b)([ap])(?:(?<=\d[apAP])m|m\b|\.m\b\.?)", re.IGNORECASE)
_MINUS = re.compile(r"[-−–](?=\d)|\b(?:minus|negative|below)\b", re.IGNORECASE)
_MONTHS = re.compile(r"\bmonths?\b")
_DATED = re.compile(r"月|\d\s?[-/.~至到]\s?\d|\d{6}")
"""Signs of a date; the 7 of 第7次 is no month."""
_MONTH_NAME = re.compile(
    rf"\b(?:{'|'.join(name for name in MONTHS if name not in ('March', 'May'))})\b"
    r"|(?<=\b(?:by|in|of|on|to) )(?:March|May)\b|\b(?:March|May)(?= \d)"
)
"""The name of a month; March and May are other words as well."""
_DAYTIME = re.compile(
    r"(?i:morning|noon|evening|night|dawn|o['’]clock)|\b(?:0?\d|1\d|2[0-3]):[0-5]\d:|\b(?:1[3-9]|2[0-3])\b"
)
"""Words and hours that tell the time of the day as AM and PM do."""
SPELLED_MAX = 12
"""Numbers up to this value are often written in words, which only English is parsed for."""

MAX_DIGITS = 15
"""Longer numbers are compared as they are written."""


class NumberCheck(NamedTuple):
    """What is wrong with the numbers of a translation."""

    missing: tuple[SourceNumber, ...]
    foreign: tuple[tuple[int, int], ...]
    """Spans of numbers in the translation that the source does not have."""
    wrong_daytime: tuple[int, int] | None = None
    """The span of an AM that should be PM, or of the reverse."""

    @property
    def is_right(self) -> bool:
        """Whether no number is missing or made up."""
        return not self.missing and not self.foreign and not self.wrong_daytime


def check_numbers(
    source: str,
    translation: str,
    languages: tuple[str, str],
    terms: Sequence[tuple[str, str]] = (),
) -> NumberCheck:
    """Compare the numbers of a sentence and its translation.

    The numbers in the sources of glossary `terms` need not arrive, and those in their targets may.
    """
    english = languages[1].lower().startswith("en")
    wanted = list(source_numbers(source, languages[0]))
    digits = _in_digits(translation, english=english)
    arrived = set(digits) | _parts(set(digits) - {one.value for one in wanted})
    if english:
        arrived |= {plain_number(value) for value in values(translation)}
    lost = _lost_signs(translation) if english else frozenset()
    missing = [one for one in wanted if not one.is_in(arrived) or not lost.isdisjoint(one.signs)]
    missing = [one for one in missing if not _is_in_term(one, source, terms)]
    if not english:
        missing = [one for one in missing if not _may_be_spelled(one.value)]
    scaled = {number for number, span in digits.items() if translation[span[1] - 1].isalpha()}
    foreign = list(_foreign(source, wanted, digits, scaled, languages))
    if english:
        foreign += _months_as_days(wanted, translation)
        foreign += _made_up_months(source, wanted, translation, languages[0])
    allowed = {canonical(number) for _, target in terms for number in _NUMBER.findall(target)}
    foreign = [span for span in foreign if canonical(translation[slice(*span)]) not in allowed]
    daytime = _wrong_daytime(wanted, translation) if english else None
    return NumberCheck(tuple(missing), tuple(foreign), daytime)


def _is_in_term(number: SourceNumber, source: str, terms: Sequence[tuple[str, str]]) -> bool:
    """Whether a number of the source has a character of a glossary term."""
    places = (place.span() for term, _ in terms for place in re.finditer(re.escape(term), source))
    return any(start < number.end and number.start < end for start, end in places)


def source_numbers(source: str, language: str) -> Iterator[SourceNumber]:
    """The numbers of a source sentence that its translation must have."""
    chinese = _is_chinese(language)
    found = list(quantities(source) if chinese else scaled_numbers(source))
    taken = {place for one in found for place in range(one.start, one.end)}
    yield from found
    for match in _NUMBER.finditer(source):
        if match.start() not in taken:
            yield SourceNumber(*match.span(), canonical(match[0]))
    for run, value in numerals(source) if chinese else ():
        if run.start() not in taken and run.end() - 1 not in taken:
            yield SourceNumber(*run.span(), str(value), read=str(value))


def with_readable_numbers(source: str, language: str) -> str:
    """A sentence with its numbers in the form that a model reads best: 百分之五十 as 50%."""
    numbers = (one for one in source_numbers(source, language) if one.read)
    for one in sorted(numbers, reverse=True):
        source = f"{source[: one.start].rstrip()} {one.read} {source[one.end :].lstrip()}"
    return source.strip()


def _in_digits(translation: str, *, english: bool) -> dict[str, tuple[int, int]]:
    """The numbers of a translation that are written in digits, with their scales, and spans."""
    found = dict[str, tuple[int, int]]()
    scaled = _SCALED.finditer(translation) if english else ()
    spans = {match.start(): match for match in scaled if len(match[1]) <= MAX_DIGITS}
    for match in _NUMBER.finditer(translation):
        scale = spans.get(match.start())
        if scale:
            number = float(scale[1].replace(",", "")) * SCALES[scale[2]]
            found[plain_number(number)] = scale.span()
        else:
            found[canonical(match[0])] = match.span()
    return found


def _foreign(
    source: str,
    wanted: Sequence[SourceNumber],
    digits: Mapping[str, tuple[int, int]],
    scaled: Set[str],
    languages: tuple[str, str],
) -> Iterator[tuple[int, int]]:
    """Numbers in digits that stand for nothing in the source; `scaled` ones have a scale."""
    allowed = {part for one in wanted for reading in one.readings for part in reading}
    allowed |= {one.value for one in wanted}
    whole = frozenset(allowed)
    allowed |= _parts(allowed) | _in_scales(allowed)
    if _is_chinese(languages[0]):
        allowed |= {str(value) for value in single_values(source)} | implied_numbers(source)
    elif languages[0].lower().startswith("en"):
        allowed |= {plain_number(value) for value in values(source)}
    for number, span in digits.items():
        known = whole if number in scaled else allowed
        if number not in known and not _parts([number]) <= known:
            yield span


def _lost_signs(translation: str) -> frozenset[str]:
    """Signs without which only the digits of a number arrive: 5 for -5, five months for May."""
    lost = set[str]() if _MINUS.search(translation) else {"-"}
    if _MONTHS.search(translation):
        lost |= {name for name in MONTHS if name[:3] not in translation}
    if not _DAYTIME.search(translation) and not _AM_PM.search(translation):
        lost |= {"AM", "PM"}
    return frozenset(lost)


def _months_as_days(wanted: Sequence[SourceNumber], translation: str) -> Iterator[tuple[int, int]]:
    """The number of a month that stands behind its name: May 5 for 5月."""
    others = {one.value for one in wanted if not one.is_month}
    months = {one.value: one for one in wanted if one.is_month and one.value not in others}
    for month in months.values():
        again = re.search(
            rf"\b{month.in_english},? (0?{month.value}(?:[a-zA-Z]\w?)?)(?![\w:])", translation
        )
        if again:
            yield again.span(1)


def _made_up_months(
    source: str, wanted: Sequence[SourceNumber], translation: str, language: str
) -> Iterator[tuple[int, int]]:
    """The names of months in a translation whose source has neither their number nor their name."""
    known = implied_numbers(source)
    if _DATED.search(source):
        known |= {part for one in wanted for part in (one.value, *_parts([one.value]))}
        known |= {str(value) for value in single_values(source)}
    for match in _MONTH_NAME.finditer(translation) if _is_chinese(language) else ():
        number = str(MONTHS.index(match[0]) + 1)
        if number not in known and match[0][:3].lower() not in source.lower():
            yield match.span()


def _wrong_daytime(wanted: Sequence[SourceNumber], translation: str) -> tuple[int, int] | None:
    """An AM of a translation whose source has only times in the afternoon, or the reverse."""
    said = {one.daytime for one in wanted if one.daytime}
    for match in _AM_PM.finditer(translation):
        if said and f"{match[1].upper()}M" not in said:
            return match.span()
    return None


def _parts(numbers: object) -> set[str]:
    """The numbers between the points of versions and addresses, and around decimal points."""
    assert isinstance(numbers, (dict, set, list))
    return {canonical(part) for number in numbers for part in re.split("[.,]", number)}


def _in_scales(numbers: set[str]) -> set[str]:
    """The numbers before a scale: 30 of 30 thousand."""
    whole = [int(number) for number in numbers if _is_whole(number)]
    scales = (100, 1000, 1_000_000, 1_000_000_000)
    return {plain_number(n / scale) for n in whole for scale in scales if n >= scale}


def _is_chinese(language: str) -> bool:
    return language.lower().startswith(("zh", "yue"))


def _may_be_spelled(number: str) -> bool:
    return _is_whole(number) and int(number) <= SPELLED_MAX


def _is_whole(number: str) -> bool:
    """Whether it is a whole number that is short enough to compute with."""
    return number.isdigit() and len(number) <= MAX_DIGITS
