"""Numbers in digits: their canonical forms, by which numbers are compared."""

from __future__ import annotations

import re
import unicodedata

_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")


def canonical(number: str) -> str:
    """A number in ASCII digits, without thousands separators and leading zeros."""
    digits = (str(unicodedata.digit(c)) if c.isdigit() else c for c in number)
    number = "".join(digits)
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    return number.lstrip("0") or "0" if number.isdigit() else number


def plain_number(value: float) -> str:
    """A number without an exponent, and without a point if it is whole."""
    value = round(value, 6)  # 1.1万 is 11000.000000000002
    return str(int(value)) if value == int(value) else str(value)
