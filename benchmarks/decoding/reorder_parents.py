"""Parents of beams for `python -m benchmarks reorder`: random, or recorded in a real search.

S steps of a search, N steps of the benchmark, B windows, K beams.

`random` parents are drawn independently for each beam and step. `searched` parents are recorded
while the bundled model translates a text by beam search: every window starts at another step of the
record and follows it in order.
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
"""The text that is translated for searched parents."""


class Parents(NamedTuple):
    """A kind of parents."""

    name: str
    draw: Callable[[int, int], Tokens]
    """Parents (N, B, K) for N steps of B windows, the same in every call."""


def kinds_of_parents(names: Sequence[str], text: Path) -> list[Parents]:
    """The kinds with these names; `searched` translates the text."""
    return [
        Parents(name, partial(draw_searched, searched_parents(text)))
        if name == "searched"
        else Parents(name, draw_random)
        for name in names
    ]


def draw_random(steps: int, windows: int) -> Tokens:
    """Independent random parents; in every step at least one beam moves."""
    parents = np.random.default_rng(1).integers(0, BEAMS, (steps, windows, BEAMS))
    parents[:, :, 0] = BEAMS - 1
    return parents


def draw_searched(record: Tokens, steps: int, windows: int) -> Tokens:
    """Consecutive steps of a record (S, K), from another start for each window."""
    first = np.random.default_rng(1).integers(0, len(record), windows)
    parents: Tokens = record[(first + np.arange(steps)[:, None]) % len(record)]
    return parents


def searched_parents(text: Path) -> Tokens:
    """The parents (S, K) of every step in which the bundled model translates a text."""
    if not text.is_file():
        raise ConfigError(f"There is no text {text} to search. Name one in Chinese with --text.")
    model = ModelFolder.read(default_model())
    runtime = RecordingRuntime.load(model.folder)
    Translator(model, runtime).translate(text.read_text(encoding="utf-8"), beam=BEAMS)
    if not runtime.recorded:
        raise ConfigError(f"{text} has no sentence to search. Name another with --text.")
    return np.stack(runtime.recorded)


class RecordingRuntime(OnnxRuntime):
    """An ONNX runtime that records the parents of its steps."""

    @cached_property
    def recorded(self) -> list[Tokens]:
        """Parents (K,) of every step, of the only window."""
        return []

    def step(
        self, tokens: Tokens, parents: Tokens, state: OnnxState
    ) -> tuple[Scores, Tokens, OnnxState]:
        """Take a step and record its parents."""
        (own,) = parents  # windows of one document are searched one after another
        self.recorded.append(own)
        return super().step(tokens, parents, state)


def rows_copied(parents: Tokens) -> float:
    """Mean number of rows per window and step that ONNX Runtime copies, for parents (N, B, K)."""
    steps, windows, _ = parents.shape
    return sum(len(assign_rows(step).sources) for step in parents) / int(steps * windows)
