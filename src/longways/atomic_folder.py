"""Folders that are written atomically: a kill at any moment leaves the old or the new folder.

Models and prepared data are folders, and a partly written one must never look finished.
Python's `os.rename` cannot replace a folder that has files. Linux can exchange two folders in one
step, and the standard library has no name for that call, so we reach it through `ctypes`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from longways.errors import DiskFull

_ANYWHERE, _EXCHANGE = -100, 2
"""AT_FDCWD (names are not relative to an open folder) and RENAME_EXCHANGE, of Linux's headers."""


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """A new folder to fill; it replaces `path` when the block ends without an error.

    It is filled under another name beside `path`, flushed to the disk, and then takes the place of
    an earlier folder in one step. Where the system cannot do that, the earlier folder is renamed
    first, and `recover_folder` restores it if the process is killed in between.
    """
    path = path.absolute()
    recover_folder(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.writing")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
        _flush_to_disk(draft)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        if is_full(error):
            raise DiskFull(
                f"There is no space left to write {path}; the folder that was there before is "
                "unchanged. Free some space, and run the same command again."
            ) from error
        raise
    _put_in_place(draft, path)


def _put_in_place(draft: Path, path: Path) -> None:
    if not path.exists():
        draft.rename(path)
    elif not exchange(draft, path):
        path.rename(previous_folder(path))
        draft.rename(path)
    _sync(path.parent)
    for leftover in (draft, previous_folder(path)):
        _remove(leftover)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def exchange(first: Path, second: Path) -> bool:
    """Exchange the names of two folders in one step; False if the system cannot do it."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    names = os.fsencode(first.absolute()), os.fsencode(second.absolute())
    return rename is not None and rename(_ANYWHERE, names[0], _ANYWHERE, names[1], _EXCHANGE) == 0


def is_full(error: BaseException) -> bool:
    """Whether an error means that the disk is full; safetensors says so only in its message."""
    return getattr(error, "errno", None) == errno.ENOSPC or "No space left" in str(error)


def recover_folder(path: Path) -> None:
    """Complete an interrupted replacement: restore the previous folder, or remove it.

    Several processes may do this at the same time: each finds the folder recovered.
    """
    previous = previous_folder(path)
    if not previous.exists():
        return
    if path.exists():
        shutil.rmtree(previous, ignore_errors=True)
    else:
        with suppress(FileNotFoundError):  # another process has renamed it
            previous.rename(path)


def previous_folder(path: Path) -> Path:
    """The name of the folder before while a new one takes its place."""
    return path.with_name(f".{path.name}.previous")


def _flush_to_disk(folder: Path) -> None:
    for file in folder.rglob("*"):
        _sync(file)
    _sync(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
