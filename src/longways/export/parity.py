"""Parity of an exported model with its torch model: log-probabilities and translations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.onnx.open import load_exported
from longways.decoding.runtime import AnyRuntime, Scores, Tokens, pad_rows, row_lengths
from longways.decoding.torch_stream import torch_runtime
from longways.decoding.windows import source_window
from longways.model.checkpoint import load_model
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD, UNK
from longways.translation.documents import Sentences, gather, translate_documents

COMPARED_STEPS = 8
"""The number of decoding steps after the prefix that are compared."""

_SEED = 5


@dataclass(frozen=True, kw_only=True)
class Parity:
    """The largest differences of log-probabilities, and the number of equal translations."""

    score: float
    """The largest difference for all tokens of target windows, scored in parallel."""
    prefix: float
    """The largest difference for the best candidates after a forced prefix, rank by rank."""
    steps: float
    """The largest difference for the best candidates at later steps, with reordered beams."""
    sentences: int
    """The number of sentences that both models translated."""
    same: int
    """The number of sentences with the same translation."""


@dataclass(frozen=True)
class _Windows:
    """The windows that both runtimes score, (B, N) and (B, T)."""

    source: Tokens
    target: Tokens
    prefix: int = field(init=False)
    """The number of target tokens in the prefix, the same for all windows."""

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
    """Compare a model folder with its export, by documents (random ones if None)."""
    config = config or TranslateConfig(search=SearchConfig(beams=1))
    torch, onnx = torch_runtime(load_model(folder)), load_exported(exported, threads)
    documents = documents or random_documents(torch.model.config.source_vocabulary)
    expected, found = (_translate(runtime, documents, config) for runtime in (torch, onnx))
    rows = zip(expected, found, strict=True)
    pairs = [pair for translations in rows for pair in zip(*translations, strict=True)]
    windows = _windows(documents, expected, config.L, torch.positions)
    # A stream model scores windows, too, but it searches sentences.
    searched_L = 1 if torch.model.config.is_stream else config.L
    searched = _windows(documents, expected, searched_L, torch.positions)
    candidates = zip(_candidates(torch, searched), _candidates(onnx, searched), strict=True)
    prefix, *steps = [_difference(*pair) for pair in candidates]
    scores = [runtime.score(windows.source, windows.target) for runtime in (torch, onnx)]
    return Parity(
        score=_difference(*scores),
        prefix=prefix,
        steps=max(steps, default=0.0),
        sentences=len(pairs),
        same=sum(one == other for one, other in pairs),
    )


def random_documents(
    vocabulary: int, documents: int = 8, sentences: int = 6
) -> list[list[list[int]]]:
    """Documents with random sentences of 1 to 20 tokens, from a fixed seed."""
    rng = np.random.default_rng(_SEED)
    return [
        [rng.integers(UNK + 1, vocabulary, n).tolist() for n in rng.integers(1, 21, sentences)]
        for _ in range(documents)
    ]


def _translate(
    runtime: AnyRuntime, documents: Sequence[Sentences], config: TranslateConfig
) -> list[list[list[int]]]:
    return gather(translate_documents(runtime, documents, config), [len(d) for d in documents])


def _windows(
    documents: Sequence[Sentences], translations: Sequence[Sentences], L: int, positions: int
) -> _Windows:
    """The first non-empty sentences of each document, at most L, with their translations.

    There are only as many as fit into the model's positions; the first one always fits.
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
    """The number of tokens of the longer language, separators included."""
    return max(sum(len(sentence) + 1 for sentence in side) for side in zip(*pairs, strict=True))


def _candidates(runtime: AnyRuntime, windows: _Windows) -> list[Scores]:
    """The best log-probabilities at each step; the two beams of a window are always swapped.

    They are NaN after the end of a window, where no search takes a step.
    """
    target, start = windows.target, windows.prefix
    opened = np.pad(target, ((0, 0), (1, 0)), constant_values=BOS)  # <bos> t1 t2 ...
    state = runtime.start(runtime.encode(windows.source), opened[:, :start], beams=2)
    parents, found = np.array([[1, 0]] * len(target)), []
    for place in range(start, min(start + COMPARED_STEPS, opened.shape[1] - 1)):
        tokens = np.repeat(opened[:, place : place + 1], 2, axis=1)
        scores, _, state = runtime.step(tokens, parents, state)
        found.append(np.where(np.isin(tokens, (EOS, PAD))[..., None], np.nan, scores))
    return found


def _difference(one: Scores, other: Scores) -> float:
    """The largest absolute difference of finite values."""
    finite = np.isfinite(one) & np.isfinite(other)
    return float(np.abs(np.where(finite, one - other, 0)).max(initial=0))
