"""Check that a system decodes correctly before it is measured, against torch in float32."""

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

TOLERANCE = {"float32": 1e-3, "bfloat16": 0.05, "int8": 0.1}
"""The allowed difference in log-probability per token, as the mean over a window."""

SEARCH_TOLERANCE = {"float32": 0.0, "bfloat16": 0.5, "int8": 0.5}
"""The allowed loss in log-probability per token against our own search. Rounding changes the order
of beams with nearly equal scores."""

CHECK_TOKENS = 10
"""Tokens that are decoded for the check."""

OpenDecoder = Callable[[int, int, int], Callable[[Sequence[Window]], list[list[Hypothesis]]]]
"""Opens a decoder, given its slots and the largest numbers of source and target tokens."""


def difference(
    opened: OpenDecoder, model: TranslationModel, beams: int, weights: str = "float32"
) -> float:
    """The largest error of a decoder, in log-probability per token.

    An error is a wrong score of its hypothesis, or a hypothesis worse than our own by more than
    `SEARCH_TOLERANCE`. There are more windows than slots, with different lengths.
    """
    windows = _windows(model)
    source = max(len(window.source) for window in windows)
    found = opened(2, source, CHECK_TOKENS)(windows)
    runtime = TorchRuntime(model)
    wanted = decode(runtime, windows, TranslateConfig(search=SearchConfig(beams=beams)))
    pairs = zip(windows, found, wanted, strict=True)
    slack = SEARCH_TOLERANCE[weights]
    return max(_error(runtime, window, one[0], own[0], slack) for window, one, own in pairs)


def _windows(model: TranslationModel) -> list[Window]:
    """Some windows, with tokens that both vocabularies have."""
    vocabulary = min(model.config.source_vocabulary, model.config.target_vocabulary)
    windows = windows_of(Shape(2, 3, "check"), vocabulary, CHECK_TOKENS)
    return [window._replace(source=window.source[13 * i :]) for i, window in enumerate(windows)]


def _error(
    runtime: TorchRuntime, window: Window, found: Hypothesis, own: Hypothesis, slack: float
) -> float:
    tokens = found.tokens if found.stop is None else [*found.tokens, found.stop]
    if not tokens:
        return float("inf")
    score = float(runtime.score(pad_rows([window.source]), pad_rows([tokens])).sum())
    return max(abs(found.score - score) / len(tokens), own.rank - found.rank - slack)


def check_ctranslate(model: TranslationModel, folder: Path, threads: int) -> float:
    """The largest difference of CTranslate2 from our transformer with float32 weights."""
    system = CTranslate(folder, threads)
    rows = [window.source for window in _windows(model)]
    wanted = TorchRuntime(model).score(pad_rows(rows), pad_rows(rows))
    found = system.score(rows, rows)
    return max(
        float(np.abs(row[: len(other)] - other).max())
        for row, other in zip(wanted, found, strict=True)
    )
