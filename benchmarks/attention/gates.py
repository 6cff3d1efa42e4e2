"""Cost of the sentential gate in training: forward and backward pass, with and without it.

B windows, T tokens, H heads, D features, E head size.

Measured at three levels: the attention alone, a causal layer with its projections and features, and
the whole 53M model. `plain` is attention written without gates, so that the ungated baseline does
not share the cost of the gated code.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from longways.attention.config import CausalConfig, GateName
from longways.attention.gate import gate_window
from longways.attention.layers import CausalRFA
from longways.attention.rfa import MIN_NORM, rfa_causal, rfa_parallel
from longways.attention.state import GateState
from longways.benchmark.timing import Timing, compare
from longways.model.build import build_model
from longways.model.config import preset
from longways.results import Report, report

H, K, E, DIM = 8, 32, 64, 512
SENTENCE_TOKENS, L = 24, 4
T = SENTENCE_TOKENS * L
GATES: tuple[GateName, ...] = ("none", "decay", "average")
Call = Callable[[], object]


def _train(make: Callable[[], Tensor]) -> Call:
    return lambda: make().float().sum().backward()


def plain_attention(phi_q: Tensor, phi_k: Tensor, v: Tensor) -> Tensor:
    """Causal RFA written without gates: the fastest ungated form."""
    weight = torch.matmul(phi_q, phi_k.mT).tril()
    return torch.matmul(weight, v) / weight.sum(-1, keepdim=True).clamp_min(MIN_NORM)


def _separators(windows: int, device: str) -> Tensor:
    separators = torch.zeros(windows, T, dtype=torch.bool, device=device)
    separators[:, SENTENCE_TOKENS - 1 : -1 : SENTENCE_TOKENS] = True
    return separators


def attention_calls(windows: int, device: str) -> dict[str, Call]:
    """The attention alone, from given features and a trainable f."""
    phi_q, phi_k = (
        (0.1 * torch.randn(windows, H, T, 2 * K, device=device)).requires_grad_() for _ in range(2)
    )
    v = torch.randn(windows, H, T, E, device=device, requires_grad=True)
    f = torch.rand(windows, H, T, device=device, requires_grad=True)
    separators = _separators(windows, device)
    past = GateState.open(windows, H, like=v)
    one = torch.ones(windows, H, T, device=device)

    def gated(gate: GateName) -> tuple[Tensor, Tensor]:
        if gate == "none":
            return one, one
        keep, write = gate_window(gate, f, separators, past)
        return keep[..., :-1], write[..., :-1]

    def parallel(gate: GateName) -> Tensor:
        return rfa_parallel(phi_q, phi_k, v, *gated(gate))

    def chunked(gate: GateName) -> Tensor:
        return rfa_causal(phi_q, phi_k, v, *gated(gate))[0]

    calls = {"attention, plain": _train(partial(plain_attention, phi_q, phi_k, v))}
    for form in (parallel, chunked):
        for gate in GATES:
            calls[f"attention, {form.__name__}, {gate}"] = _train(partial(form, gate))
    return calls


def layer_calls(windows: int, device: str) -> dict[str, Call]:
    """A causal layer with projections, features, gate and attention."""
    x = torch.randn(windows, T, DIM, device=device, requires_grad=True)
    W = torch.randn(H, K, E, device=device)
    separators = _separators(windows, device)
    calls = {}
    for gate in GATES:
        layer = CausalRFA(DIM, H, CausalConfig(gate=gate)).to(device)
        calls[f"layer, {gate}"] = _train(partial(layer, x, separators, W))
    return calls


def model_calls(windows: int, device: str) -> dict[str, Call]:
    """The whole model, in the size of the paper."""
    source = torch.randint(4, 20_000, (windows, T), device=device)
    target = torch.randint(4, 20_000, (windows, T), device=device)
    target[_separators(windows, device)] = 3
    calls = {}
    for gate, name in zip(GATES, ("rfa", "rfa-sgate", "rfa-sgate-avg"), strict=True):
        model = build_model(preset(name)).to(device).train()
        calls[f"model, {gate}"] = _train(partial(model, source, target))
    return calls


def _row(what: str, timing: Timing, base: Timing, baseline: str) -> dict[str, object]:
    return {
        "forward + backward": what,
        "ms": round(1e3 * timing.median, 2),
        "middle half": f"{1e3 * timing.low:.2f}-{1e3 * timing.high:.2f}",
        "ratio": round(timing.median / base.median, 3),
        "to": baseline,
    }


def measure(device: str = "cpu", rounds: int = 9) -> Report:
    """A row for every call, with its ratio to the ungated call of the same level."""
    torch.manual_seed(0)
    windows = 168 if device == "cuda" else 16
    rows = []
    for calls in (attention_calls, layer_calls, model_calls):
        timings = compare(calls(windows, device), device, rounds)
        for what, timing in timings.items():
            same_form = f"{what.rpartition(', ')[0]}, none"
            baseline = same_form if same_form in timings else what
            rows.append(_row(what, timing, timings[baseline], baseline))
    settings = {"windows": windows, "L": L, "T": T, "rounds": rounds, "dtype": "float32"}
    claim = "What the sentential gate costs in training"
    return report("gates", claim, settings, rows, device)
