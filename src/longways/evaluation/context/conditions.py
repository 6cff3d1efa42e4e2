"""How much a model really uses its context: the true one, that of another document, and none.

Every sentence is scored and translated as the last of a window whose earlier sentences, with their
reference translations, are those before it (true), as many from another document (other), or none.
A model that uses its context does best with the true one; what it loses with another's shows how
much it relied on it. References as context make the three comparable, and all sentences can be
translated side by side.
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

Kind = Literal["true", "other", "none"]
KINDS: tuple[Kind, ...] = ("true", "other", "none")


@dataclass(frozen=True)
class Contexts:
    """The sentences of a part, and for each the context it is given."""

    pairs: list[Pair]
    """Every sentence with its reference."""
    documents: NDArray[np.int64]
    """The document of each sentence."""
    contexts: dict[Kind, Sequence[Sequence[Pair]]]


def make_contexts(split: Split, L: int, seed: int = 1) -> Contexts:
    """The three contexts of every sentence; another document's are drawn with a seed."""
    pairs, starts = split_pairs(split), np.asarray(split.documents)
    documents = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    true = true_contexts(pairs, split, L)
    rng = np.random.default_rng(seed)
    other = [_elsewhere(pairs, documents, i, len(context), rng) for i, context in enumerate(true)]
    return Contexts(pairs, documents, {"true": true, "other": other, "none": [[] for _ in pairs]})


def _elsewhere(
    pairs: Sequence[Pair],
    documents: NDArray[np.int64],
    place: int,
    count: int,
    rng: np.random.Generator,
) -> list[Pair]:
    """As many sentences in a row from one other document, or fewer if all others are shorter."""
    others = np.flatnonzero(documents != documents[place])
    if not count or not len(others):
        return []
    last = int(rng.choice(others))
    same = np.flatnonzero(documents == documents[last])
    first = max(int(same[0]), last - count + 1)
    return [pairs[i] for i in range(first, last + 1)]


def context_translations(
    runtime: AnyRuntime,
    found: Contexts,
    kind: Kind,
    config: TranslateConfig,
    advance: Advance = lambda: None,
) -> list[list[int]]:
    """Every sentence translated after this context, forced as the prefix."""
    windows: list[Window] = [
        sliding_window(context, pair.source, config.length, runtime.positions)
        for context, pair in zip(found.contexts[kind], found.pairs, strict=True)
    ]
    translations: list[list[int]] = [[] for _ in windows]
    for index, hypotheses in search_all(runtime, windows, config):
        translations[index] = hypotheses[0].tokens
        advance()
    return translations
