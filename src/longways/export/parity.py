"""How close an exported model is to the one it was made of: probabilities and translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.runtime import AnyRuntime, Scores, Tokens, pad_rows, row_lengths
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import source_window
from longways.text.tokenizers.special_tokens import BOS, UNK
from longways.translation.documents import Sentences, gather, translate_documents

STEPS = 8
"""Tokens that are read one by one after the prefix."""

_SEED = 5


@dataclass(frozen=True, kw_only=True)
class Parity:
    """The greatest differences of log-probabilities, and how many translations are the same."""

    score: float
    """Of every token of target windows, read at once."""
    prefix: float
    """Of the best candidates right after a forced prefix, rank by rank."""
    steps: float
    """Of the best candidates at the steps after that, beams changing places."""
    sentences: int
    """Translated by both."""
    same: int
    """Translated by both alike, to the last token."""


@dataclass(frozen=True)
class _Windows:
    """What both engines are asked about, (B, N) and (B, T)."""

    source: Tokens
    target: Tokens
    prefix: int = field(init=False)
    """Target tokens of the prefix, the same for all windows."""

    def __post_init__(self) -> None:
        shortest = int(row_lengths(self.target).min())
        object.__setattr__(self, "prefix", shortest // 2)


def parity(
    folder: Path,
    exported: Path,
    documents: Sequence[Sentences] | None = None,
    config: TranslateConfig | None = None,
    threads: int | None = None,
) -> Parity:
    """Compare a model folder and what it was exported to, by documents (random ones if None)."""
    config = config or TranslateConfig(search=SearchConfig(beams=1))
    exact, rough = TorchRuntime.load(folder), OnnxRuntime.load(exported, threads)
    documents = documents or random_documents(exact.model.config.source_vocabulary)
    wanted, found = (_translate(runtime, documents, config) for runtime in (exact, rough))
    pairs = [pair for rows in zip(wanted, found, strict=True) for pair in zip(*rows, strict=True)]
    windows = _windows(documents, wanted, config.L, exact.positions)
    candidates = zip(_candidates(exact, windows), _candidates(rough, windows), strict=True)
    prefix, *steps = [_difference(*pair) for pair in candidates]
    scores = [runtime.score(windows.source, windows.target) for runtime in (exact, rough)]
    return Parity(
        score=_difference(*scores),
        prefix=prefix,
        steps=max(steps, default=0.0),
        sentences=len(pairs),
        same=sum(one == other for one, other in pairs),
    )


def random_documents(words: int, documents: int = 8, sentences: int = 6) -> list[list[list[int]]]:
    """Sentences of 1 to 20 words each, the same ones every time."""
    rng = np.random.default_rng(_SEED)
    return [
        [rng.integers(UNK + 1, words, size).tolist() for size in rng.integers(1, 21, sentences)]
        for _ in range(documents)
    ]


def _translate(
    runtime: AnyRuntime, documents: Sequence[Sentences], config: TranslateConfig
) -> list[list[list[int]]]:
    return gather(translate_documents(runtime, documents, config), [len(d) for d in documents])


def _windows(
    documents: Sequence[Sentences], translations: Sequence[Sentences], L: int, positions: int
) -> _Windows:
    """The first sentences of each document that have words, at most L, with their translations.

    No more than fit into the model's positions, and at least one: that was translated, so it fits.
    """
    sides: tuple[list[list[int]], list[list[int]]] = ([], [])
    for document, translation in zip(documents, translations, strict=True):
        pairs = [pair for pair in zip(document, translation, strict=True) if len(pair[0])][:L]
        while len(pairs) > 1 and _longest(pairs) > positions:
            pairs.pop()
        for rows, sentences in zip(sides, zip(*pairs, strict=True), strict=True):
            rows.append(source_window(sentences))
    return _Windows(*(pad_rows(rows) for rows in sides))


def _longest(pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> int:
    """Tokens of the longer side, separators included."""
    return max(sum(len(sentence) + 1 for sentence in side) for side in zip(*pairs, strict=True))


def _candidates(runtime: AnyRuntime, windows: _Windows) -> list[Scores]:
    """The best log-probabilities at each step, two beams of a window changing places."""
    target, start = windows.target, windows.prefix
    opened = np.pad(target, ((0, 0), (1, 0)), constant_values=BOS)  # <bos> t1 t2 ...
    state = runtime.start(runtime.encode(windows.source), opened[:, :start], beams=2)
    parents, found = np.array([[1, 0]] * len(target)), []
    for place in range(start, min(start + STEPS, opened.shape[1] - 1)):
        tokens = np.repeat(opened[:, place : place + 1], 2, axis=1)
        scores, _, state = runtime.step(tokens, parents, state)
        found.append(scores)
    return found


def _difference(one: Scores, other: Scores) -> float:
    """The greatest difference; where both have minus infinity there is none."""
    finite = np.isfinite(one) & np.isfinite(other)
    return float(np.abs(np.where(finite, one - other, 0)).max(initial=0))
