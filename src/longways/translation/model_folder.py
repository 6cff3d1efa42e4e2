"""Which model translates, and what its folder says of it before any engine is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from longways.errors import CheckpointError, ConfigError, TextError
from longways.model.manifest import CONFIG_FILE, read_manifest
from longways.text.manifest import TEXT_FOLDER
from longways.text.pipeline import TextPipeline

MODELS = Path(__file__).parents[1] / "models"
"""Where the models lie that come with the package."""


@dataclass(frozen=True)
class ModelFolder:
    """A model that can translate text."""

    folder: Path
    text: TextPipeline
    L: int
    """Sentences in a window that it was trained on."""
    best_window: int
    """Sentences in a window that it is used with unless told: those it does best with."""

    @classmethod
    def read(cls, folder: Path) -> ModelFolder:
        """What a folder says of itself, checked; its weights are not read yet."""
        if not (folder / CONFIG_FILE).exists() and (folder / "best" / CONFIG_FILE).exists():
            raise CheckpointError(
                f"{folder} is a run; the model in it is at {folder / 'best'}. Name that folder."
            )
        facts = read_manifest(folder).facts
        if folder.is_dir() and not (folder / TEXT_FOLDER).is_dir():
            raise TextError(
                f"{folder} has no folder {TEXT_FOLDER}, so its model knows no words. Name a model "
                "folder that `longways train` has written."
            )
        text = TextPipeline.load(folder / TEXT_FOLDER)
        L = int(facts.get("L", 1))
        return cls(folder, text, L, int(facts.get("window", L)))

    def window(self, wanted: int | None) -> int:
        """The L to translate with: the one it does best with, or any up to the trained one."""
        if wanted is None:
            return self.best_window
        if wanted < 1:
            raise ConfigError(f"The window is {wanted}, but it must be at least 1 sentence.")
        if wanted > self.L:
            raise ConfigError(
                f"A window of {wanted} sentences is longer than the {self.L} this model was "
                f"trained on: it has never seen so much context, and what it was not trained on it "
                f"translates badly. Use {self.L} or fewer."
            )
        return wanted


def default_model() -> Path:
    """The folder of the model that comes with the package."""
    found = sorted(path.parent for path in MODELS.glob(f"*/{CONFIG_FILE}"))
    if (MODELS / CONFIG_FILE).exists():
        return MODELS
    if not found:
        raise CheckpointError(
            "No model comes with this Longways yet. Name the folder of one: "
            "longways translate --model DIR, or longways.load(DIR)."
        )
    return found[0]
