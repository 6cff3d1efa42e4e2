"""Features of a graph equal the features of torch except for their scale; key weights are equal."""

import numpy as np
import pytest
import torch

from longways.attention.config import CrossConfig, MapName
from longways.attention.features import FEATURE_MAPS
from longways.attention.layers import CrossRFA
from longways.attention.rfa import MIN_NORM, key_weights
from longways.export.parts.features import feature_graph
from longways.export.parts.rows import Rows
from longways.export.weights import Float32, join
from tests.export.running import run_graph

DIM, HEADS = 16, 2
MAPS = list(FEATURE_MAPS)
TRAINED: list[MapName] = ["learned", "spiky"]
WIDTHS = [3, 8, 20]
"""K: less than the head size, equal to it, more."""


def layer_of(name, projection=5):
    """A layer in which no weight or bias is zero."""
    torch.manual_seed(projection)
    layer = CrossRFA(DIM, HEADS, CrossConfig(feature_map=name, projection=projection)).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.normal_(std=0.5)
        if name not in TRAINED:
            layer.phi.tau.uniform_(0.7, 1.3)
    return layer, None if name in TRAINED else torch.randn(HEADS, projection, DIM // HEADS)


def tokens(batch, count):
    return np.random.default_rng(count).standard_normal((batch, count, DIM)).astype(np.float32)


def projected(graph, features, x, *linears):
    joined = join(*(features.fold_into(linear) for linear in linears))
    return Float32().multiply(graph, x, *joined)


@pytest.mark.parametrize("projection", WIDTHS)
@pytest.mark.parametrize("name", MAPS)
def test_features_of_windows_are_those_of_torch(name, projection):
    (layer, W), x = layer_of(name, projection), tokens(3, 4)

    def build(graph, value):
        features = feature_graph(graph, layer.phi, W)
        y = projected(graph, features, value, layer.q)
        return {"phi": features.of_windows(y, value), "queries": features.of_queries(y, value)}

    q = layer.split(layer.q(torch.from_numpy(x).double()))
    wanted = layer.phi(q, W if W is None else W.double()).detach().numpy()
    found = {name: phi * scale(layer) for name, phi in run_graph(build, x=x).items()}
    assert found["phi"].shape == (3, HEADS, 4, layer.phi.features)
    np.testing.assert_allclose(found["phi"], wanted, rtol=0, atol=1e-5 * abs(wanted).max())
    assert found["queries"].shape == (3, 4, HEADS, 1, layer.phi.features)
    rows = found["queries"][:, :, :, 0].swapaxes(1, 2)
    np.testing.assert_allclose(rows, wanted, rtol=0, atol=1e-5 * abs(wanted).max())


@pytest.mark.parametrize("projection", WIDTHS)
@pytest.mark.parametrize("name", MAPS)
def test_features_of_rows_are_those_of_queries_beside_those_of_keys(name, projection):
    (layer, W), x = layer_of(name, projection), tokens(3, 4)

    def build(graph, value, asked, state):
        features, rows = feature_graph(graph, layer.phi, W), Rows(graph, asked, asked, state)
        qk = projected(graph, features, value, layer.q, layer.k)
        return {"phi": features.of_rows(rows.to_rows(qk, 2 * features.width), rows)}

    exact, drawn = torch.from_numpy(x).double(), W if W is None else W.double()
    both = [layer.phi(layer.split(p(exact)), drawn).transpose(1, 2) for p in (layer.q, layer.k)]
    wanted = torch.cat([phi.flatten(2) for phi in both], 2).detach().numpy()  # (B, T, 2 H D)
    for rows in (3, 12):  # many tokens of a window, or one of each beam
        state, asked = np.zeros((rows, 1), "f4"), np.zeros((3, 4), np.int64)
        found = run_graph(build, x=x, asked=asked, state=state)["phi"] * scale(layer)
        expected = wanted.reshape(rows, 12 // rows, -1)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5 * abs(wanted).max())


@pytest.mark.parametrize("name", MAPS)
def test_keys_count_as_much_as_in_torch_and_padding_counts_nothing(name):
    (layer, W), x = layer_of(name), tokens(2, 6)
    mask = torch.arange(6) < torch.tensor([[6], [4]])

    def build(graph, value, lengths):
        features = feature_graph(graph, layer.phi, W)
        places = graph.constant(np.arange(6, dtype=np.float32))
        padding = graph.op("GreaterOrEqual", places, lengths)
        padding = graph.op("Unsqueeze", padding, graph.constant([1, 3]))
        return {
            "weights": features.key_weights(projected(graph, features, value, layer.k), padding)
        }

    k = layer.split(layer.k(torch.from_numpy(x).double()))
    wanted = key_weights(layer.phi.log_key_norms(k), mask).detach().numpy()[..., None]
    found = run_graph(build, x=x, lengths=np.float32([[6], [4]]))["weights"]
    np.testing.assert_allclose(np.broadcast_to(found, wanted.shape), wanted, rtol=0, atol=1e-5)
    assert (wanted[1, :, 4:] == 0).all()


def scale(layer):
    """The factor of every feature in torch, computed from the floor."""
    return (MIN_NORM / feature_graph(None, layer.phi, torch.zeros(HEADS, 1, 1)).floor) ** 0.5
