"""Where translations are written: files that appear whole or not at all, and standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longways.errors import LongwaysError


class WholeFile:
    """A file under another name beside its own, until it is finished. Always UTF-8."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.draft = path.with_name(f".{path.name}.writing")
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file = self.draft.open("w", encoding="utf-8", newline="")

    def write(self, text: str) -> None:
        """Add text at the end; line ends stay as they are."""
        with self._explained():
            self.file.write(text)

    def finish(self) -> None:
        """Let the file appear under its own name."""
        with self._explained():
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()
            self.draft.replace(self.path)

    def discard(self) -> None:
        """Leave nothing behind."""
        self.file.close()
        self.draft.unlink(missing_ok=True)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LongwaysError(f"{self.path} cannot be written: {error.strerror}.") from error


def write_whole(path: Path | None, data: bytes) -> None:
    """A file of these bytes, which appears whole or not at all; None is standard output."""
    if path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    draft = path.with_name(f".{path.name}.writing")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise LongwaysError(f"{path} cannot be written: {error.strerror}.") from error


class StandardOutput:
    """Standard output: what is ready is there at once."""

    def write(self, text: str) -> None:
        """Write and flush."""
        if text:
            sys.stdout.buffer.write(text.encode())
            sys.stdout.buffer.flush()

    def finish(self) -> None:
        """Nothing is left to do."""

    def discard(self) -> None:
        """What was written cannot be taken back."""


Output = WholeFile | StandardOutput


def open_output(path: Path | None) -> Output:
    """A file, or standard output."""
    return StandardOutput() if path is None else WholeFile(path)
