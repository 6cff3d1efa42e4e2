"""English numerals: the values of numbers that a sentence writes in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_ORDINALS = [
    "zeroth",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = (
    {word: i for i, word in enumerate(_SMALL)}
    | {word: i for i, word in enumerate(_ORDINALS)}
    | {word: 10 * i for i, word in enumerate(_TENS, 2)}
    | {f"{word[:-1]}ieth": 10 * i for i, word in enumerate(_TENS, 2)}
    | {f"{word}s": i for i, word in enumerate(_ORDINALS) if i > 2}
    | {"once": 1, "twice": 2, "half": 2, "halves": 2, "quarter": 4, "quarters": 4, "dozen": 12}
    | {"double": 2, "doubled": 2, "dual": 2, "both": 2, "either": 2, "pair": 2, "couple": 2}
    | {
        "triple": 3,
        "tripled": 3,
        "thrice": 3,
        "cubic": 3,
        "quadratic": 2,
        "quadruple": 4,
        "noon": 12,
        "midnight": 0,
    }
    | {"binary": 2, "octal": 8, "decimal": 10, "hexadecimal": 16}
)
SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
MAX_CHARACTERS = 20
"""Longer numbers in digits have no value here; they are compared as they are written."""
_TOKEN = re.compile(r"[a-z]+|\d[\d,]*(?:\.\d+)?|[^\s\w-]")


def values(text: str) -> Iterator[float]:
    """The values of all numbers in words, months included; `30 thousand` is one of them."""
    current: float | None = None
    total = 0.0
    for token in [*_TOKEN.findall(text.lower()), "."]:
        scale = SCALES.get(token.removesuffix("s").removesuffix("th"))
        number = _number(token)
        if scale and scale > 100:
            total, current = total + (current or 1) * scale, 0.0
        elif scale:
            current = (current or 1) * scale
        elif number is not None and current is not None and _continues(current, number, total):
            current += number
        elif token != "and" or current is None:
            yield from _ended(current, total)
            total, current = 0.0, number
    for number, month in enumerate(MONTHS, 1):
        if re.search(rf"\b{month}\b|\b{month[:3]}\b\.?", text):
            yield float(number)


def _ended(current: float | None, total: float) -> Iterator[float]:
    if current is not None:
        yield total + current


def _continues(current: float, number: float, total: float) -> bool:
    """Whether a number adds to the one before it: twenty | six, three hundred | six."""
    if total and not current:
        return number < 1000
    if current and current % 100 == 0:
        return number < 100
    return current >= 20 and current % 10 == 0 and 0 < number < 10


def _number(token: str) -> float | None:
    if token[0].isdigit():
        return float(token.replace(",", "")) if len(token) <= MAX_CHARACTERS else None
    return _VALUES.get(token)
