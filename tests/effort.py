"""Whether work grows as fast as what it is done on: a ratio, the same on any machine."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LEEWAY = 2.0
"""How many times its share work may grow: caches make it 1.3 for some; the square of four times as
much is four shares."""


def is_linear(work: Callable[[T], object], small: T, large: T, times: float) -> bool:
    """Whether work on what is so many times as large takes so many times as long.

    Both are measured until it does, five times at most: another program may slow one down.
    """
    return any(
        _seconds(work, large) < LEEWAY * times * max(_seconds(work, small), 1e-4) for _ in range(5)
    )


def _seconds(work: Callable[[T], object], given: T) -> float:
    """The time of this thread alone, without that of looking for what earlier tests left."""
    gc.collect()
    gc.disable()
    try:
        began = time.thread_time()
        work(given)
        return time.thread_time() - began
    finally:
        gc.enable()
