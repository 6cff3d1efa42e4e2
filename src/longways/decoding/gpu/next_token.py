"""From what the decoder came to, to the tokens that are read next.

B windows, K beams, R = B K rows, d model size, V words, C candidates.

Where Triton serves, two kernels follow the product with the words: one finds the best of each part
of the logits, the other joins the parts, searches, and embeds what was chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from longways.attention.precision import widen
from longways.decoding.gpu.device_beam_search import DeviceSearch
from longways.decoding.gpu.layer_operations import Linear, serves
from longways.decoding.runtime import EXTRA_CANDIDATES
from longways.model.embedding import Embedding
from longways.text.tokenizers.special_tokens import SEP


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
    count = min(search.config.beams + EXTRA_CANDIDATES, len(words.weight))
    if serves(hidden):
        from longways.decoding.gpu.kernels.next_token import best_parts, choose_fused

        parts = best_parts(words(hidden), count, forbidden)
        return Read(*choose_fused(parts, search, reading))
    scores, ids = best_tokens(words(hidden), count, forbidden)
    shape = *search.tokens.shape, count
    search.read(scores.view(shape), ids.view(shape))
    return read_tokens(search, reading)


def best_tokens(logits: Tensor, count: int, forbidden: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities (R, C) of the likeliest tokens and their ids, the best first."""
    scores = widen(logits).log_softmax(-1).index_fill_(1, forbidden, -torch.inf)
    values, ids = scores.topk(count)
    return values, ids
