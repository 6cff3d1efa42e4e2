"""Alignment of many sentences at a time, with the numbers that each of them has alone.

B sentences, N source tokens, T target tokens.

Sentences of the same padded length are read together. Among longer ones a sentence would have more
padding, and ONNX Runtime would sum its weights in another order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.io_binding import round_up
from longways.decoding.runtime import AnyRuntime, pad_rows
from longways.text.tokenizers.special_tokens import EOS

Sentence = Sequence[int]
"""The token ids of a sentence, without special tokens."""

ALIGNMENT_BATCH_TOKENS = 1024
"""Source tokens, padding included, of one run; the activations of more do not fit into caches."""


def align_tokens(
    runtime: AnyRuntime, pairs: Sequence[tuple[Sentence, Sentence]]
) -> list[NDArray[np.float32]]:
    """The alignment weights (T, N) of each source sentence and its translation."""
    found: list[NDArray[np.float32]] = [np.zeros((0, 0), np.float32)] * len(pairs)
    for group in _groups([len(source) + 1 for source, _ in pairs]):
        sides = zip(*(pairs[place] for place in group), strict=True)
        weights = runtime.align(*(pad_rows([[*one, EOS] for one in side]) for side in sides))
        for place, own in zip(group, weights, strict=True):
            source, target = pairs[place]
            found[place] = own[: len(target), : len(source)]
    return found


def _groups(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of sentences that are read together."""
    by_length = dict[int, list[int]]()
    for place, length in enumerate(lengths):
        by_length.setdefault(round_up(length), []).append(place)
    for length, places in by_length.items():
        rest = iter(places)
        while group := list(islice(rest, max(1, ALIGNMENT_BATCH_TOKENS // length))):
            yield group
