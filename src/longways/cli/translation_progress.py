"""The progress bar of a translation: sentences a second, time left, and warnings above it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from longways.translation.files.job import Listener
from longways.translation.files.plan import File
from longways.translation.report import Report
from longways.translation.segments import TranslatedSegment


class _Watcher(Listener):
    """Updates the progress bar. Its total is known when all files are open."""

    def __init__(
        self, files: int, report: Report, tell: Callable[[str], None], progress: Progress
    ) -> None:
        self.files, self.report, self.tell, self.progress = files, report, tell, progress
        self.lengths: list[int | None] = []
        self.task: TaskID = progress.add_task("", total=None, sentences=0, speed=0.0)

    def warn(self, message: str) -> None:
        """Print a line above the bar."""
        self.tell(message)

    def begin(self, file: File, characters: int | None) -> None:
        """Set the total once the lengths of all files are known."""
        self.lengths.append(characters)
        known = [length for length in self.lengths if length is not None]
        total = sum(known) if len(known) == self.files else None
        self.progress.update(self.task, total=total)

    def advance(self, ready: TranslatedSegment) -> None:
        """Advance by the characters of a segment."""
        read = len(ready.segment.text) + len(ready.segment.after)
        speed = self.report.sentences / max(self.report.seconds, 1e-9)
        sentences = self.report.sentences
        self.progress.update(self.task, advance=read, sentences=sentences, speed=speed)


@contextmanager
def watch(files: Sequence[File], report: Report, tell: Callable[[str], None]) -> Iterator[Listener]:
    """Show a progress bar on the terminal, unless translations are written to the terminal."""
    console = Console(stderr=True)
    mixed = sys.stdout.isatty() and any(file.target is None for file in files)
    columns = (
        TextColumn("translating"),
        BarColumn(),
        TextColumn("{task.fields[sentences]:,} sentences"),
        TextColumn("{task.fields[speed]:.1f}/s"),
        TimeRemainingColumn(),
    )
    disable = mixed or not console.is_terminal
    with Progress(*columns, console=console, disable=disable) as progress:
        yield _Watcher(len(files), report, tell, progress)
