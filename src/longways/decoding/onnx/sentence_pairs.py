"""A window of sentences, divided into pairs as a stream model reads them.

N source tokens, T target tokens of a window.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.runtime import Tokens
from longways.text.tokenizers.special_tokens import BOS, PAD, SEP


class SentencePair(NamedTuple):
    """A target sentence, with the source sentence that it translates."""

    source: list[int]
    """s <sep>, or s <eos> at the end of the window."""
    source_start: int
    """The place of its first token in the source window."""
    target: list[int]
    """t <sep>, or t <eos> at the end of the window."""
    target_start: int
    """The place of its first token in the target window."""
    ends_source: bool
    """Whether the next target sentence translates the next source sentence."""

    @property
    def read(self) -> list[int]:
        """The tokens that are read when `target` is predicted: <bos> t or <sep> t."""
        return [SEP if self.target_start else BOS, *self.target[:-1]]


def sentence_pairs(source: Tokens, target: Tokens) -> list[SentencePair]:
    """The pairs of one window (N,) and (T,), padded at the end.

    Target sentences beyond the last source sentence translate the last one, too.
    """
    sources, targets = _sentences(source), _sentences(target)
    pairs, last = list[SentencePair](), len(sources) - 1
    for place, (start, tokens) in enumerate(targets):
        source_start, source_tokens = sources[min(place, last)]
        pairs.append(SentencePair(source_tokens, source_start, tokens, start, place < last))
    return pairs


def _sentences(window: Tokens) -> list[tuple[int, list[int]]]:
    """The start and the tokens of each sentence of a window; its separator belongs to it."""
    length = int((window != PAD).sum())
    ends: NDArray[np.int64] = np.flatnonzero(window[:length] == SEP) + 1
    starts = [0, *(int(end) for end in ends if end < length)]
    stops = [*starts[1:], length]
    return [(a, window[a:b].tolist()) for a, b in zip(starts, stops, strict=True)]
