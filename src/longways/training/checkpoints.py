"""Checkpoints of a run, from which it is resumed with bit-identical results.

    RUN/run.json          the run's config and data
    RUN/log.jsonl         a line for every update and every validation
    RUN/last/             the last checkpoint: a model folder, and beside the weights
        optimizer.safetensors     the states of Adam, and the loss scale
        progress.json             updates, batches, best score, patience
    RUN/best/, ...        models: see `model_selection`

A folder is replaced as a whole. No random state is saved: random matrices, the order of batches
and dropout are computed from seeds and counters.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from longways.atomic_folder import atomic_folder, recover_folder
from longways.errors import DamagedCheckpoint
from longways.model.checkpoint import load_model
from longways.training.model_selection import ModelSelection
from longways.training.runs.run import PROGRESS_FILE
from longways.training.update import Updater

OPTIMIZER_FILE = "optimizer.safetensors"
LOSS_SCALE = "loss-scale"
"""The prefix of the loss scale's tensors, in place of a parameter's name."""


@dataclass(frozen=True)
class Progress:
    """The counters and the best score of a run."""

    update: int = 0
    """Updates done, skipped ones included."""
    batches: int = 0
    """Batches consumed by all processes: the position in the stream of batches."""
    skipped: int = 0
    """Updates skipped because their gradient was not finite."""
    skipped_in_a_row: int = 0
    """Skipped updates since the last one that was not skipped."""
    best: float | None = None
    """The best validation score, by the metric of the run."""
    best_update: int = 0
    """The update with the best score."""
    looks_since_best: int = 0
    """Validations since the best score."""
    stopped: bool = False
    """Whether the patience is exhausted."""


def save_checkpoint(
    folder: Path, updater: Updater, progress: Progress, selection: ModelSelection
) -> None:
    """Write a checkpoint, which replaces the last one."""
    with atomic_folder(folder) as draft:
        selection.write(updater.model, draft, update=progress.update)
        save_file(_tensors(updater), draft / OPTIMIZER_FILE)
        text = json.dumps(asdict(progress), indent=2) + "\n"
        (draft / PROGRESS_FILE).write_text(text, encoding="utf-8")


def load_checkpoint(folder: Path, updater: Updater) -> Progress:
    """Restore model and optimiser from a checkpoint, and return its progress."""
    recover_folder(folder.absolute())
    loaded = load_model(folder)
    try:
        progress = Progress(**json.loads((folder / PROGRESS_FILE).read_text(encoding="utf-8")))
        tensors = load_file(folder / OPTIMIZER_FILE)
        updater.model.load_state_dict(loaded.state_dict())
        _restore(updater, tensors)
    except (OSError, ValueError, TypeError, KeyError, RuntimeError, SafetensorError) as error:
        raise DamagedCheckpoint(
            f"{folder} cannot be resumed: {error}. Start the run again in another folder."
        ) from error
    return progress


def _tensors(updater: Updater) -> dict[str, Tensor]:
    """The states of Adam by the parameters' names, and the loss scale."""
    adam = {
        f"{name}/{key}": value.contiguous()
        for name, parameter in updater.model.named_parameters()
        for key, value in updater.optimizer.state[parameter].items()
    }
    return {**adam, **{f"{LOSS_SCALE}/{key}": v for key, v in updater.precision.state().items()}}


def _restore(updater: Updater, tensors: dict[str, Tensor]) -> None:
    parameters = dict(updater.model.named_parameters())
    state: dict[str, dict[str, Any]] = {}
    for key, value in tensors.items():
        name, _, entry = key.rpartition("/")
        state.setdefault(name, {})[entry] = value.to(updater.ranks.device)
    updater.precision.restore(state.pop(LOSS_SCALE))
    for name, entries in state.items():
        updater.optimizer.state[parameters[name]].update(entries)
