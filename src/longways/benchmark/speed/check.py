"""Whether a system is right, before its speed counts: its results beside our own, in float32."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from longways.benchmark.speed.ctranslate import CTranslate
from longways.benchmark.speed.windows import Shape, windows_of
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import pad_rows
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.model.translation import TranslationModel

CLOSE = {"float32": 1e-3, "bfloat16": 0.05, "int8": 0.1}
"""By how much the log-probability of a token may differ, in the mean over a window."""

SLACK = {"float32": 0.0, "bfloat16": 0.5, "int8": 0.5}
"""By how much less likely, a token, what was found may be than what our own search finds: where
numbers are rounded, beams that are nearly equal part ways."""

SHORT = 10
"""Tokens written for the comparison."""

Opened = Callable[[int, int, int], Callable[[Sequence[Window]], list[list[Hypothesis]]]]
"""A decoder with so many slots, and room for so many source and target tokens."""


def difference(
    opened: Opened, model: TranslationModel, beams: int, weights: str = "float32"
) -> float:
    """How wrong a decoder is about what it found, or how much worse that is than it may be.

    Both in log-probability of a token. Windows have several lengths and find fewer slots than
    they are, if the decoder can do so.
    """
    windows = _windows(model)
    source = max(len(window.source) for window in windows)
    found = opened(2, source, SHORT)(windows)
    runtime = TorchRuntime(model)
    wanted = decode(runtime, windows, TranslateConfig(search=SearchConfig(beams=beams)))
    pairs = zip(windows, found, wanted, strict=True)
    slack = SLACK[weights]
    return max(_differs(runtime, window, one[0], own[0], slack) for window, one, own in pairs)


def _windows(model: TranslationModel) -> list[Window]:
    """A few, of tokens that both sides have."""
    vocabulary = min(model.config.source_vocabulary, model.config.target_vocabulary)
    windows = windows_of(Shape(2, 3, "check"), vocabulary, SHORT)
    return [window._replace(source=window.source[13 * i :]) for i, window in enumerate(windows)]


def _differs(
    runtime: TorchRuntime, window: Window, found: Hypothesis, own: Hypothesis, slack: float
) -> float:
    tokens = found.tokens if found.stop is None else [*found.tokens, found.stop]
    if not tokens:
        return float("inf")
    score = float(runtime.score(pad_rows([window.source]), pad_rows([tokens])).sum())
    return max(abs(found.score - score) / len(tokens), own.rank - found.rank - slack)


def check_ctranslate(model: TranslationModel, folder: Path, threads: int) -> float:
    """How far CTranslate2 is from our transformer when both have float32 weights."""
    system = CTranslate(folder, threads)
    rows = [window.source for window in _windows(model)]
    wanted = TorchRuntime(model).score(pad_rows(rows), pad_rows(rows))
    found = system.score(rows, rows)
    return max(
        float(np.abs(row[: len(other)] - other).max())
        for row, other in zip(wanted, found, strict=True)
    )
