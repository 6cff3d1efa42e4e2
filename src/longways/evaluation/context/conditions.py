"""Three contexts for every sentence, to measure how much a model uses its context.

Every sentence is scored and translated as the last of its window. The earlier sentences, with their
reference translations, are the sentences before it (true), the same number of sentences from
another document (other), or none. A model that uses its context does best with the true one; its
loss with another document's context shows how much it relies on it. With references as context the
three results are comparable, and all sentences can be translated in parallel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from longways.corpus.prepared_data import Split
from longways.decoding.config import TranslateConfig
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import search_all
from longways.decoding.windows import Pair, Window, sliding_window
from longways.evaluation.losses import Advance, split_pairs, true_contexts

ContextKind = Literal["true", "other", "none"]
CONTEXT_KINDS: tuple[ContextKind, ...] = ("true", "other", "none")


@dataclass(frozen=True)
class Contexts:
    """The sentences of a split and their three contexts."""

    pairs: list[Pair]
    """Every sentence with its reference."""
    documents: NDArray[np.int64]
    """The document number of each sentence."""
    contexts: dict[ContextKind, Sequence[Sequence[Pair]]]


def make_contexts(split: Split, L: int, seed: int = 1) -> Contexts:
    """The three contexts of every sentence; other documents are drawn at random."""
    pairs, starts = split_pairs(split), np.asarray(split.documents)
    documents = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    true = true_contexts(pairs, split, L)
    rng = np.random.default_rng(seed)
    other = [
        _other_context(pairs, documents, i, len(context), rng) for i, context in enumerate(true)
    ]
    return Contexts(pairs, documents, {"true": true, "other": other, "none": [[] for _ in pairs]})


def _other_context(
    pairs: Sequence[Pair],
    documents: NDArray[np.int64],
    index: int,
    count: int,
    rng: np.random.Generator,
) -> list[Pair]:
    """`count` consecutive sentences of another document, or fewer if that document is shorter."""
    others = np.flatnonzero(documents != documents[index])
    if not count or not len(others):
        return []
    last = int(rng.choice(others))
    same = np.flatnonzero(documents == documents[last])
    first = max(int(same[0]), last - count + 1)
    return [pairs[i] for i in range(first, last + 1)]


def context_translations(
    runtime: AnyRuntime,
    found: Contexts,
    kind: ContextKind,
    config: TranslateConfig,
    advance: Advance = lambda: None,
) -> list[list[int]]:
    """Translate every sentence with one kind of context as the forced prefix."""
    windows: list[Window] = [
        sliding_window(context, pair.source, config.length, runtime.positions)
        for context, pair in zip(found.contexts[kind], found.pairs, strict=True)
    ]
    translations: list[list[int]] = [[] for _ in windows]
    for index, hypotheses in search_all(runtime, windows, config):
        translations[index] = hypotheses[0].tokens
        advance()
    return translations
