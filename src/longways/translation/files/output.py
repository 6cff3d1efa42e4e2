"""Where translations are written: files that appear when they are whole, and streams.

    page.en.md            the translation, once it is whole
    page.en.partial.md    the translation so far
    page.en.md.journal    the sentences that are ready, from which a killed job resumes

A draft `.longways-....draft` replaces the partial file in one step; the next job overwrites a draft
that a killed one left. No symbolic link is followed to a draft, a partial file or a journal.
A target that is a link stays a link: the file behind it is replaced, and the partial file and the
journal lie beside that file. Devices and pipes are written
to, never replaced.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from longways.errors import LongwaysError

PARTIAL = "partial"
"""The word in the name of a translation that is not whole yet."""

JOURNAL_START = b'{"journal": '
"""The first bytes of every journal."""

MAX_NAME_BYTES = 255
"""The longest name of a file."""

DEFAULT_MODE = 0o666
"""The permissions of a translation without a source file, before the umask."""


SAFE_FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
"""Open no link, and hand no file to child processes. Windows has neither flag."""


def file_behind(path: Path) -> Path:
    """The file that is written for a target: the one that a link points to, on its own disk."""
    return path.resolve() if path.is_symlink() and not is_stream(path) else path


def partial_path(path: Path) -> Path:
    """The name of a translation until it is whole: `page.en.partial.md` for `page.en.md`."""
    path = file_behind(path)
    return _beside(path, f"{path.stem}.{PARTIAL}{path.suffix}", f".{PARTIAL}{path.suffix}")


def journal_path(target: Path) -> Path:
    """The journal of an output: `page.en.md.journal` for `page.en.md`."""
    target = file_behind(target)
    return _beside(target, f"{target.name}.journal", ".journal")


def draft_path(path: Path) -> Path:
    """The name under which a partial file is prepared."""
    return path.with_name(_short_name(path, ".draft"))


def _beside(target: Path, name: str, end: str) -> Path:
    """A file beside a target; where its name is too long, a hash takes the place of the start."""
    too_long = len(os.fsencode(name)) > MAX_NAME_BYTES
    return target.with_name(_short_name(target, end[-60:]) if too_long else name)


def _short_name(target: Path, end: str) -> str:
    return f".longways-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}{end}"


def is_journal(path: Path) -> bool:
    """Whether a file is a journal, by its name and its first bytes."""
    if path.suffix != ".journal":
        return False
    with path.open("rb") as file:
        start = file.read(len(JOURNAL_START))
    return start == JOURNAL_START[: len(start)]


def is_stream(path: Path) -> bool:
    """Whether a path is a device, a pipe or a socket, which is written to and not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def write_all(file: BinaryIO, data: bytes) -> None:
    """Write all bytes to an unbuffered file; a full disk is an error, never a short write."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


def open_locked(path: Path, flags: int, mode: int = DEFAULT_MODE) -> BinaryIO:
    """Open a file of ours without following a link, and lock it against other processes."""
    descriptor = os.open(path, os.O_CREAT | SAFE_FLAGS | flags, mode)
    file = os.fdopen(descriptor, "a+b" if flags & os.O_APPEND else "wb", buffering=0)
    try:
        _lock(file, path)
    except BaseException:
        file.close()
        raise
    return file


def _lock(file: BinaryIO, path: Path) -> None:
    """Raise if another process holds this file. Systems without file locks are not checked."""
    try:
        import fcntl
    except ModuleNotFoundError:  # on Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LongwaysError(
            f"{path} is being written: another process runs the same translation."
        ) from error


class Output(Protocol):
    """Receives one translation, either appended text by text or replaced as a whole."""

    @property
    def has_preview(self) -> bool:
        """Whether a user can open the output before it is finished."""

    def append(self, text: str) -> None:
        """Write text at the end."""

    def replace(self, data: bytes) -> None:
        """Write these bytes in place of everything before."""

    def whole(self) -> Path | None:
        """The file with the whole translation before it appears; a stream has none."""

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

    def __init__(self, path: Path, mode: int | None = None) -> None:
        """`mode` has the permissions of the source; by default the umask decides."""
        self.path = file_behind(path)
        self.partial, self.mode = partial_path(path), mode
        self.file: BinaryIO | None = None
        self.replaced = False
        with self._explained():
            self.path.parent.mkdir(parents=True, exist_ok=True)

    def append(self, text: str) -> None:
        """Write text at the end; line ends stay as they are."""
        with self._explained():
            if self.file is None:
                self.file = self._open()
            write_all(self.file, text.encode())

    def replace(self, data: bytes) -> None:
        """Replace the partial file atomically."""
        with self._explained():
            with open_draft(self.partial, self._mode()) as draft:
                write_all(draft, data)
                draft_path(self.partial).replace(self.partial)
            self.replaced = True

    def whole(self) -> Path:
        """The partial file, which has all by now; an empty translation is an empty file."""
        with self._explained():
            if self.file is None and not self.replaced:
                self.file = self._open()
        return self.partial

    def finish(self) -> None:
        """Rename the file to its final name."""
        with self._explained():
            whole = self.whole()
            file = self.file or whole.open("rb")
            os.fsync(file.fileno())
            file.close()
            self.partial.replace(self.path)

    def keep_partial(self) -> Path:
        """Close the partial file and return its path."""
        if self.file is not None:
            self.file.close()
        return self.partial

    def discard(self) -> None:
        """Delete the partial file, if this job wrote one."""
        self.keep_partial()
        if self.file is not None or self.replaced:
            self.partial.unlink(missing_ok=True)

    def _open(self) -> BinaryIO:
        file = open_locked(self.partial, os.O_WRONLY, self._mode())
        os.ftruncate(file.fileno(), 0)
        if self.mode is not None:
            _set_mode(file, self.mode)
        return file

    def _mode(self) -> int:
        if self.mode is not None:
            return self.mode
        mask = os.umask(0)
        os.umask(mask)
        return DEFAULT_MODE & ~mask

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LongwaysError(f"{self.path} cannot be written: {error.strerror}.") from error


@contextmanager
def open_draft(path: Path, mode: int) -> Iterator[BinaryIO]:
    """An empty draft with these permissions; it is deleted unless the block renames it."""
    draft = draft_path(path)
    with open_locked(draft, os.O_WRONLY, mode) as file:
        try:
            os.ftruncate(file.fileno(), 0)
            _set_mode(file, mode)
            yield file
        finally:
            draft.unlink(missing_ok=True)


def _set_mode(file: BinaryIO, mode: int) -> None:
    if hasattr(os, "fchmod"):  # not on Windows before Python 3.13
        os.fchmod(file.fileno(), mode)


class Stream:
    """Standard output, a device or a pipe, flushed after every write."""

    has_preview = False

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        with self._explained():
            self.file: BinaryIO = path.open("wb", 0) if path else sys.stdout.buffer

    def append(self, text: str) -> None:
        """Write text and flush."""
        self.replace(text.encode())

    def replace(self, data: bytes) -> None:
        """Write bytes and flush; a whole file is written only once."""
        with self._explained():
            write_all(self.file, data)
            self.file.flush()

    def whole(self) -> None:
        """Nothing: what was written cannot be read again."""

    def finish(self) -> None:
        """Close the stream, unless it is standard output."""
        if self.path is not None:
            self.file.close()

    def keep_partial(self) -> None:
        """Close the stream: what was written cannot be taken back."""
        self.finish()

    def discard(self) -> None:
        """Close the stream: what was written cannot be taken back."""
        self.finish()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """A reader that is gone is no error of this stream: the command ends in silence."""
        try:
            yield
        except BrokenPipeError:
            raise
        except OSError as error:
            name = self.path or "Standard output"
            raise LongwaysError(f"{name} cannot be written: {error.strerror}.") from error


def open_output(path: Path | None, mode: int | None = None) -> Output:
    """A file, a device or a pipe, or standard output for None."""
    return Stream(path) if path is None or is_stream(path) else WholeFile(path, mode)


def source_mode(sources: list[Path]) -> int | None:
    """The permissions that all sources share: a private text has a private translation."""
    modes = [stat.S_IMODE(path.stat().st_mode) & DEFAULT_MODE for path in sources]
    shared = DEFAULT_MODE
    for mode in modes:
        shared &= mode
    return shared | 0o600 if modes else None
