"""A lock on a folder: one process at a time writes into it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from longways.errors import LongwaysError

PATIENCE_SECONDS = 3.0
"""How long a process waits for the lock of a folder before it gives up."""

RETRY_SECONDS = 0.1
"""The time between two tries to lock a folder."""


@contextmanager
def locked_folder(folder: Path, what: str, patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Hold the lock of a folder, which is made if need be, until the block ends or the process.

    The lock is on the folder itself, so nothing is left behind. `what` tells in an error what
    another process does there, after `patience` seconds: a process that was killed may hold the
    lock until the system has freed its memory. Systems without such locks are not checked.
    """
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LongwaysError(f"{folder} cannot be made: {error.strerror}.") from error
    descriptor = _locked(folder, what, time.monotonic() + patience)
    try:
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
        if new:
            with suppress(OSError):  # something is in it
                folder.rmdir()


def _locked(folder: Path, what: str, deadline: float) -> int | None:
    try:
        import fcntl
    except ModuleNotFoundError:  # on Windows
        return None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except PermissionError:  # it can be written but not read
        return None
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            if time.monotonic() < deadline:
                time.sleep(RETRY_SECONDS)
                continue
            os.close(descriptor)
            raise LongwaysError(
                f"Another process {what} {folder}. Wait until it ends, or name another folder."
            ) from error
        except OSError:  # a file system without locks
            pass
        return descriptor
