"""`--copy`: the other files of a folder lie beside the translations, with their permissions.

The record of a job has the copies too: the same command copies again what has changed, and never
overwrites a file that somebody has edited.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

from longways.errors import LongwaysError, unreadable
from longways.translation.files.output import SAFE_FLAGS, draft_path, open_draft
from longways.translation.files.record import FinishedFiles


@dataclass(frozen=True)
class Copy:
    """A file that is taken along."""

    source: Path
    target: Path


def copy_files(
    copies: Iterable[Copy], record: FinishedFiles, warn: Callable[[str], None], *, force: bool
) -> int:
    """Make all copies that are missing or have changed; the number of files that cannot be read."""
    failed = 0
    for copy in copies:
        try:
            job = _job(copy.source)
        except OSError as error:
            warn(unreadable(copy.source, error))
            failed += 1
            continue
        try:
            _copy_file(copy, job, record, warn, force)
        except OSError as error:
            raise LongwaysError(
                f"{copy.source} cannot be copied to {copy.target}: {error.strerror}."
            ) from error
    return failed


def _job(source: Path) -> str:
    """What stands for the fingerprint of a job in the record of a copy."""
    with _opened(source) as file:
        return f"copy {hashlib.file_digest(file, 'sha256').hexdigest()}"


def _copy_file(
    copy: Copy, job: str, record: FinishedFiles, warn: Callable[[str], None], force: bool
) -> None:
    state = record.state(copy.target, job)
    if state == "finished" and not force:
        return
    if state == "edited" and not force:
        warn(
            f"{copy.target} was edited after it was copied, so it is kept. Overwrite it with "
            "--force."
        )
        return
    _write(copy, job, record)


def _write(copy: Copy, job: str, record: FinishedFiles) -> None:
    """Copy the bytes to a draft, which then takes the place of the target."""
    copy.target.parent.mkdir(parents=True, exist_ok=True)
    with _opened(copy.source) as source:
        mode = stat.S_IMODE(os.fstat(source.fileno()).st_mode) & 0o777
        with open_draft(copy.target, mode | 0o200) as draft:
            shutil.copyfileobj(source, draft)
            os.fsync(draft.fileno())
            record.add(copy.target, job, draft_path(copy.target), copy.source)
            draft_path(copy.target).replace(copy.target)


def _opened(path: Path) -> FileIO:
    """A file that is no symbolic link, also if it became one since the folder was read."""
    return FileIO(os.open(path, os.O_RDONLY | SAFE_FLAGS))
