"""The models that a run writes: the best, the most recent, and their average.

    RUN/best/         the best model so far, by the validation metric of the run
    RUN/recent/N/     the model after update N, for the last `training.average` validations
    RUN/average/      the mean of the recent models, written at the end of the run

Each is a complete model folder: it includes the text pipeline and needs nothing else of the run.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from longways.atomic_folder import atomic_folder
from longways.corpus.prepared_data import PreparedData
from longways.errors import DamagedCheckpoint
from longways.model.checkpoint import load_model, write_model
from longways.model.translation import TranslationModel
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.training.config import RunConfig
from longways.training.runs.run import BEST_FOLDER

RECENT_FOLDER, AVERAGE_FOLDER = "recent", "average"


class ModelSelection:
    """Writes the models of one run."""

    def __init__(self, folder: Path, config: RunConfig, data: PreparedData) -> None:
        self.folder, self.count = folder, config.training.average
        self.text = data.folder / TEXT_FOLDER
        self.facts = {
            "data": data.folder.name,
            "source_language": data.config["source_language"],
            "target_language": data.config["target_language"],
            "L": config.batches.L,
            **config.length.to_facts(),
        }

    def write(self, model: TranslationModel, draft: Path, **facts: Any) -> None:
        """Write a model and its text pipeline into a draft folder."""
        write_model(model, draft, **self.facts, **facts)
        shutil.copytree(self.text, draft / TEXT_FOLDER)

    def keep_best(self, model: TranslationModel, **facts: Any) -> None:
        """Replace the best model."""
        with atomic_folder(self.folder / BEST_FOLDER) as draft:
            self.write(model, draft, **facts)

    def keep_recent(self, model: TranslationModel, update: int) -> None:
        """Add a model to the recent models, and delete the oldest."""
        if not self.count:
            return
        with atomic_folder(self.folder / RECENT_FOLDER / str(update)) as draft:
            self.write(model, draft, update=update)
        for old in self._recent(update)[: -self.count]:
            shutil.rmtree(old)

    def write_average(self, update: int) -> None:
        """Write the mean of the recent models."""
        recent = self._recent(update)
        if not recent:
            return
        model = average(recent)
        with atomic_folder(self.folder / AVERAGE_FOLDER) as draft:
            self.write(model, draft, average_of=[int(folder.name) for folder in recent])

    def check_text(self, folder: Path) -> None:
        """Raise an error if a checkpoint has another vocabulary than the data."""
        if not same_pipeline(folder / TEXT_FOLDER, self.text):
            raise DamagedCheckpoint(
                f"{folder} was trained with another vocabulary than that of {self.text.parent}. "
                "Use the data it was trained on."
            )

    def _recent(self, update: int) -> list[Path]:
        """Recent models up to this update, oldest first; later ones are from an earlier run."""
        folders = (self.folder / RECENT_FOLDER).glob("[0-9]*")
        return sorted((f for f in folders if int(f.name) <= update), key=lambda f: int(f.name))


def average(folders: list[Path]) -> TranslationModel:
    """The mean of the weights of several models, computed in float64."""
    model = load_model(folders[0])
    total: dict[str, Tensor] = {k: p.detach().double() for k, p in model.named_parameters()}
    for folder in folders[1:]:
        for key, parameter in load_model(folder).named_parameters():
            total[key] += parameter.detach().double()
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            parameter.copy_(total[key] / len(folders))
    return model
