"""Telling how far work is that comes in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def told(items: Iterable[T], tell: Callable[[T], object]) -> Iterator[T]:
    """The items; each is told of when the next is asked for, so when it was dealt with."""
    for item in items:
        yield item
        tell(item)
