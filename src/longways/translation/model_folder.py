"""A model folder as the translator reads it, before any runtime is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longways.decoding.config import LengthConfig
from longways.errors import CheckpointError, ConfigError, TextError
from longways.model.manifest import CONFIG_FILE, read_manifest
from longways.text.manifest import TEXT_FOLDER
from longways.text.pipeline import TextPipeline
from longways.translation.sanity.confidence import Calibration

MODELS = Path(__file__).parents[1] / "models"
"""The folder of the bundled models."""

MAX_WINDOW = 1 << 16
"""The largest number of sentences in a window."""


@dataclass(frozen=True)
class ModelFolder:
    """A model that translates text, as its folder describes it."""

    folder: Path
    text: TextPipeline
    L: int
    """Sentences in a window of its training."""
    best_window: int
    """Sentences in a window by default: the window with the best translations."""
    length: LengthConfig = field(default_factory=LengthConfig)
    """Length limits of its translations."""
    is_stream: bool = False
    """Whether it carries a state from sentence to sentence instead of using windows."""
    confidence: Calibration | None = None
    """How the confidence of its translations is computed, if it was calibrated."""

    @classmethod
    def read(cls, folder: Path) -> ModelFolder:
        """Read and check the description of a folder; its weights are not read yet."""
        if not (folder / CONFIG_FILE).exists() and (folder / "best" / CONFIG_FILE).exists():
            raise CheckpointError(
                f"{folder} is a run; the model in it is at {folder / 'best'}. Name that folder."
            )
        manifest = read_manifest(folder)
        facts = manifest.facts
        if folder.is_dir() and not (folder / TEXT_FOLDER).is_dir():
            raise TextError(
                f"{folder} has no folder {TEXT_FOLDER}, so its model knows no words. Name a model "
                "folder that `longways train` has written."
            )
        text = TextPipeline.load(folder / TEXT_FOLDER)
        L = _sentences(folder, facts, "L", 1)
        length = LengthConfig.from_facts(facts, str(folder / CONFIG_FILE))
        window = _sentences(folder, facts, "window", L)
        confidence = Calibration.from_facts(facts, str(folder / CONFIG_FILE))
        is_stream = manifest.model.is_stream
        return cls(folder, text, L, window, length, is_stream, confidence)

    def window(self, wanted: int | None) -> int:
        """The L to translate with: the best window by default, at most the L of training."""
        if wanted is None:
            return self.best_window
        if self.is_stream:
            raise ConfigError(
                f"{self.folder} is a stream model, which has no windows: it carries the whole "
                "document. Leave out the window, or limit how far back it looks with the context, "
                "as in --context 3."
            )
        if wanted < 1:
            raise ConfigError(f"The window is {wanted}, but it must be at least 1 sentence.")
        if wanted > self.L:
            raise ConfigError(
                f"A window of {wanted} sentences is longer than the {self.L} this model was "
                f"trained on, and quality falls beyond the trained length. Use {self.L} or fewer."
            )
        return wanted

    def context(self, wanted: int | None, *, given: bool | None = None) -> int | None:
        """The sentences to carry before each one; None for all. Only stream models carry any.

        `given` says that a context was asked for, which may be all; by default if it is a number.
        """
        if not self.is_stream and (wanted is not None if given is None else given):
            raise ConfigError(
                f"{self.folder} translates in windows and carries no context. Set the number of "
                f"sentences in a window instead, as in --window {self.L}."
            )
        if wanted is not None and wanted < 0:
            raise ConfigError(f"The context is {wanted}, but it must be at least 0 sentences.")
        return wanted


def parse_context(text: str | None) -> int | None:
    """The number of sentences in an option, or None for `all` or no option."""
    if text is None or text == "all":
        return None
    if not text.isdecimal():
        raise ConfigError(
            f"--context is {text!r}, but it must be a number of sentences, such as 3, or all."
        )
    return int(text)


def _sentences(folder: Path, facts: Mapping[str, Any], name: str, default: int) -> int:
    """A number of sentences among the facts of a model."""
    value = facts.get(name, default)
    if type(value) is not int or not 1 <= value <= MAX_WINDOW:
        raise CheckpointError(
            f"{folder / CONFIG_FILE}: facts.{name} is {value!r}, but it must be a whole number "
            f"from 1 to {MAX_WINDOW}. Restore the folder from a copy."
        )
    return value


def default_model() -> Path:
    """The folder of the bundled model."""
    bundled = bundled_models()
    if not bundled:
        raise CheckpointError(
            "No model is bundled with this installation. Name a model folder: "
            "longways translate --model DIR, or longways.load(DIR)."
        )
    return next(iter(bundled.values()))


def bundled_models() -> dict[str, Path]:
    """The folders of the bundled models by their names."""
    if (MODELS / CONFIG_FILE).exists():
        return {MODELS.name: MODELS}
    found = sorted(path.parent for path in MODELS.glob(f"*/{CONFIG_FILE}"))
    return {folder.name: folder for folder in found}
