"""Chunked RFA over very long texts: time and memory grow in a line, the state not at all.

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
PIECE = 1_000
"""Tokens given at once when a text is streamed."""


def read_whole(tokens: int) -> tuple[RFAState, float]:
    """All tokens in one call; the state, and the seconds of the attention itself."""
    inputs = _inputs(tokens)
    began = time.perf_counter()
    with torch.no_grad():
        _, state = rfa_chunked(*inputs)
    return state, time.perf_counter() - began


def read_in_pieces(tokens: int) -> tuple[RFAState, float]:
    """A piece at a time, only the state carried on: inputs and outputs are let go."""
    state, seconds = None, 0.0
    for _ in range(tokens // PIECE):
        inputs = _inputs(PIECE)
        began = time.perf_counter()
        with torch.no_grad():
            _, state = rfa_chunked(*inputs, past=state)
        seconds += time.perf_counter() - began
    assert state is not None
    return state, seconds


def _inputs(tokens: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """A text of 20-word sentences: features, values, and a gate that keeps 0.3 at each start."""
    phi_q, phi_k = torch.randn(2, B, H, tokens, D).cos_().mul_(0.1)
    keep = torch.ones(B, H, tokens)
    keep[..., 20::20] = 0.3
    return phi_q, phi_k, torch.randn(B, H, tokens, E), keep, torch.ones_like(keep)


def _measure_here(way: str, tokens: int) -> dict[str, Any]:
    read = read_whole if way == "whole" else read_in_pieces
    read(PIECE)  # so that what torch allocates once is not counted
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    runs = [read(tokens) for _ in range(3)]
    state, seconds = min(runs, key=lambda run: run[1])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "read": way,
        "tokens": tokens,
        "seconds": round(seconds, 3),
        "us a token": round(1e6 * seconds / tokens, 2),
        "peak MB above start": round((peak - before) / 1024, 1),
        "of it in- and output": round(4 * B * H * tokens * (2 * D + 2 * E + 2) / 2**20, 1),
        "state bytes": state.size_bytes(),
    }


def measure() -> Report:
    """One fresh process a row, since a process remembers its highest peak."""
    rows = []
    for way in ("whole", "pieces"):
        for tokens in LENGTHS:
            command = [
                sys.executable,
                "-m",
                "benchmarks.attention.chunked_memory",
                way,
                str(tokens),
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows.append(json.loads(done.stdout))
    settings = {"B": B, "H": H, "D": D, "E": E, "chunk": 64, "piece": PIECE, "dtype": "float32"}
    claim = "Chunked RFA: linear time; in pieces, constant memory"
    return report("memory", claim, settings, rows, "cpu")


if __name__ == "__main__":
    print(json.dumps(_measure_here(sys.argv[1], int(sys.argv[2]))))
