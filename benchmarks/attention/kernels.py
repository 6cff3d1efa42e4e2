"""Training time of the Triton kernels, of plain torch, and as bound by memory.

B windows, T tokens, H heads, D features, E head size, K projections.

Each time is one forward and backward pass on the device alone: the calls are captured in a CUDA
graph, so that launches do not count. `floor` is the time to move each input, output and gradient
once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor

from longways.attention.features import RandomFeatures
from longways.attention.kernels.causal import rfa_triton
from longways.attention.kernels.features import random_features
from longways.attention.rfa import rfa_causal
from longways.benchmark.timing import compare
from longways.errors import ConfigError
from longways.results import Report, Row, report

H, E = 8, 64
TOKENS = 16_384
LENGTHS = (32, 96, 256, 512)
PROJECTIONS = (32, 256)
SENTENCE_TOKENS = 24
BANDWIDTH = 4.3e12
"""Bytes a second that an H200 reads and writes in a plain copy."""
REPLAYS = 20

Calls = dict[str, Callable[[], object]]


def causal_calls(tokens: int, dtype: torch.dtype, compiled: bool) -> Calls:
    """Causal attention with D = E over TOKENS tokens, in windows of `tokens`, by form."""
    windows = TOKENS // tokens
    phi_q, phi_k, v = torch.randn(3, windows, tokens, H, E, device="cuda").transpose(2, 3)
    keep = torch.ones(windows, H, tokens, device="cuda")
    keep[..., SENTENCE_TOKENS::SENTENCE_TOKENS] = 0.4
    wide = [
        _leaf(x) for x in (0.1 * phi_q.cos(), 0.1 * phi_k.cos(), v, keep, torch.ones_like(keep))
    ]
    half = [_leaf(x.to(dtype)) for x in wide[:3]] + wide[3:]

    def form(*inputs: Tensor) -> Tensor:
        return rfa_causal(*inputs)[0]  # type: ignore[arg-type]

    calls = {
        "torch tf32": _trained(form, wide),
        f"triton {_name(dtype)}": _trained(rfa_triton, half),
    }
    if compiled:
        calls[f"compiled {_name(dtype)}"] = _trained(torch.compile(form, dynamic=False), half)
    return calls


def feature_calls(K: int, dtype: torch.dtype, compiled: bool) -> Calls:
    """Features of TOKENS queries or keys per head, by form."""
    windows, tokens = TOKENS // 128, 128
    x = torch.randn(windows, tokens, H, E, device="cuda").transpose(1, 2)
    W = torch.randn(H, K, E, device="cuda")
    phi = RandomFeatures(H, E, K, tau=1.0).cuda()

    def module(x: Tensor, _: Tensor) -> Tensor:
        features: Tensor = phi(x, W)
        return features

    def kernel(x: Tensor, tau: Tensor) -> Tensor:
        return random_features(x, W, tau, dtype)

    half = [_leaf(x.to(dtype)), phi.tau]
    calls = {
        "torch tf32": _trained(module, [_leaf(x), phi.tau]),
        f"triton {_name(dtype)}": _trained(kernel, half),
    }
    if compiled:
        calls[f"compiled {_name(dtype)}"] = _trained(torch.compile(module, dynamic=False), half)
    return calls


def causal_floor(size: int) -> float:
    """Seconds to move phi_q, phi_k, v and out, then the same, dout and three gradients."""
    return (4 + 5 + 3) * TOKENS * H * E * size / BANDWIDTH


def feature_floor(K: int, size: int) -> float:
    """Seconds to move x and phi, then x, dphi and dx."""
    return TOKENS * H * (3 * E + 2 * 2 * K) * size / BANDWIDTH


def measure(
    device: str = "cuda",
    rounds: int = 9,
    dtype: torch.dtype = torch.bfloat16,
    compiled: bool = False,
) -> Report:
    """Rows for causal attention by window length and for features by K, with TOKENS tokens each."""
    if device != "cuda":
        raise ConfigError(f"The kernels run on a GPU, but the device is {device}; use cuda.")
    torch.manual_seed(0)
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True  # as in half-precision training
    rows = list(_rows(rounds, dtype, compiled))
    torch.backends.cuda.matmul.allow_tf32 = allowed
    settings = {"tokens": TOKENS, "H": H, "D": E, "E": E, "gate": "decay", "rounds": rounds}
    claim = "Forward + backward of the Triton kernels, on the device alone"
    return report("kernels", claim, settings, rows, device)


def _rows(rounds: int, dtype: torch.dtype, compiled: bool) -> Iterator[Row]:
    for tokens in LENGTHS:
        calls = causal_calls(tokens, dtype, compiled)
        yield _row(f"causal, T={tokens}", calls, causal_floor(dtype.itemsize), rounds)
    for K in PROJECTIONS:
        calls = feature_calls(K, dtype, compiled)
        yield _row(f"features, K={K}", calls, feature_floor(K, dtype.itemsize), rounds)


def _row(what: str, calls: Calls, floor: float, rounds: int) -> Row:
    timings = compare(calls, "cuda", rounds)
    times = {f"{n} us": round(1e6 * t.median / REPLAYS, 1) for n, t in timings.items()}
    return {"what": what, **times, "floor us": round(1e6 * floor, 1)}


def _trained(form: Callable[..., Tensor], inputs: list[Tensor]) -> Callable[[], object]:
    """REPLAYS replays of a captured forward and backward pass."""
    gradient = torch.randn_like(form(*inputs).detach())

    def train() -> None:
        torch.autograd.grad(form(*inputs), inputs, gradient)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # compiles kernels before the capture
        for _ in range(3):
            train()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        train()
    return partial(_replay, graph)


def _replay(graph: torch.cuda.CUDAGraph) -> None:
    for _ in range(REPLAYS):
        graph.replay()


def _leaf(x: Tensor) -> Tensor:
    return x.detach().requires_grad_()


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
