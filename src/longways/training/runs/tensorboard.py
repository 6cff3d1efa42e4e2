"""The log of a run as TensorBoard events."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longways.errors import ConfigError

BOARD_FOLDER = "tensorboard"


class TensorBoardLog:
    """Writes every number of the log as a scalar over updates."""

    def __init__(self, folder: Path, update: int) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ConfigError(
                "training.tensorboard is true, but TensorBoard is not installed: run "
                "`pip install tensorboard`, or set training.tensorboard=false."
            ) from error
        self._writer: Any = SummaryWriter(str(folder), purge_step=update + 1)

    def write(self, update: int, **entry: Any) -> None:
        """Add the numbers of one line of the log."""
        for name, values in entry.pop("attention", {}).items():
            for layer, value in enumerate(values, 1):
                self._writer.add_scalar(f"{name}/layer {layer}", value, update)
        for name, value in entry.items():
            if isinstance(value, int | float):
                group = "development" if name.startswith("dev_") else "training"
                self._writer.add_scalar(f"{group}/{name}", float(value), update)

    def close(self) -> None:
        """Flush and close the event file."""
        self._writer.close()
