"""What is placed on a page as a whole: a word or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from longways.formats.pdf.pages.words import Word

Interval = tuple[float, float]
"""A range from left to right."""


class Atom(Protocol):
    """A box that is never divided."""

    @property
    def left(self) -> float: ...  # noqa: D102 - its four edges
    @property
    def right(self) -> float: ...  # noqa: D102
    @property
    def top(self) -> float: ...  # noqa: D102
    @property
    def bottom(self) -> float: ...  # noqa: D102


@dataclass(frozen=True)
class Table:
    """The cells of a table, by row and column, each with its words."""

    rows: Sequence[Sequence[Sequence[Word]]]
    left: float
    right: float
    top: float
    bottom: float
