"""Time and peak memory of chunked RFA over very long texts: linear time, a state of fixed size.

B batch, H heads, T tokens, D features, E head size.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

import torch
from torch import Tensor

from longways.attention.rfa import RFAState, rfa_chunked
from longways.results import Report, report

B, H, D, E = 1, 8, 64, 64
LENGTHS = (1_000, 10_000, 100_000)
STREAM_TOKENS = 1_000
"""Tokens of one call when a text is streamed."""


def read_whole(tokens: int) -> tuple[RFAState, float]:
    """Read all tokens in one call; return the state and the seconds of the attention."""
    inputs = _inputs(tokens)
    began = time.perf_counter()
    with torch.no_grad():
        _, state = rfa_chunked(*inputs)
    return state, time.perf_counter() - began


def read_as_stream(tokens: int) -> tuple[RFAState, float]:
    """Read STREAM_TOKENS tokens a call and keep only the state; return it and the seconds."""
    state, seconds = None, 0.0
    for _ in range(tokens // STREAM_TOKENS):
        inputs = _inputs(STREAM_TOKENS)
        began = time.perf_counter()
        with torch.no_grad():
            _, state = rfa_chunked(*inputs, past=state)
        seconds += time.perf_counter() - began
    assert state is not None
    return state, seconds


def _inputs(tokens: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Inputs of `rfa_chunked` for sentences of 20 tokens, with a keep of 0.3 at each start."""
    phi_q, phi_k = torch.randn(2, B, H, tokens, D).cos_().mul_(0.1)
    keep = torch.ones(B, H, tokens)
    keep[..., 20::20] = 0.3
    return phi_q, phi_k, torch.randn(B, H, tokens, E), keep, torch.ones_like(keep)


def _measure_in_process(mode: str, tokens: int) -> dict[str, Any]:
    read = read_whole if mode == "whole" else read_as_stream
    read(STREAM_TOKENS)  # one-time allocations of torch do not count
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    runs = [read(tokens) for _ in range(3)]
    state, seconds = min(runs, key=lambda run: run[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "read": mode,
        "tokens": tokens,
        "seconds": round(seconds, 3),
        "us a token": round(1e6 * seconds / tokens, 2),
        "peak MB above start": round((peak - before) / 1024, 1),
        "of it in- and output": round(4 * B * H * tokens * (2 * D + 2 * E + 2) / 2**20, 1),
        "state bytes": state.size_bytes(),
    }


def measure() -> Report:
    """One process per row, since the peak memory of a process never falls."""
    rows = []
    for mode in ("whole", "chunks"):
        for tokens in LENGTHS:
            command = [
                sys.executable,
                "-m",
                "benchmarks.attention.chunked_memory",
                mode,
                str(tokens),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout))
    settings = {
        "B": B,
        "H": H,
        "D": D,
        "E": E,
        "chunk": 64,
        "tokens at once": STREAM_TOKENS,
        "dtype": "float32",
    }
    claim = "Chunked RFA: linear time; in chunks, constant memory"
    return report("memory", claim, settings, rows, "cpu")


if __name__ == "__main__":
    print(json.dumps(_measure_in_process(sys.argv[1], int(sys.argv[2]))))
