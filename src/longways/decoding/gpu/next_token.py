"""The end of a decoding step: hidden states -> logits -> beam search -> embedded next tokens.

B windows, K beams, R = B K rows, d model size, V words of the vocabulary, C candidates.

Where Triton serves, two kernels follow the logits: one finds the best candidates in each chunk of
the vocabulary, the other merges the chunks, searches, and embeds the next tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from longways.attention.precision import widen
from longways.decoding.gpu.device_beam_search import DeviceSearch
from longways.decoding.gpu.layer_operations import Linear, triton_serves
from longways.decoding.runtime import EXTRA_CANDIDATES
from longways.model.embedding import Embedding
from longways.text.tokenizers.special_tokens import SEP


@dataclass(frozen=True)
class TokenEmbedding:
    """An embedding, and the positions of the tokens that the search chooses."""

    embedding: Embedding
    offsets: Tensor  # (B,)  length of each prefix, at whose end the new tokens start
    last_position: int
    """Tokens beyond this position are embedded at it."""


class EmbeddedTokens(NamedTuple):
    """Tokens as input of a decoding step."""

    x: Tensor  # (R, d)
    positions: Tensor  # (R,)
    separators: Tensor  # (R,)  bool: whether the token ends a sentence


def embed_tokens(search: DeviceSearch, inputs: TokenEmbedding) -> EmbeddedTokens:
    """Embed the tokens that the search has chosen."""
    if triton_serves(inputs.embedding.tokens.weight):
        from longways.decoding.gpu.kernels.next_token import embed_tokens_fused

        return EmbeddedTokens(*embed_tokens_fused(search, inputs))
    tokens = search.tokens.flatten()
    at = (inputs.offsets + search.length).clamp_max(inputs.last_position)
    positions = at.repeat_interleave(search.config.beams, output_size=len(tokens))
    return EmbeddedTokens(inputs.embedding.at(tokens, positions), positions, tokens == SEP)


def next_tokens(
    hidden: Tensor,
    vocabulary: Linear,
    search: DeviceSearch,
    forbidden: Tensor,
    inputs: TokenEmbedding,
) -> EmbeddedTokens:
    """Take a search step from hidden states (R, d), and embed the tokens it chooses.

    Forbidden words (F,) are never candidates; the probabilities of all others are unchanged.
    """
    count = min(search.config.beams + EXTRA_CANDIDATES, len(vocabulary.weight))
    if triton_serves(hidden):
        from longways.decoding.gpu.kernels.next_token import best_of_chunks, next_tokens_fused

        candidates = best_of_chunks(vocabulary(hidden), count, forbidden)
        return EmbeddedTokens(*next_tokens_fused(candidates, search, inputs))
    scores, ids = best_tokens(vocabulary(hidden), count, forbidden)
    shape = *search.tokens.shape, count
    search.step(scores.view(shape), ids.view(shape))
    return embed_tokens(search, inputs)


def best_tokens(logits: Tensor, count: int, forbidden: Tensor) -> tuple[Tensor, Tensor]:
    """Log-probabilities (R, C) and ids of the likeliest tokens, the best first."""
    scores = widen(logits).log_softmax(-1).index_fill_(1, forbidden, -torch.inf)
    values, ids = scores.topk(count)
    return values, ids
