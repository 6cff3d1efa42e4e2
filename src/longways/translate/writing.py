"""Where translations are written: files that appear whole or not at all, and standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longways.errors import LongwaysError


class WholeFile:
    """A file under another name beside its own, until it is finished. Text is always UTF-8."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.draft = path.with_name(f".{path.name}.writing")
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file = self.draft.open("wb")

    def write(self, text: str | bytes) -> None:
        """Add to the end; line ends stay as they are."""
        with self._explained():
            self.file.write(_bytes(text))

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


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


class StandardOutput:
    """Standard output: what is ready is there at once."""

    def write(self, text: str | bytes) -> None:
        """Write and flush."""
        if text:
            sys.stdout.buffer.write(_bytes(text))
            sys.stdout.buffer.flush()

    def finish(self) -> None:
        """Nothing is left to do."""

    def discard(self) -> None:
        """What was written cannot be taken back."""


Output = WholeFile | StandardOutput


def open_output(path: Path | None) -> Output:
    """A file, or standard output."""
    return StandardOutput() if path is None else WholeFile(path)


def write_whole(path: Path | None, data: bytes) -> None:
    """All of a file at once, to where `open_output` would write it."""
    output = open_output(path)
    try:
        output.write(data)
        output.finish()
    except BaseException:
        output.discard()
        raise
