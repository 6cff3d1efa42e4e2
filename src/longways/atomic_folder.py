"""A folder that appears whole or not at all.

Models and prepared data are folders. One that is half written must never look finished, and a kill
at any moment must leave either the old folder or the new one.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longways.errors import DiskFull


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """A new folder to fill in; it takes the place of `path` when the block ends without an error.

    It is filled under another name beside `path`, written to the disk, and only then renamed. A
    folder that was there before is moved aside, and back by `settle` if the rename never came.
    """
    path = path.absolute()
    settle(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.writing")
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    try:
        yield draft
        _write_to_disk(draft)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        if is_full(error):
            raise DiskFull(
                f"There is no space left to write {path}; what was there before is whole. Free "
                "some, and run the same command again."
            ) from error
        raise
    if path.exists():
        path.rename(_previous(path))
    draft.rename(path)
    _sync(path.parent)
    shutil.rmtree(_previous(path), ignore_errors=True)


def is_full(error: BaseException) -> bool:
    """Whether an error says that the disk is full; safetensors has its own way of saying it."""
    return getattr(error, "errno", None) == errno.ENOSPC or "No space left" in str(error)


def settle(path: Path) -> None:
    """Mend what a kill between two renames left: bring the previous folder back, or remove it."""
    previous = _previous(path)
    if previous.exists():
        if path.exists():
            shutil.rmtree(previous)
        else:
            previous.rename(path)


def _previous(path: Path) -> Path:
    return path.with_name(f".{path.name}.previous")


def _write_to_disk(folder: Path) -> None:
    for file in folder.rglob("*"):
        _sync(file)
    _sync(folder)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
