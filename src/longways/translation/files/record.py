"""The record of finished files, by which a job over many files resumes.

A line of `.longways.jsonl` in a folder names a translation there, its source, the fingerprint of
its job and a hash of its bytes. It is written just before the translation appears, so that a job
that is killed in between knows its file again. The same command then skips what is finished,
translates again a source that has changed, and never overwrites a translation that somebody has
edited, nor that of another source with the same name.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal

from longways.errors import LongwaysError
from longways.translation.files.output import DEFAULT_MODE, SAFE_FLAGS, write_all
from longways.translation.files.updates.store import check_folder

RECORD_FILE = ".longways.jsonl"

RECORD_START = b'{"file": '
"""The first bytes of every record."""

_WHY = "It records the finished files; check its permissions, or name another folder with -o."

_Jobs = dict[str, dict[str, str]]
"""For each file, the hash of every translation that a job wrote, with the hash of that job."""

State = Literal["unknown", "finished", "outdated", "edited"]


class FinishedFiles:
    """The finished translations in the folders of a job's targets."""

    def __init__(self) -> None:
        self.folders: dict[Path, _Jobs] = {}
        self.sources: dict[Path, dict[str, str]] = {}
        """For each folder and file, the last source, as a path from the folder."""

    def read_again(self) -> None:
        """Forget what was read before the job had its lock: another job may have ended since."""
        self.folders.clear()
        self.sources.clear()

    def check(self, folders: Iterable[Path]) -> None:
        """Raise if the record of a folder cannot be used, so that no work is done in vain."""
        for folder in dict.fromkeys(folders):
            path = folder / RECORD_FILE
            if path.is_symlink() or (path.exists() and not path.is_file()):
                raise LongwaysError(_foreign(path))
            self._folder(folder)
            check_folder(folder)
            if path.exists() and not os.access(path, os.W_OK):
                raise LongwaysError(f"{path} cannot be written: Permission denied. {_WHY}")

    def knows(self, target: Path) -> bool:
        """Whether a job has written this translation."""
        return target.is_file() and target.name in self._folder(target.parent)

    def state(self, target: Path, job: str) -> State:
        """What an existing translation is, for a job with this fingerprint."""
        if not self.knows(target):
            return "unknown"
        before = self._folder(target.parent)[target.name].get(_hash(target))
        if before is None:
            return "edited"
        return "finished" if before == job else "outdated"

    def last_job(self, target: Path) -> str | None:
        """The fingerprint of the job that wrote a translation last; None if none did."""
        return next(reversed(self._folder(target.parent).get(target.name, {}).values()), None)

    def other_source(self, target: Path, source: Path | None) -> Path | None:
        """The source of an existing translation, if it is still there and not this one."""
        self._folder(target.parent)
        recorded = self.sources[target.parent].get(target.name)
        before = target.parent / recorded if recorded else None
        if before is None or source is None or not before.exists() or not source.exists():
            return None
        return None if before.samefile(source) else before.resolve()

    def add(self, target: Path, job: str, whole: Path, source: Path) -> None:
        """Record a translation that `whole` holds until it appears."""
        sha256, place = _hash(whole), os.path.relpath(source, target.parent)
        entry = {"file": target.name, "job": job, "sha256": sha256, "source": place}
        jobs = self._folder(target.parent).setdefault(target.name, {})
        jobs.pop(sha256, None)
        jobs[sha256] = job
        path = target.parent / RECORD_FILE
        try:
            _append(path, json.dumps(entry).encode() + b"\n")
        except OSError as error:
            raise LongwaysError(f"{path} cannot be written: {error.strerror}. {_WHY}") from error

    def _folder(self, folder: Path) -> _Jobs:
        if folder not in self.folders:
            entries = list(_read(folder / RECORD_FILE))
            jobs: _Jobs = {}
            for entry in entries:
                own = jobs.setdefault(entry["file"], {})
                own.pop(entry["sha256"], None)
                own[entry["sha256"]] = entry["job"]
            self.folders[folder] = jobs
            self.sources[folder] = {e["file"]: e["source"] for e in entries if "source" in e}
        return self.folders[folder]


def _append(path: Path, line: bytes) -> None:
    """Append a line; a line that a full disk has cut off is ended first."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND | SAFE_FLAGS, DEFAULT_MODE)
    with os.fdopen(descriptor, "a+b", buffering=0) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - 1))
        write_all(file, line if file.read(1) in (b"", b"\n") else b"\n" + line)


def _read(path: Path) -> list[dict[str, str]]:
    """The lines of a record; those that a crash has damaged are ignored."""
    if not path.is_file() or path.is_symlink():
        return []
    try:
        data = path.read_bytes()
    except OSError as error:
        raise LongwaysError(f"{path} cannot be read: {error.strerror}. {_WHY}") from error
    found = [entry for line in data.splitlines() if (entry := _entry(line))]
    if not found and data.strip() and not _begins(data):
        raise LongwaysError(_foreign(path))
    return found


def _begins(data: bytes) -> bool:
    """Whether a record begins here, of whose first line a full disk took only a part."""
    return data[: len(RECORD_START)] == RECORD_START[: len(data)]


def _entry(line: bytes) -> dict[str, str]:
    """The values of a line; none if it is damaged."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    whole = isinstance(entry, dict) and {"file", "job", "sha256"} <= entry.keys()
    return entry if whole and all(isinstance(value, str) for value in entry.values()) else {}


def _foreign(path: Path) -> str:
    return (
        f"{path} is not a record of Longways, so it is not touched. Rename it, or name another "
        "folder with -o."
    )


def job_hash(fingerprint: dict[str, Any]) -> str:
    """One hash for a fingerprint."""
    return hashlib.sha256(json.dumps(fingerprint, sort_keys=True).encode()).hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
