"""The parents that beams follow in `longways bench reorder`: drawn at random, or those of a search.

S steps of a search, N steps of the benchmark, B windows, K beams.

`random` parents are drawn for each beam by itself, in every step, as if all beams were equally
likely to go on. `searched` ones are those of a beam search by the model that comes along, which
translates a text: every window begins at another of its steps, and goes through them in their
order, sentence after sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from longways.decoding.onnx.beam_rows import assign_rows
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.onnx.states import OnnxState
from longways.decoding.runtime import Scores, Tokens
from longways.errors import ConfigError
from longways.translation.model_folder import ModelFolder, default_model
from longways.translation.translator import Translator

BEAMS = 4

PARENTS = ("random", "searched")

TEXT = Path("examples/first-cluster.zh.txt")
"""What is translated for parents that are searched."""


class Parents(NamedTuple):
    """A kind of parents."""

    name: str
    draw: Callable[[int, int], Tokens]
    """(N, B, K) for so many steps of so many windows, the same every time."""


def kinds_of_parents(names: Sequence[str], text: Path) -> list[Parents]:
    """Those of these names; the text is translated if one of them needs it."""
    return [
        Parents(name, partial(draw_searched, searched_parents(text)))
        if name == "searched"
        else Parents(name, draw_random)
        for name in names
    ]


def draw_random(steps: int, windows: int) -> Tokens:
    """Each beam's parent by itself, but never all as they were."""
    parents = np.random.default_rng(1).integers(0, BEAMS, (steps, windows, BEAMS))
    parents[:, :, 0] = BEAMS - 1
    return parents


def draw_searched(record: Tokens, steps: int, windows: int) -> Tokens:
    """Steps of a record (S, K) in their order, for each window from another place on."""
    first = np.random.default_rng(1).integers(0, len(record), windows)
    parents: Tokens = record[(first + np.arange(steps)[:, None]) % len(record)]
    return parents


def searched_parents(text: Path) -> Tokens:
    """The parents (S, K) of every step in which the model that comes along translates a text."""
    if not text.is_file():
        raise ConfigError(f"There is no text {text} to search. Name one in Chinese with --text.")
    model = ModelFolder.read(default_model())
    runtime = NotingRuntime.load(model.folder)
    Translator(model, runtime).translate(text.read_text(encoding="utf-8"), beam=BEAMS)
    if not runtime.noted:
        raise ConfigError(f"{text} has no sentence to search. Name another with --text.")
    return np.stack(runtime.noted)


class NotingRuntime(OnnxRuntime):
    """Exported graphs, and the parents that their steps have followed."""

    @cached_property
    def noted(self) -> list[Tokens]:
        """(K,) for every step, of the only window."""
        return []

    def step(
        self, tokens: Tokens, parents: Tokens, state: OnnxState
    ) -> tuple[Scores, Tokens, OnnxState]:
        """A step, noted."""
        (own,) = parents  # the windows of one document are searched one after the other
        self.noted.append(own)
        return super().step(tokens, parents, state)


def rows_copied(parents: Tokens) -> float:
    """Rows of a window that exported graphs copy in a step, in the mean over parents (N, B, K)."""
    steps, windows, _ = parents.shape
    return sum(len(assign_rows(step).sources) for step in parents) / int(steps * windows)
