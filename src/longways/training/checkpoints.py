"""Where a run stands, on disk: everything it needs to go on as if it had never stopped.

    RUN/run.json          what the run is: its config and its data
    RUN/log.jsonl         a line for every update told of and every look at the development part
    RUN/last/             the last checkpoint: a model folder, and beside the weights
        optimizer.safetensors     the memory of Adam, and the loss scale
        progress.json             updates, batches, best score, patience
    RUN/best/, ...        models: see `kept`

A folder is swapped in whole. Nothing random has a state to save: draws of matrices, the order of
batches and dropout all follow from seeds and counters.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import Tensor

from longways.atomic_folder import atomic_folder, recover_folder
from longways.errors import DamagedCheckpoint
from longways.model.checkpoint import load_model
from longways.training.model_selection import ModelSelection
from longways.training.update import Updater

OPTIMIZER_FILE, PROGRESS_FILE = "optimizer.safetensors", "progress.json"
SCALE = "loss-scale"
"""Stands for a parameter's name before what mixed precision remembers."""


@dataclass(frozen=True)
class Progress:
    """How far a run has come."""

    update: int = 0
    """Updates done, skipped ones included."""
    batches: int = 0
    """Batches consumed, by all ranks together: where the stream of batches goes on."""
    skipped: int = 0
    """Updates skipped because their gradient was not finite."""
    skipped_in_a_row: int = 0
    """How many of them just now."""
    best: float | None = None
    """The best development score, by the metric of the run."""
    best_update: int = 0
    """The update that had it."""
    looks_since_best: int = 0
    """Looks at the development part since then."""
    stopped: bool = False
    """Whether patience ran out."""


def save_checkpoint(
    folder: Path, updater: Updater, progress: Progress, kept: ModelSelection
) -> None:
    """Write a checkpoint in place of the one that is there."""
    with atomic_folder(folder) as draft:
        kept.write(updater.model, draft, update=progress.update)
        save_file(_tensors(updater), draft / OPTIMIZER_FILE)
        text = json.dumps(asdict(progress), indent=2) + "\n"
        (draft / PROGRESS_FILE).write_text(text, encoding="utf-8")


def load_checkpoint(folder: Path, updater: Updater) -> Progress:
    """Bring model and optimizer to where the checkpoint was, and say where that is."""
    recover_folder(folder.absolute())
    loaded = load_model(folder)
    try:
        progress = Progress(**json.loads((folder / PROGRESS_FILE).read_text(encoding="utf-8")))
        tensors = load_file(folder / OPTIMIZER_FILE)
        updater.model.load_state_dict(loaded.state_dict())
        _restore(updater, tensors)
    except (OSError, ValueError, TypeError, KeyError, RuntimeError) as error:
        raise DamagedCheckpoint(
            f"{folder} cannot be resumed from: {error}. Start the run anew in another folder."
        ) from error
    return progress


def _tensors(updater: Updater) -> dict[str, Tensor]:
    """What Adam remembers of each parameter, by the parameter's name, and the loss scale."""
    adam = {
        f"{name}/{key}": value.contiguous()
        for name, parameter in updater.model.named_parameters()
        for key, value in updater.optimizer.state[parameter].items()
    }
    return {**adam, **{f"{SCALE}/{key}": v for key, v in updater.precision.state().items()}}


def _restore(updater: Updater, tensors: dict[str, Tensor]) -> None:
    parameters = dict(updater.model.named_parameters())
    state: dict[str, dict[str, Any]] = {}
    for key, value in tensors.items():
        name, _, part = key.rpartition("/")
        state.setdefault(name, {})[part] = value.to(updater.ranks.device)
    updater.precision.restore(state.pop(SCALE))
    for name, memory in state.items():
        updater.optimizer.state[parameters[name]].update(memory)
