"""From what the decoder came to, to the tokens that are read next.

B windows, K beams, R = B K rows, d model size, V words, C candidates.

Where Triton serves this is one kernel after the product with the words, or after a look at its
parts: the joining of these, the search, and the embedding of what it has chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from longways.attention.precision import widen
from longways.decoding.gpu.device_beam_search import DeviceSearch
from longways.decoding.gpu.layer_operations import Linear, few, serves
from longways.decoding.runtime import SPARE
from longways.model.embedding import Embedding
from longways.text.tokenizers.special_tokens import SEP

if TYPE_CHECKING:
    from longways.decoding.gpu.kernels.next_token import Parts


@dataclass(frozen=True)
class Reading:
    """How tokens are read."""

    embedding: Embedding
    offsets: Tensor  # (B,)  tokens of a prefix, which come before all that is chosen
    last: int
    """The last position: a token that would stand after it stands there."""


class Read(NamedTuple):
    """Tokens as a step takes them."""

    x: Tensor  # (R, d)
    positions: Tensor  # (R,)
    separators: Tensor  # (R,)  bool: whether the token ends a sentence


def read_tokens(search: DeviceSearch, reading: Reading) -> Read:
    """What the search has chosen."""
    if serves(reading.embedding.tokens.weight):
        from longways.decoding.gpu.kernels.next_token import read_tokens_fused

        return Read(*read_tokens_fused(search, reading))
    flat = search.tokens.flatten()
    at = (reading.offsets + search.length).clamp_max(reading.last)
    positions = at.repeat_interleave(search.config.beams, output_size=len(flat))
    return Read(reading.embedding.at(flat, positions), positions, flat == SEP)


def choose(
    hidden: Tensor, words: Linear, search: DeviceSearch, forbidden: Tensor, reading: Reading
) -> Read:
    """Search on from hidden states (R, d), and read what was chosen.

    Forbidden words (F,) are never candidates; the others keep the probability they were given.
    """
    count = min(search.config.beams + SPARE, len(words.weight))
    if serves(hidden):
        from longways.decoding.gpu.kernels.next_token import choose_fused

        parts = _best_parts(hidden, words, count, forbidden, search.config.beams)
        return Read(*choose_fused(parts, search, reading))
    scores, ids = best_tokens(words(hidden), count, forbidden)
    shape = *search.tokens.shape, count
    search.read(scores.view(shape), ids.view(shape))
    return read_tokens(search, reading)


def _best_parts(hidden: Tensor, words: Linear, count: int, forbidden: Tensor, beams: int) -> Parts:
    """By a product of our own where rows are few, and its parts not too many."""
    from longways.decoding.gpu.kernels.best_tokens import best_words, can_be_joined
    from longways.decoding.gpu.kernels.next_token import best_parts

    if few(hidden) and words.bias is None and can_be_joined(len(words.weight), count, beams):
        return best_words(hidden, words.weight, count, forbidden)
    return best_parts(words(hidden), count, forbidden)


def best_tokens(logits: Tensor, count: int, forbidden: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities (R, C) of the likeliest tokens and their ids, the best first."""
    scores = widen(logits).log_softmax(-1).index_fill_(1, forbidden, -torch.inf)
    values, ids = scores.topk(count)
    return values, ids
