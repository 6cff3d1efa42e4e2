"""Where translations are written: files that appear when they are whole, and standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from longways.errors import LongwaysError

PARTIAL = "partial"
"""In the name of a translation that is not whole."""


def partial_path(path: Path) -> Path:
    """What a translation is called until it is whole: `page.en.md` is `page.en.partial.md`."""
    return path.with_name(f"{path.stem}.{PARTIAL}{path.suffix}")


class WholeFile:
    """A file under another name beside its own, until it is finished. Text is always UTF-8.

    What is there under the other name can be opened at any time.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.partial = path, partial_path(path)
        self.file: BinaryIO | None = None
        self.rewritten = False
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)

    def write(self, text: str | bytes) -> None:
        """Add to the end, all or nothing; line ends stay as they are."""
        with self._explained():
            if self.file is None:
                self.file = self.partial.open("wb", buffering=0)
            self.file.write(_bytes(text))

    def rewrite(self, data: bytes) -> None:
        """Write this instead of all before; what was there stays there until it is."""
        draft = self.partial.with_name(f".{self.partial.name}.writing")
        with self._explained():
            try:
                draft.write_bytes(data)
                draft.replace(self.partial)
                self.rewritten = True
            finally:
                draft.unlink(missing_ok=True)

    def finish(self) -> None:
        """Let the file appear under its own name."""
        with self._explained():
            file = self.file or self.partial.open("ab" if self.rewritten else "wb")
            os.fsync(file.fileno())
            file.close()
            self.partial.replace(self.path)

    def leave(self) -> Path:
        """Leave what there is under the other name."""
        if self.file is not None:
            self.file.close()
        return self.partial

    def discard(self) -> None:
        """Leave nothing behind."""
        self.leave()
        self.partial.unlink(missing_ok=True)

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

    def leave(self) -> None:
        """Nothing is left there."""

    def discard(self) -> None:
        """What was written cannot be taken back."""


Output = WholeFile | StandardOutput


def open_output(path: Path | None) -> Output:
    """A file, or standard output."""
    return StandardOutput() if path is None else WholeFile(path)
