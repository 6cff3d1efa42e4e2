"""Whether the numbers of a sentence pair differ, in digits.

A number may be written in words, with another scale (3万, 30 thousand) or in part (the 90s). So two
things count: both sides have numbers of two and more digits that the other lacks, or one side lacks
a number of four and more digits.
"""

from __future__ import annotations

import re
import unicodedata

_NUMBER = re.compile(r"\d+(?:[.,'\u2009\u202f\u00a0]\d+)*")
_NO_DIGIT = re.compile(r"\D")
MAX_NUMBERS = 200
"""A text with more numbers is a table, and is kept."""
MIN_DIGITS, MIN_LONELY_DIGITS = 2, 4


def numbers_differ(source: str, target: str) -> bool:
    """Whether the two sides of a pair cannot mean the same numbers."""
    ours, theirs = numbers(source), numbers(target)
    if ours == theirs or max(len(ours), len(theirs)) > MAX_NUMBERS:
        return False
    missing = {number for number in ours if not _is_among(number, theirs)}
    foreign = {number for number in theirs if not _is_among(number, ours)}
    long = [[n for n in side if len(n) >= MIN_DIGITS] for side in (missing, foreign)]
    return all(long) or any(len(n) >= MIN_LONELY_DIGITS for n in missing | foreign)


def numbers(text: str) -> set[str]:
    """The numbers of a text, by their digits: 1,000.5 is 10005, and so is 1.000,5."""
    return {_digits(number) for number in _NUMBER.findall(text)}


def _digits(number: str) -> str:
    digits = "".join(str(unicodedata.digit(c)) for c in _NO_DIGIT.sub("", number))
    return digits.lstrip("0") or "0"


def _is_among(number: str, others: set[str]) -> bool:
    """Whether a number, or one that it may be written as, is among others."""
    if number in others:
        return True
    short = number.rstrip("0")
    if len(number) < 3 and {str(int(number) + 12), str(int(number) - 12)} & others:
        return True  # an hour of the afternoon
    return any(
        other.rstrip("0") == short
        or (len(other) > 1 and number.endswith(other))
        or (len(number) > 1 and other.endswith(number))
        for other in others
    )
