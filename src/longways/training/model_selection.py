"""Models that a run keeps: the best, the last few, and their average.

    RUN/best/         the best model so far, by the metric of the run
    RUN/recent/N/     the model after update N, at the last few looks (training.average of them)
    RUN/average/      the mean of those, written when the run ends

Each is a whole model folder: it takes the text pipeline along, and needs nothing of the run.
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
        }

    def write(self, model: TranslationModel, draft: Path, **facts: Any) -> None:
        """A model and its text pipeline, into a folder that is being made."""
        write_model(model, draft, **self.facts, **facts)
        shutil.copytree(self.text, draft / TEXT_FOLDER)

    def keep_best(self, model: TranslationModel, **facts: Any) -> None:
        """Replace the best model."""
        with atomic_folder(self.folder / BEST_FOLDER) as draft:
            self.write(model, draft, **facts)

    def keep_recent(self, model: TranslationModel, update: int) -> None:
        """Add this model to the last few, and let the oldest go."""
        if not self.count:
            return
        with atomic_folder(self.folder / RECENT_FOLDER / str(update)) as draft:
            self.write(model, draft, update=update)
        for old in self._recent(update)[: -self.count]:
            shutil.rmtree(old)

    def write_average(self, update: int) -> None:
        """The mean of the last few models."""
        recent = self._recent(update)
        if not recent:
            return
        model = average(recent)
        with atomic_folder(self.folder / AVERAGE_FOLDER) as draft:
            self.write(model, draft, average_of=[int(folder.name) for folder in recent])

    def check_text(self, folder: Path) -> None:
        """Raise if a checkpoint was trained with another vocabulary than the data has."""
        if not same_pipeline(folder / TEXT_FOLDER, self.text):
            raise DamagedCheckpoint(
                f"{folder} was trained with another vocabulary than that of {self.text.parent}, "
                "so its words mean something else. Use the data it was trained on."
            )

    def _recent(self, update: int) -> list[Path]:
        """Model folders up to this update, oldest first; later ones are of a run begun anew."""
        folders = (self.folder / RECENT_FOLDER).glob("[0-9]*")
        return sorted((f for f in folders if int(f.name) <= update), key=lambda f: int(f.name))


def average(folders: list[Path]) -> TranslationModel:
    """A model whose weights are the mean of those in the folders, computed in float64."""
    model = load_model(folders[0])
    total: dict[str, Tensor] = {k: p.detach().double() for k, p in model.named_parameters()}
    for folder in folders[1:]:
        for key, parameter in load_model(folder).named_parameters():
            total[key] += parameter.detach().double()
    with torch.no_grad():
        for key, parameter in model.named_parameters():
            parameter.copy_(total[key] / len(folders))
    return model
