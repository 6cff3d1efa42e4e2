"""The log of a run: one JSON object a line, for updates and for looks at the development part.

What a run did before its first update stands at update 0.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from longways.errors import DamagedCheckpoint, DiskFull
from longways.training.runs.tensorboard import TensorBoardLog


class RunLog:
    """Appends lines, each written out at once. A run that goes on forgets what came after it.

    With a `board`, every line is shown there too.
    """

    def __init__(self, path: Path, update: int, board: TensorBoardLog | None = None) -> None:
        self._board = board
        old = read_log(path) if update and path.exists() else []  # a run that begins has none
        kept = [line for line in old if line["update"] <= update]
        path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
        self._file = path.open("a", encoding="utf-8")

    def write(self, **entry: Any) -> None:
        """Add a line; it names its update."""
        try:
            self._file.write(json.dumps(entry) + "\n")
            self._file.flush()
        except OSError as error:
            raise DiskFull(f"The log of the run cannot be written: {error}.") from error
        if self._board:
            self._board.write(**entry)

    def __enter__(self) -> RunLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._file.close()
        if self._board:
            self._board.close()


def read_log(path: Path) -> list[dict[str, Any]]:
    """Every whole line of a log; the last may have been cut by a kill, and is left out then."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    entries = []
    for number, line in enumerate(lines, start=1):
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError as error:
            if number == len(lines):
                break
            raise DamagedCheckpoint(f"{path}, line {number} is not valid JSON: {error}.") from error
    return entries
