"""A mapping from the numbers of marks to what they stand for, in a third of the memory of a dict.

A file has such a mapping for each passage, most of them with one value or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")


class Numbered(Mapping[int, T]):
    """Values by their number, from 0."""

    __slots__ = ("_values",)

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._values = tuple(values)

    def __getitem__(self, number: int) -> T:
        if number in range(len(self._values)):
            return self._values[number]
        raise KeyError(number)

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self._values)))

    def __len__(self) -> int:
        return len(self._values)


_NOTHING = Numbered[object]()


def numbered(found: Mapping[int, T]) -> Mapping[int, T]:
    """A mapping as one that takes less memory, if its numbers are 0, 1 and so on."""
    if not found:
        return _NOTHING  # type: ignore[return-value]  # it has no values of any type
    return Numbered(found.values()) if list(found) == list(range(len(found))) else found
