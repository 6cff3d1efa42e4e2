"""Locks: no two jobs write into the same folders, or the same file from standard input."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from longways.errors import LongwaysError
from longways.folder_lock import locked_folder
from longways.translation.files.output import is_stream, open_locked


@contextmanager
def locked_targets(targets: Iterable[Path | None]) -> Iterator[None]:
    """Hold the locks of the topmost folders of all targets until the block ends."""
    with ExitStack() as stack:
        for folder in _topmost(targets):
            stack.enter_context(locked_folder(folder, "translates into"))
        yield


def _topmost(targets: Iterable[Path | None]) -> list[Path]:
    """The folders of the targets, without those below another one, always in the same order."""
    folders = {path.parent.resolve() for path in targets if path and not is_stream(path)}
    return sorted(folder for folder in folders if folders.isdisjoint(folder.parents))


class Lock:
    """An empty file that one process holds while it writes another one."""

    def __init__(self, path: Path) -> None:
        """Raise if another process holds it, or if a user's file has its name."""
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file = open_locked(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            raise LongwaysError(f"{path} cannot be written: {error.strerror}.") from error

    def remove(self) -> None:
        """Delete the file and let other processes write."""
        if not self.file.closed and not os.fstat(self.file.fileno()).st_size:
            self.path.unlink(missing_ok=True)
        self.file.close()
