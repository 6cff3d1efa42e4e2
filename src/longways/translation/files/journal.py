"""A journal of a translation beside its output: a job that was killed goes on where it was.

The first line says what is translated and how. Every further line is a sentence that is ready:
[document, sentence, tokens, score, rank, stop]. A line that a crash has cut off is dropped, and
with it all that follows.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from longways.decoding.hypothesis import Hypothesis
from longways.errors import LongwaysError

SYNC = 5.0
"""Seconds after which lines are on the disk even if the power fails. A crash alone loses none."""

About = Mapping[str, Any]
"""What a journal is of; a job goes on only if all of it is the same."""


class Journal:
    """The sentences of one output that are ready; a `Memory` of its documents."""

    def __init__(self, path: Path, about: About, *, force: bool = False) -> None:
        """The journal at a path, gone on with if it is of the same job.

        Of another job it is an error, unless it may be begun again with `force`.
        """
        self.path, self.synced = path, time.monotonic()
        self.known: dict[tuple[int, int], Hypothesis] = {}
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file: BinaryIO = path.open("a+b", buffering=0)
        try:
            _lock(self.file, path)
            self._go_on(about, force)
        except BaseException:
            self.file.close()
            raise

    def recall(self, document: int, sentence: int) -> Hypothesis | None:
        """A sentence that is ready; it is given once."""
        return self.known.pop((document, sentence), None)

    def record(self, document: int, sentence: int, best: Hypothesis) -> None:
        """Write a sentence down, at once."""
        self._write([document, sentence, *best])
        if time.monotonic() - self.synced > SYNC:
            os.fsync(self.file.fileno())
            self.synced = time.monotonic()

    def close(self) -> None:
        """Leave it where it is."""
        self.file.close()

    def remove(self) -> None:
        """The output is whole: there is nothing to go on with."""
        self.path.unlink(missing_ok=True)
        self.file.close()

    def _go_on(self, about: About, force: bool) -> None:
        """Read what is there; what is not whole is cut off."""
        self.file.seek(0)
        size, lines = 0, _whole_lines(self.file)
        first = next(lines, None)
        if first is not None and _differences(first[0], about) and not force:
            raise LongwaysError(_of_another_job(self.path, _differences(first[0], about)))
        if first is not None and not _differences(first[0], about):
            size = first[1]
            for (document, sentence, *best), size in lines:  # noqa: B007 - the last one is needed
                self.known[document, sentence] = Hypothesis(*best)
        self.file.truncate(size)
        if not size:
            self._write(dict(about))

    def _write(self, line: Any) -> None:
        with self._explained():
            self.file.write((json.dumps(line) + "\n").encode())

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LongwaysError(f"{self.path} cannot be written: {error.strerror}.") from error


def _whole_lines(file: BinaryIO) -> Iterator[tuple[Any, int]]:
    """What each line says and where it ends, up to the first that is not whole."""
    end = 0
    for line in file.read().splitlines(keepends=True):
        try:
            value = json.loads(line) if line.endswith(b"\n") else None
        except ValueError:
            return
        if not value or (end and len(value) != 6):
            return
        end += len(line)
        yield value, end


def _differences(there: Any, here: About) -> list[str]:
    """In what another job is different, in words."""
    if not isinstance(there, dict):
        return ["it says nothing of what it is"]
    return [
        f"{key} is {there.get(key)} there and {here.get(key)} here"
        if max(len(str(there.get(key))), len(str(here.get(key)))) < 30
        else f"{key} is another one"
        for key in here.keys() | there.keys()
        if there.get(key) != here.get(key)
    ]


def _of_another_job(path: Path, differences: list[str]) -> str:
    return (
        f"{path} is of a translation that was not finished, and of another one: "
        f"{', '.join(sorted(differences))}. Translate in the same way to go on with it, or begin "
        "again with --force."
    )


def _lock(file: BinaryIO, path: Path) -> None:
    """Raise if another process writes this journal; where files cannot be locked, nothing."""
    try:
        import fcntl
    except ModuleNotFoundError:  # on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LongwaysError(
            f"{path} is being written: the same translation is under way in another process."
        ) from error
