"""Where translations are written: files that appear when they are whole, and standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from longways.errors import LongwaysError

PARTIAL = "partial"
"""The word in the name of a translation that is not whole yet."""


def partial_path(path: Path) -> Path:
    """The name of a translation until it is whole: `page.en.partial.md` for `page.en.md`."""
    return path.with_name(f"{path.stem}.{PARTIAL}{path.suffix}")


class Output(Protocol):
    """Receives one translation, either appended text by text or replaced as a whole."""

    @property
    def has_preview(self) -> bool:
        """Whether a user can open the output before it is finished."""

    def append(self, text: str) -> None:
        """Write text at the end."""

    def replace(self, data: bytes) -> None:
        """Write these bytes in place of everything before."""

    def finish(self) -> None:
        """Make the whole translation appear."""

    def keep_partial(self) -> Path | None:
        """Close the output and return where the unfinished translation is, if anywhere."""

    def discard(self) -> None:
        """Remove the unfinished translation."""


class WholeFile:
    """A file that has a partial name until it is finished. Text is always UTF-8.

    The partial file can be opened at any time.
    """

    has_preview = True

    def __init__(self, path: Path) -> None:
        self.path, self.partial = path, partial_path(path)
        self.file: BinaryIO | None = None
        self.replaced = False
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)

    def append(self, text: str) -> None:
        """Write text at the end in one system call; line ends stay as they are."""
        with self._explained():
            if self.file is None:
                self.file = self.partial.open("wb", buffering=0)
            self.file.write(text.encode())

    def replace(self, data: bytes) -> None:
        """Replace the partial file atomically."""
        draft = self.partial.with_name(f".{self.partial.name}.writing")
        with self._explained():
            try:
                draft.write_bytes(data)
                draft.replace(self.partial)
                self.replaced = True
            finally:
                draft.unlink(missing_ok=True)

    def finish(self) -> None:
        """Rename the file to its final name."""
        with self._explained():
            file = self.file or self.partial.open("ab" if self.replaced else "wb")
            os.fsync(file.fileno())
            file.close()
            self.partial.replace(self.path)

    def keep_partial(self) -> Path:
        """Close the partial file and return its path."""
        if self.file is not None:
            self.file.close()
        return self.partial

    def discard(self) -> None:
        """Delete the partial file."""
        self.keep_partial().unlink(missing_ok=True)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LongwaysError(f"{self.path} cannot be written: {error.strerror}.") from error


class StandardOutput:
    """Standard output, flushed after every write. What was written cannot be taken back."""

    has_preview = False

    def append(self, text: str) -> None:
        """Write text and flush."""
        self.replace(text.encode())

    def replace(self, data: bytes) -> None:
        """Write bytes and flush; a whole file is written only once."""
        if data:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def finish(self) -> None:
        """Do nothing: everything is written."""

    def keep_partial(self) -> None:
        """Do nothing: nothing can be resumed."""

    def discard(self) -> None:
        """Do nothing."""


def open_output(path: Path | None) -> Output:
    """A file, or standard output for None."""
    return StandardOutput() if path is None else WholeFile(path)
