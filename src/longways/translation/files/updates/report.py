"""The report of an update: for each file, what was kept, translated, moved and in conflict."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from longways.errors import LongwaysError

State = Literal["new", "unchanged", "updated", "renamed", "adopted", "anew", "failed"]


@dataclass
class FileUpdate:
    """What became of one file."""

    source: str
    translation: str
    state: State
    """adopted: a translation without pairs that fits its source; anew: one that was replaced."""
    kept: int = 0
    """Sentences that have not changed."""
    corrected: int = 0
    """Kept sentences that a person has corrected."""
    moved: int = 0
    """Kept sentences that are at another place."""
    translated: int = 0
    """Sentences that are new or have changed."""
    gone: int = 0
    """Sentences of the old source that are not in the new one."""
    conflicts: list[dict[str, str]] = field(default_factory=list)
    """Corrections whose source has changed: the old source, the correction, and the new pair."""
    added: list[str] = field(default_factory=list)
    """Texts that a person had added, which are not in the new translation."""
    removed: list[str] = field(default_factory=list)
    """Texts that a person had taken out, which may be in the new translation again."""
    edited_elsewhere: bool = False
    """Whether a person had changed what is not text, which is not in the new translation."""
    edited_version: str = ""
    """The edited translation, where the new one lacks a part of its changes."""
    reason: str = ""
    """Why a file failed."""


@dataclass
class UpdateReport:
    """What became of all files of a job."""

    files: list[FileUpdate] = field(default_factory=list)
    gone: list[dict[str, str]] = field(default_factory=list)
    """Translations whose source is there no more."""

    @property
    def has_files(self) -> bool:
        """Whether there is any file that was not refused."""
        return any(file.state != "failed" for file in self.files)

    def total(self, name: str) -> int:
        """The sum of a count over all files."""
        return sum(int(getattr(file, name)) for file in self.files)

    @property
    def conflicts(self) -> int:
        """The number of corrections whose source has changed."""
        return sum(len(file.conflicts) for file in self.files)

    def as_json(self) -> dict[str, Any]:
        """The report as a JSON value."""
        names = ("kept", "corrected", "moved", "translated", "gone")
        counts = {name: self.total(name) for name in names} | {"conflicts": self.conflicts}
        files = [asdict(file) for file in self.files]
        return {"sentences": counts, "files": files, "sources_gone": self.gone}

    def write(self, path: Path | None) -> None:
        """Write the report as a JSON file, if there is to be one."""
        if path is None:
            return
        try:
            path.write_text(
                json.dumps(self.as_json(), ensure_ascii=False, indent=1) + "\n", "utf-8"
            )
        except OSError as error:
            raise LongwaysError(f"{path} cannot be written: {error.strerror}.") from error

    def __str__(self) -> str:
        """The report in one line."""
        unchanged = sum(file.state == "unchanged" for file in self.files)
        parts = [
            f"{self.total('translated'):,} sentences translated",
            f"{self.total('kept'):,} kept",
        ]
        notes = (
            (self.total("corrected"), "with corrections"),
            (self.total("moved"), "moved"),
            (self.total("gone"), "gone"),
            (self.conflicts, "corrections in conflict"),
            (unchanged, "files unchanged"),
        )
        return ", ".join(parts + [f"{count:,} {what}" for count, what in notes if count]) + "."
