"""Small splits in memory, with the arrays of prepared data."""

from __future__ import annotations

import numpy as np

from longways.corpus.prepared_data import Split
from longways.text.tokenizers.special_tokens import SEP

FIRST_WORD = 5


def make_split(documents: list[list[tuple[int, int]]]) -> Split:
    """A split of documents, which are lists of (source tokens, target tokens); all ids differ."""
    pairs = [pair for document in documents for pair in document]
    sizes = [len(document) for document in documents]
    sides = []
    for side in (0, 1):
        lengths = np.array([pair[side] + 1 for pair in pairs])
        ids = FIRST_WORD + np.arange(lengths.sum())
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        ids[offsets[1:] - 1] = SEP
        sides.append((ids, offsets))
    (source, source_offsets), (target, target_offsets) = sides
    starts = np.concatenate([[0], np.cumsum(sizes)])
    return Split(source, target, source_offsets, target_offsets, starts)


def random_split(seed: int = 0, documents: int = 40, longest: int = 30) -> Split:
    rng = np.random.default_rng(seed)
    return make_split(
        [
            [
                (int(n), int(max(1, n + rng.integers(-2, 6))))
                for n in rng.integers(1, longest, size=rng.integers(1, 20))
            ]
            for _ in range(documents)
        ]
    )
