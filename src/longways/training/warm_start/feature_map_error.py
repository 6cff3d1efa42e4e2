"""The distance of feature maps from softmax, on the queries and keys of a softmax model.

B windows, H heads, T target tokens, N keys (source tokens, or the T target tokens), E head size.

Softmax attention has the weights w = softmax(q . k / sqrt(E)), a feature map the weights
a = phi(q) . phi(k), normalised by their sum. The distance is the KL divergence

    sum_n w_n (log w_n - log a_n),

averaged over heads and real target tokens. It is 0 if both weights are equal. Gates are treated as
open, because they are almost open at the start of training.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import kl_div

from longways.attention.features import FeatureMap
from longways.attention.layers.projections import Projections
from longways.attention.precision import widen
from longways.attention.rfa import MIN_NORM, key_weights
from longways.model.translation import TranslationModel

MIN_WEIGHT = 1e-6
"""The lower bound of weights in a logarithm; random features can give negative weights."""


class Heads(NamedTuple):
    """Queries and keys of one attention."""

    q: Tensor  # (B, H, T, E)
    k: Tensor  # (B, H, N, E)


class LayerHeads(NamedTuple):
    """Queries and keys of one decoder layer."""

    causal: Heads
    cross: Heads


@torch.no_grad()
def queries_and_keys(
    model: TranslationModel, source: Tensor, target_in: Tensor
) -> list[LayerHeads]:
    """The queries and keys of every decoder layer for a batch."""
    mask = source != model.config.pad
    encoded = model.encoder(source, mask)
    memory, found = model.remember(encoded, source), []
    for layer, _, before, between in model.decoder.trace(target_in, memory):
        entered = layer.causal_residual.enter(before)
        causal = _heads(layer.causal, entered, entered)
        cross = _heads(layer.cross, layer.cross_residual.enter(between), encoded)
        found.append(LayerHeads(causal, cross))
    return found


def causal_distance(phi: FeatureMap, W: Tensor | None, heads: Heads, real: Tensor) -> Tensor:
    """The distance of phi from causal softmax attention; real (B, T) is false on padding."""
    q, k = (widen(x) for x in heads)
    visible = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril()
    return _distance(_softmax_weights(q, k, visible), _weights(phi(q, W), phi(k, W), visible), real)


def cross_distance(
    phi: FeatureMap, W: Tensor | None, heads: Heads, mask: Tensor, real: Tensor
) -> Tensor:
    """The distance of phi from softmax cross attention, given mask (B, N) and real (B, T)."""
    q, k = (widen(x) for x in heads)
    visible = mask[:, None, None, :]
    written = phi(k, W, key_weights(phi.log_key_norms(k), mask))
    return _distance(_softmax_weights(q, k, visible), _weights(phi(q, W), written, visible), real)


def _heads(attention: Projections, x: Tensor, read: Tensor) -> Heads:
    return Heads(attention.split(attention.q(x)), attention.split(attention.k(read)))


def _softmax_weights(q: Tensor, k: Tensor, visible: Tensor) -> Tensor:
    scores = torch.matmul(q, k.mT) * q.shape[-1] ** -0.5  # (B, H, T, N)
    weights: Tensor = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    return weights


def _weights(phi_q: Tensor, phi_k: Tensor, visible: Tensor) -> Tensor:
    """(B, H, T, N): the attention weights of RFA, with its lower bound of the norm."""
    scores = torch.matmul(phi_q, phi_k.mT).clamp_min(0) * visible
    return scores / scores.sum(-1, keepdim=True).clamp_min(MIN_NORM)


def _distance(softmax: Tensor, rfa: Tensor, real: Tensor) -> Tensor:
    """KL divergence of weights (B, H, T, N), mean over heads and real target tokens (B, T)."""
    distance = kl_div(rfa.clamp_min(MIN_WEIGHT).log(), softmax, reduction="none").sum(-1).mean(1)
    return (distance * real).sum() / real.sum()
