"""The log of a run: one JSON object per line, for every update and every validation.

After the line of a validation, a line `attention` has the statistics of the model's RFA attention:
lists with a value for each decoder layer.

Entries from before the first update have update 0.
"""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any

from longways.errors import DamagedCheckpoint, DiskFull
from longways.training.runs.tensorboard import TensorBoardLog


class RunLog:
    """Appends lines and flushes each. A resumed run drops the lines after its checkpoint.

    With a `board`, every entry is also written to TensorBoard.
    """

    def __init__(self, path: Path, update: int, board: TensorBoardLog | None = None) -> None:
        self._board = board
        old = read_log(path) if update and path.exists() else []  # a new run has no log
        kept = [line for line in old if line["update"] <= update]
        path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")
        self._file = path.open("a", encoding="utf-8")

    def write(self, **entry: Any) -> None:
        """Add a line; the entry must have an `update`."""
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
    """The entries of a log, without a last line that was cut off by a crash."""
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
