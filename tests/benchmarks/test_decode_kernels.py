"""The benchmark of the decode kernels compares equal steps, and checks its machine."""

from __future__ import annotations

import pytest
import torch
from benchmarks.decoding import decode_kernels

from longways.errors import ConfigError


def errors() -> list[float]:
    with torch.inference_mode():
        decode_kernels.LAYERS = 1
        calls = (decode_kernels.causal_calls, decode_kernels.cross_calls)
        return [decode_kernels.largest_error(c(4, 5, torch.float32, "cpu")) for c in calls]


def test_the_timed_steps_are_equal(interpreted):
    assert max(interpreted(errors)) < 1e-5


def test_a_wrong_layer_is_found():
    wanted, wrong = torch.ones(2, 3), torch.ones(2, 3)
    wrong[1, 2] = torch.nan
    calls = {"plain": [lambda: wanted, lambda: wanted], "fused": [lambda: wanted, lambda: wrong]}
    assert decode_kernels.largest_error(calls) == torch.inf


def test_the_floor_counts_each_byte_once():
    state = 64 * 64 * 4 + 64 * 4  # S and z of one row and head at K = 32
    q = k = (32 + 64) * 2  # projections, and the vector itself
    v = out = 64 * 2
    assert decode_kernels.causal_bytes(3, 32, 2) == 3 * 8 * (2 * state + q + k + v + out)
    memory = 64 * 64 * 2 + 64 * 2
    assert decode_kernels.cross_bytes(12, 32, 2) == 3 * 8 * (memory + 4 * (q + out))


def test_a_missing_gpu_is_reported(monkeypatch):
    with pytest.raises(ConfigError, match="device is cpu"):
        decode_kernels.measure("cpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match="torch finds none"):
        decode_kernels.measure()
