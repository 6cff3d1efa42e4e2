"""Gates of causal document heads: those of torch, in any row, with padding at the end."""

import numpy as np
import pytest
import torch
from torch import nn

from longways.attention.gate import gate_window, hide_padding
from longways.attention.state import GateState
from longways.export.parts.rows import Rows
from longways.export.parts.stream.gates import StreamGates, gate_pairs
from tests.export.running import run_with_state

PAD, SEP, HEADS = 0, 3, 5


def run_gates(closing, tokens, past):
    """log keep of each token (R, T, H), and after the last one, from the gate's input -f."""

    def build(graph, pairs, numbers, like):
        rows = Rows(graph, numbers, numbers, like)
        real = graph.op("Sub", graph.number(1), rows.where(rows.tokens, PAD, 1.0))
        gates = StreamGates(graph, rows, 1, HEADS, SEP, real)
        log_keep = gates.log_keep(pairs)
        gates.finish()
        return {"log_keep": log_keep}

    pairs = np.stack([closing, np.zeros_like(closing)], -1).reshape(*tokens.shape, 2 * HEADS)
    found = run_with_state(build, {"past.gates": past}, pairs=pairs, numbers=tokens, like=past)
    return found["log_keep"], found["new.gates"]


def random_gates(rows, tokens, seed=0):
    rng = np.random.default_rng(seed)
    closing = 3 * rng.standard_normal((rows, tokens, HEADS))
    return closing.astype("f4"), -rng.random((rows, 1, HEADS)).astype("f4")


@pytest.mark.parametrize("first", [SEP, 7])
def test_gates_are_those_of_torch_with_padding_at_the_end(first):
    rows = [[first, 5, 6, 7], [first, 5, PAD, PAD], [first, PAD, PAD, PAD], [PAD] * 4]
    tokens, (closing, past) = np.array(rows), random_gates(4, 4)
    f, separators = (
        torch.from_numpy(-closing).double().sigmoid().mT,
        torch.from_numpy(tokens) == SEP,
    )
    keep = torch.from_numpy(past).double()[:, 0].exp()
    window = gate_window("decay", f, separators, GateState(keep, torch.ones_like(keep)))
    wanted, _, after = hide_padding(*window, torch.from_numpy(tokens) != PAD)
    log_keep, new = run_gates(closing, tokens, past)
    np.testing.assert_allclose(np.exp(log_keep), wanted.mT, rtol=1e-6)
    np.testing.assert_allclose(np.exp(new[:, 0]), after.keep, rtol=1e-6)


def test_a_gate_has_the_same_bits_in_one_row_and_among_many():
    """With ONNX Runtime's Softplus it has not: it computes the end of an array otherwise."""
    closing, past = random_gates(61, 1)
    tokens = np.full((61, 1), SEP)
    _, together = run_gates(closing, tokens, past)
    alone = [run_gates(*(x[r : r + 1] for x in (closing, tokens, past)))[1] for r in range(61)]
    assert np.array_equal(np.concatenate(alone), together)


def test_pairs_are_minus_f_and_zero():
    f, x = nn.Linear(4, HEADS), torch.randn(3, 4)
    weight, bias = gate_pairs(f)
    pairs = (x @ weight.mT + bias).unflatten(1, (HEADS, 2))
    torch.testing.assert_close(pairs[..., 0], -f(x))
    assert not pairs[..., 1].any()
