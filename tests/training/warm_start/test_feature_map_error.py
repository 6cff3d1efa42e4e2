"""How far feature maps are from softmax, held to what the models and attention forms do."""

import pytest
import torch
from torch import Tensor

from longways.attention.features import FEATURE_MAPS
from longways.attention.rfa import key_weights, rfa_parallel, rfa_read, rfa_remember
from longways.model.alignment import align
from longways.training.warm_start.feature_map_error import (
    Heads,
    causal_distance,
    cross_distance,
    queries_and_keys,
)
from tests.model.tiny import random_batch, tiny_model

REAL = torch.arange(6) < torch.tensor([6, 4, 2])[:, None]
MASK = torch.arange(9) < torch.tensor([9, 1, 5])[:, None]


def heads_of(keys: int) -> Heads:
    torch.manual_seed(0)
    return Heads(torch.randn(3, 2, 6, 4).double(), torch.randn(3, 2, keys, 4).double())


def map_called(name: str) -> tuple[torch.nn.Module, Tensor]:
    torch.manual_seed(1)
    return FEATURE_MAPS[name](2, 4, 12, 0.8).double(), torch.randn(2, 12, 4).double()


def mean_divergence(wanted: Tensor, found: Tensor) -> float:
    """Worked token by token, over the keys that softmax sees."""
    total, tokens = 0.0, 0
    for row, token in REAL.nonzero().tolist():
        for head in range(2):
            w, a = wanted[row, head, token], found[row, head, token]
            seen = w > 0
            total += (w[seen] * (w[seen].log() - a[seen].log())).sum().item()
            tokens += 1
    return total / tokens


@pytest.mark.parametrize("preset", ["transformer", "hybrid"])
def test_what_is_observed_is_what_the_model_computes(preset):
    model, (source, target_in) = tiny_model(preset), random_batch()
    computed: dict[tuple[int, str, str], Tensor] = {}
    for index, layer in enumerate(model.decoder.layers):
        for side in ("causal", "cross"):
            for name in "qk":
                place = (index, side, name)
                getattr(getattr(layer, side), name).register_forward_hook(
                    lambda _, __, y, place=place: computed.setdefault(place, y)
                )
    model(source, target_in)
    for index, seen in enumerate(queries_and_keys(model, source, target_in)):
        for side in ("causal", "cross"):
            for name, found in getattr(seen, side)._asdict().items():
                wanted = computed[index, side, name]
                assert torch.equal(found.transpose(1, 2).flatten(2), wanted)


def test_softmax_of_the_observed_cross_heads_is_the_alignment():
    model, (source, target_in) = tiny_model("transformer"), random_batch()
    scores = torch.stack(
        [q @ k.mT / 8**0.5 for _, (q, k) in queries_and_keys(model, source, target_in)]
    )
    hidden = (source == 0)[:, None, None, :]
    found = scores.masked_fill(hidden, -torch.inf).softmax(-1).mean((0, 2))
    torch.testing.assert_close(found, align(model, source, target_in))


@pytest.mark.parametrize("name", ["positive", "learned", "spiky"])
def test_the_causal_distance_is_that_of_the_weights_rfa_reads_with(name):
    (phi, W), (q, k) = map_called(name), heads_of(6)
    ones, each = q.new_ones(3, 2, 6), torch.eye(6).double().expand(3, 2, 6, 6)
    found = rfa_parallel(phi(q, W), phi(k, W), each, ones, ones)
    scores = (q @ k.mT / 2).masked_fill(~torch.ones(6, 6, dtype=torch.bool).tril(), -torch.inf)
    distance = causal_distance(phi, W, Heads(q, k), REAL).item()
    assert distance == pytest.approx(mean_divergence(scores.softmax(-1), found.clamp_min(1e-6)))


@pytest.mark.parametrize("name", ["positive", "learned", "spiky"])
def test_the_cross_distance_is_that_of_the_weights_rfa_reads_with(name):
    (phi, W), (q, k) = map_called(name), heads_of(9)
    written = phi(k, W, key_weights(phi.log_key_norms(k), MASK))
    found = rfa_read(phi(q, W), rfa_remember(written, torch.eye(9).double().expand(3, 2, 9, 9)))
    scores = (q @ k.mT / 2).masked_fill(~MASK[:, None, None, :], -torch.inf)
    distance = cross_distance(phi, W, Heads(q, k), MASK, REAL).item()
    assert distance == pytest.approx(mean_divergence(scores.softmax(-1), found.clamp_min(1e-6)))


@pytest.mark.parametrize("name", FEATURE_MAPS)
def test_padding_has_no_say(name):
    phi, W = map_called(name)
    (q, k), (_, target_k) = heads_of(9), heads_of(6)
    loud_q = torch.where(REAL[:, None, :, None], q, 30.0)
    before = cross_distance(phi, W, Heads(q, k), MASK, REAL)
    loud_k = torch.where(MASK[:, None, :, None], k, 30.0)
    assert torch.equal(cross_distance(phi, W, Heads(loud_q, loud_k), MASK, REAL), before)
    before = causal_distance(phi, W, Heads(q, target_k), REAL)
    loud_k = torch.where(REAL[:, None, :, None], target_k, 30.0)
    assert torch.equal(causal_distance(phi, W, Heads(loud_q, loud_k), REAL), before)
