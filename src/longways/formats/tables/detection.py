r"""Which dialect a table has, by its first records.

The delimiter that divides most records into the same number of cells is the likeliest: the share
of the records of each width, weighted by (width - 1) / width, divided by the number of widths, as
van den Burg et al. (2019) measure it. A first line `sep=;` and a TAB in a .tsv file decide.
csv.Sniffer of the standard library counts characters, and so finds delimiters inside of words.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from longways.formats.tables.dialect import Dialect, Quoting
from longways.formats.tables.scanner import Unclosed, records

DELIMITERS = (",", "\t", ";", "|")
"""Delimiters; of equally likely ones, the first is taken."""
SAMPLE_CHARACTERS = 1 << 16
_SEP = re.compile(r'"?sep=(.)"?(?:\r\n|\n|\r|\Z)', re.IGNORECASE)
_DECIMAL = re.compile(r"\d,\d")


class Detected(NamedTuple):
    """A dialect, and where the first record begins."""

    dialect: Dialect
    start: int


class Reading(NamedTuple):
    """How well a dialect fits the first records."""

    score: float
    faults: int
    dialect: Dialect


def detect(text: str, *, tabs: bool = False) -> Detected:
    """The dialect of a table; `tabs` if the name of the file says that TAB is the delimiter."""
    sample = _sample(text)
    named = _SEP.match(sample)
    start = named.end() if named else 0
    delimiter = named[1] if named else _delimiter(sample, tabs=tabs)
    return Detected(_quoted(text, delimiter, start, is_whole=True).dialect, start)


def _delimiter(sample: str, *, tabs: bool) -> str:
    """The likeliest delimiter."""
    if tabs:
        return "\t"
    found = [_quoted(sample, sign, 0, is_whole=False) for sign in DELIMITERS if sign in sample]
    if sum(reading.score > 0 for reading in found) > 1 and _has_decimal_commas(sample):
        found = [reading for reading in found if reading.dialect.delimiter != ","]
    best = max(found, key=lambda reading: reading.score, default=None)
    return best.dialect.delimiter if best and best.score > 0 else ","


def _sample(text: str) -> str:
    """The first lines; the last one is whole."""
    if len(text) <= SAMPLE_CHARACTERS:
        return text
    end = max(text.rfind("\n", 0, SAMPLE_CHARACTERS), text.rfind("\r", 0, SAMPLE_CHARACTERS))
    return text[: end + 1] if end > 0 else text[:SAMPLE_CHARACTERS]


def _has_decimal_commas(sample: str) -> bool:
    """Whether all commas are inside of numbers."""
    commas = sample.count(",")
    return commas > 0 and commas == len(_DECIMAL.findall(sample))


def _quoted(text: str, delimiter: str, start: int, *, is_whole: bool) -> Reading:
    """The reading with the quoting that has the fewest faults."""
    readings = [_reading(text, Dialect(delimiter), start, is_whole=is_whole)]
    others: list[Quoting] = []
    if readings[0].faults:
        others += ["backslash"] if '\\"' in text else []
        others += ["none"] if delimiter == "\t" else []
    for quoting in others:
        readings.append(_reading(text, Dialect(delimiter, quoting), start, is_whole=is_whole))
    return min(readings, key=lambda reading: (reading.faults, -reading.score))


def _reading(text: str, dialect: Dialect, start: int, *, is_whole: bool) -> Reading:
    """How a text reads; a quote that is open at the end of a sample is no fault."""
    widths, faults = Counter[int](), 0
    try:
        for cells in records(text, dialect, start):
            widths[len(cells)] += bool(cells)
            faults += any(cell.odd for cell in cells)
    except Unclosed as opened:
        faults += is_whole or len(text) - opened.place > SAMPLE_CHARACTERS // 4
    return Reading(_consistency(+widths) / (1 + faults), faults, dialect)


def _consistency(widths: Counter[int]) -> float:
    """How alike the widths of the records are, 0 if all have one cell."""
    total = widths.total()
    weighted = (count * (width - 1) / width for width, count in widths.items())
    return sum(weighted) / total / len(widths) if total else 0.0
