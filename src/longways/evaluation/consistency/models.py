"""Accuracy of several models on contrastive sets, by L and by distance of the deciding sentence."""

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
from longways.translation.model_folder import ModelFolder, parse_context

MAX_BATCH_TOKENS = {"cpu": 4096, "cuda": 16_384}
"""The largest batch on each device, in tokens."""

Row = dict[str, Any]


@dataclass(frozen=True)
class ConsistencyTask:
    """A model, and the sets and window sizes it is tested with."""

    model: Path
    runs: tuple[tuple[ContrastiveSet, int], ...]

    @property
    def name(self) -> str:
        """The name of the model."""
        return model_name(self.model)

    @property
    def candidates(self) -> int:
        """The number of candidates to score, over all sets and window sizes."""
        return sum(found.candidates for found, _ in self.runs)


def plan_consistency(
    models: Sequence[Path],
    sets: Sequence[ContrastiveSet],
    windows: Sequence[int] | None = None,
    contexts: Sequence[str] | None = None,
) -> list[ConsistencyTask]:
    """The task of each model, checked before anything is computed.

    By default L goes from 1 to the L that a model was trained on, so a sentence-level model scores
    last sentences only. A stream model has `contexts`, numbers of sentences or `all`, instead of
    windows; by default 0 to all. A context of n sentences is scored as L = n + 1.
    """
    names = [model_name(model) for model in models]
    for model, name in zip(models, names, strict=True):
        if names.count(name) > 1:
            raise ConfigError(
                f"Two models are called {name} ({model} is one), but the rows of a table need "
                "different names. Name each model once, or rename a folder."
            )
    return [
        ConsistencyTask(
            model, tuple((s, L) for s in sets for L in _sizes(model, s, windows, contexts))
        )
        for model in models
    ]


def _sizes(
    model: Path,
    found: ContrastiveSet,
    windows: Sequence[int] | None,
    contexts: Sequence[str] | None,
) -> Sequence[int]:
    """Every L that a model is tested with."""
    folder = ModelFolder.read(model)
    if not folder.is_stream:
        folder.context(None, given=bool(contexts))
        return _windows(model, found, windows)
    for window in windows or ():
        folder.window(window)
    if not contexts:
        return range(1, found.sentences + 1)
    wanted = [parse_context(context) for context in contexts]
    return sorted({found.sentences if n is None else min(n + 1, found.sentences) for n in wanted})


def _windows(model: Path, found: ContrastiveSet, wanted: Sequence[int] | None) -> Sequence[int]:
    trained = int(read_manifest(model).facts.get("L", 1))
    for L in wanted or ():
        if L < 1:
            raise ConfigError(f"--window is {L}, but a window has at least one sentence.")
        if trained < L:
            raise ConfigError(
                f"{model} was trained with {_up_to(trained)} in a window, so it cannot be tested "
                f"with L={L}. Use a smaller --window, or train a model with batches.L={L}."
            )
        if found.sentences < L:
            raise ConfigError(
                f"The items of {found.path} have {_up_to(found.sentences)}, so there are no "
                f"windows of L={L}. Use a smaller --window."
            )
    return sorted(set(wanted)) if wanted else range(1, min(trained, found.sentences) + 1)


def _up_to(sentences: int) -> str:
    return "one sentence" if sentences == 1 else f"up to {sentences} sentences"


def run_consistency(
    task: ConsistencyTask, device: str = "cpu", advance: Callable[[int], None] = lambda _: None
) -> list[Row]:
    """A row for each set and L; `advance` is called with the number of newly scored candidates."""
    runtime = open_runtime(task.model, device)
    text = TextPipeline.load(task.model / TEXT_FOLDER)
    rows = []
    for contrastive_set, L in task.runs:
        try:
            found = measure_consistency(
                runtime,
                text,
                contrastive_set.items,
                L,
                tokens=MAX_BATCH_TOKENS[device],
                advance=advance,
            )
        except WindowError as error:
            raise WindowError(f"{contrastive_set.path}, {error}") from error
        rows.append({"model": task.name, **_row(contrastive_set, L, found)})
    return rows


def _row(contrastive_set: ContrastiveSet, L: int, found: Consistency) -> Row:
    near = {f"distance {d}": round(r / n, 4) for d, (r, n) in found.by_distance.items() if d}
    return {
        "set": contrastive_set.name,
        "L": L,
        "accuracy": round(found.accuracy, 4),
        "guessing": round(contrastive_set.guessing, 4),
        "items": found.items,
        "candidates": contrastive_set.candidates,
        "ties": found.ties,
        "by distance": near,
    }
