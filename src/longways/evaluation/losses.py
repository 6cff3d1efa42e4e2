"""Losses of the last sentence of each window, computed with any runtime."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from longways.corpus.batching.batch import by_length
from longways.corpus.prepared_data import Split
from longways.corpus.window import translation_windows
from longways.decoding.runtime import AnyRuntime, pad_rows
from longways.decoding.windows import Pair, source_window
from longways.evaluation.metrics.bootstrap import Statistics
from longways.translation.dataset import split_documents

MAX_BATCH_TOKENS = 65_536
"""The largest batch of windows, in tokens with padding."""

Advance: TypeAlias = Callable[[], None]
"""Called once for each sentence that is done."""


def last_sentence_losses(
    runtime: AnyRuntime,
    pairs: Sequence[Pair],
    contexts: Sequence[Sequence[Pair]],
    advance: Advance = lambda: None,
) -> Statistics:
    """(sentences, 2): the summed loss of each sentence after its context, and its tokens.

    If a window has too many tokens for the model, its earliest sentences are left out. A sentence
    that is too long by itself has zeros.
    """
    windows = [
        _window(context, pair, runtime.positions)
        for context, pair in zip(contexts, pairs, strict=True)
    ]
    sums = np.zeros((len(windows), 2))
    fitting = [i for i, window in enumerate(windows) if _size(window) <= runtime.positions]
    for batch in by_length([_size(windows[i]) for i in fitting], MAX_BATCH_TOKENS):
        indices = [fitting[i] for i in batch]
        source, target = (pad_rows([windows[i][side] for i in indices]) for side in (0, 1))
        scores = runtime.score(source, target)
        for row, i in enumerate(indices):
            end, own = len(windows[i][1]), len(pairs[i].target) + 1
            sums[i] = -scores[row, end - own : end].sum(), own
            advance()
    return sums


def _window(context: Sequence[Pair], last: Pair, max_tokens: int) -> tuple[list[int], list[int]]:
    """Both sides of the window that ends with a sentence, with as much context as fits."""
    for first in range(len(context) + 1):
        pairs = [*context[first:], last]
        window = source_window([p.source for p in pairs]), source_window([p.target for p in pairs])
        if _size(window) <= max_tokens:
            break
    return window


def _size(window: tuple[list[int], list[int]]) -> int:
    return max(map(len, window))


def split_pairs(split: Split) -> list[Pair]:
    """Every sentence of a split with its reference, as token ids."""
    sides = (
        [s for d in split_documents(ids, offsets, split.documents) for s in d]
        for ids, offsets in (
            (split.source, split.source_offsets),
            (split.target, split.target_offsets),
        )
    )
    return [Pair(*sentences) for sentences in zip(*sides, strict=True)]


def true_contexts(pairs: Sequence[Pair], split: Split, L: int) -> list[Sequence[Pair]]:
    """For each sentence, the sentences before it in its window of L."""
    windows = translation_windows(np.asarray(split.documents), L)
    return [pairs[first : after - 1] for first, after in windows.tolist()]


def by_document(sums: Statistics, split: Split) -> Statistics:
    """(documents, 2): the losses and tokens of sentences, summed over each document."""
    return np.asarray(np.add.reduceat(sums, np.asarray(split.documents[:-1]), axis=0))
