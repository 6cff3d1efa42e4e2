"""The records and cells of a table, by their places in the file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from longways.formats.tables.dialect import Dialect


class Cell(NamedTuple):
    """A cell, `text[start:end]` with its quotes."""

    start: int
    end: int
    quoted: bool
    odd: bool = False
    """Whether text follows its closing quote."""


class Unclosed(Exception):
    """A quote opens a cell and is never closed."""

    def __init__(self, place: int) -> None:
        self.place = place


def records(text: str, dialect: Dialect, start: int = 0) -> Iterator[list[Cell]]:
    """The cells of each record; a blank line has none. Raises `Unclosed`."""
    place, size, delimiter = start, len(text), dialect.delimiter
    while place < size:
        cells = list[Cell]()
        while True:
            cell, place = _cell(text, place, dialect)
            cells.append(cell)
            if text[place : place + 1] != delimiter:
                break
            place += 1
        place += 2 if text.startswith("\r\n", place) else 1
        is_blank = len(cells) == 1 and cells[0].start == cells[0].end
        yield [] if is_blank else cells


def _cell(text: str, place: int, dialect: Dialect) -> tuple[Cell, int]:
    """The cell at a place, and the place of the delimiter or line end behind it."""
    opened = dialect.quoted.match(text, place) if dialect.quoted else None
    if opened:
        start, end = opened.start("open"), opened.end()
        if opened["text"] is not None:
            behind = _plain_end(text, end, dialect)
            if not text[end:behind].strip():
                return Cell(start, end, quoted=True), behind
            if start == place:
                return Cell(start, behind, quoted=True, odd=True), behind
        elif start == place:
            raise Unclosed(place)
    end = _plain_end(text, place, dialect)
    return Cell(place, end, quoted=False), end


def _plain_end(text: str, place: int, dialect: Dialect) -> int:
    found = dialect.plain.match(text, place)
    assert found  # it may be empty
    return found.end()
