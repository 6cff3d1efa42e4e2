"""The record of finished files, by which a job over many files resumes.

A line of `.longways.jsonl` in a folder names a translation there, the fingerprint of its job and a
hash of its bytes. The same command then skips what is finished, translates again what has another
source by now, and never overwrites a translation that somebody has edited.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Literal

from longways.errors import LongwaysError
from longways.translation.files.output import DEFAULT_MODE, SAFE_FLAGS

RECORD_FILE = ".longways.jsonl"

State = Literal["unknown", "finished", "outdated", "edited"]


class FinishedFiles:
    """The finished translations in the folders of a job's targets."""

    def __init__(self) -> None:
        self.folders: dict[Path, dict[str, dict[str, Any]]] = {}

    def knows(self, target: Path) -> bool:
        """Whether a job has written this translation."""
        return target.is_file() and target.name in self._folder(target.parent)

    def state(self, target: Path, job: str) -> State:
        """What an existing translation is, for a job with this fingerprint."""
        if not self.knows(target):
            return "unknown"
        entry = self._folder(target.parent)[target.name]
        if entry["sha256"] != _hash(target):
            return "edited"
        return "finished" if entry["job"] == job else "outdated"

    def add(self, target: Path, job: str) -> None:
        """Record a translation that was just finished."""
        entry = {"file": target.name, "job": job, "sha256": _hash(target)}
        self._folder(target.parent)[target.name] = entry
        path = target.parent / RECORD_FILE
        try:
            flags = os.O_CREAT | os.O_WRONLY | os.O_APPEND | SAFE_FLAGS
            with os.fdopen(os.open(path, flags, DEFAULT_MODE), "ab") as file:
                file.write(json.dumps(entry).encode() + b"\n")
        except OSError as error:
            raise LongwaysError(f"{path} cannot be written: {error.strerror}.") from error

    def _folder(self, folder: Path) -> dict[str, dict[str, Any]]:
        if folder not in self.folders:
            self.folders[folder] = _read(folder / RECORD_FILE)
        return self.folders[folder]


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """The last entry of each file; lines that a crash has damaged are ignored."""
    if not path.is_file() or path.is_symlink():
        return {}
    found = {}
    for line in path.read_bytes().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and {"file", "job", "sha256"} <= entry.keys():
            found[str(entry["file"])] = entry
    return found


def job_hash(fingerprint: dict[str, Any]) -> str:
    """One hash for a fingerprint."""
    return hashlib.sha256(json.dumps(fingerprint, sort_keys=True).encode()).hexdigest()


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
