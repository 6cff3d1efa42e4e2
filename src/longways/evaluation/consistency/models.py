"""Models side by side on contrastive sets: accuracy by L and by distance of the context."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longways.decoding.open import open_runtime
from longways.errors import ConfigError, WindowError
from longways.evaluation.consistency.accuracy import Consistency, measure_consistency
from longways.evaluation.consistency.sets import ContrastiveSet
from longways.evaluation.test_set import model_name
from longways.model.manifest import read_manifest
from longways.text.manifest import TEXT_FOLDER
from longways.text.pipeline import TextPipeline

TOKENS = {"cpu": 4096, "cuda": 16_384}
"""Of a batch at most, by the device."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Questions:
    """What one model is asked: every set with every L that both it and the set have."""

    model: Path
    asked: tuple[tuple[ContrastiveSet, int], ...]

    @property
    def name(self) -> str:
        """Of the model."""
        return model_name(self.model)

    @property
    def candidates(self) -> int:
        """To be scored, all sets and window lengths together."""
        return sum(found.candidates for found, _ in self.asked)


def plan_questions(
    models: Sequence[Path], sets: Sequence[ContrastiveSet], windows: Sequence[int] | None = None
) -> list[Questions]:
    """What to ask of each model, checked before anything is computed.

    Without windows, every L from 1 to what a model was trained on; a sentence-level model is asked
    about last sentences only.
    """
    names = [model_name(model) for model in models]
    for model, name in zip(models, names, strict=True):
        if names.count(name) > 1:
            raise ConfigError(
                f"Two models are called {name} ({model} is one), so a table cannot tell them "
                "apart. Name each once, or rename a folder."
            )
    return [
        Questions(model, tuple((s, L) for s in sets for L in _windows(model, s, windows)))
        for model in models
    ]


def _windows(model: Path, found: ContrastiveSet, asked: Sequence[int] | None) -> Sequence[int]:
    trained = int(read_manifest(model).facts.get("L", 1))
    for L in asked or ():
        if L < 1:
            raise ConfigError(f"--window is {L}, but a window has at least one sentence.")
        if trained < L:
            raise ConfigError(
                f"{model} was trained with {_up_to(trained)} in a window, so it cannot be asked "
                f"about L={L}. Give a smaller --window, or train one with batches.L={L}."
            )
        if found.sentences < L:
            raise ConfigError(
                f"The items of {found.path} have {_up_to(found.sentences)}, so there are no "
                f"windows of L={L}. Give a smaller --window."
            )
    return sorted(set(asked)) if asked else range(1, min(trained, found.sentences) + 1)


def _up_to(sentences: int) -> str:
    return "one sentence" if sentences == 1 else f"up to {sentences} sentences"


def answer(
    questions: Questions, device: str = "cpu", advance: Callable[[int], None] = lambda _: None
) -> list[Row]:
    """A row for each set and L. `advance` is told how many more candidates are scored."""
    runtime = open_runtime(questions.model, device)
    text = TextPipeline.load(questions.model / TEXT_FOLDER)
    rows = []
    for asked, L in questions.asked:
        try:
            found = measure_consistency(
                runtime, text, asked.items, L, tokens=TOKENS[device], advance=advance
            )
        except WindowError as error:
            raise WindowError(f"{asked.path}, {error}") from error
        rows.append({"model": questions.name, **_row(asked, L, found)})
    return rows


def _row(asked: ContrastiveSet, L: int, found: Consistency) -> Row:
    near = {f"distance {d}": round(r / n, 4) for d, (r, n) in found.by_distance.items() if d}
    return {
        "set": asked.name,
        "L": L,
        "accuracy": round(found.accuracy, 4),
        "guessing": round(asked.guessing, 4),
        "items": found.items,
        "candidates": asked.candidates,
        "ties": found.ties,
        "by distance": near,
    }
