"""Stages of a long command: their progress bars, durations, and peak memory."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

if TYPE_CHECKING:
    from longways.corpus.prepare import Reporter


@dataclass
class Stage:
    """A stage, the sentence pairs that it processed, and its duration."""

    name: str
    pairs: int = 0
    seconds: float = 0.0


class Clock:
    """Measures the duration of each stage."""

    def __init__(self) -> None:
        self.stages: list[Stage] = []
        self.began = time.perf_counter()

    def begin(self, name: str) -> None:
        """End the current stage and begin a new one."""
        self.end()
        self.stages.append(Stage(name))

    def end(self) -> None:
        """End the current stage."""
        now = time.perf_counter()
        if self.stages:
            self.stages[-1].seconds = now - self.began
        self.began = now


def peak_megabytes() -> int | None:
    """Peak memory of this process, in megabytes; None on Windows, which has no such counter."""
    try:
        import resource
    except ModuleNotFoundError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // (2**20 if sys.platform == "darwin" else 2**10)


@contextmanager
def reporter_for(clock: Clock) -> Iterator[Reporter]:
    """A reporter that feeds the clock and, on a terminal, draws a bar for each stage."""
    from longways.corpus.prepare import Reporter

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} pairs"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    tasks: list[TaskID] = []
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:

        def stage(name: str, total: int | None) -> None:
            clock.begin(name)
            tasks.append(progress.add_task(name, total=total))

        def advance(pairs: int) -> None:
            clock.stages[-1].pairs += pairs
            progress.advance(tasks[-1], pairs)

        yield Reporter(stage, advance)
