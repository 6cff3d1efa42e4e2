"""Time of one decoding step of RFA as a fused kernel, in plain torch, and as bound by memory.

R rows (windows x beams), B windows, H heads, D features, E head size, K projections.

Each time is one step of one layer's attention on the device alone. A step through LAYERS layers,
each with its own state, is captured in a CUDA graph: so launches from the host do not count, and no
layer finds its state in the cache. The fused step takes projected queries and keys, as in decoding,
where the matmul before it projects them; the plain step projects them itself. `floor` is the time
of the memory traffic that any kernel needs. `unmoved` is the fused step without parents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec

import torch
from torch import Tensor

from longways.attention.features import RandomFeatures
from longways.attention.rfa import rfa_remember
from longways.attention.rfa.decode import GateInput, decode_causal, decode_cross
from longways.attention.state import CausalRFAState, GateState, RFAState
from longways.benchmark.timing import compare
from longways.errors import ConfigError
from longways.results import Report, Row, report

H, E, BEAMS, LAYERS = 8, 64, 4, 6
ROWS = (4, 64, 256, 1024, 4096)
CAUSAL_K, CROSS_K = 32, 256
SUMMED_TOKENS = 100
"""Tokens in the memory of a window, and in the state of a row."""
BANDWIDTH = 4.3e12
"""Bytes a second that an H200 reads and writes in a plain copy."""
REPLAYS = 20
MAX_ERRORS = {torch.float32: 1e-4, torch.bfloat16: 3e-2, torch.float16: 1e-2}
"""Largest error of the fused step, relative to the plain step, by precision."""

Call = Callable[[], Tensor]


def causal_calls(
    rows: int, K: int, dtype: torch.dtype, device: str = "cuda"
) -> dict[str, list[Call]]:
    """Gated causal steps with the parents of a beam search, by form and layer."""
    from longways.attention.kernels.decode_causal import decode_causal_fused, empty_state
    from longways.attention.kernels.fused_map import fused_inputs

    calls: dict[str, list[Call]] = {"plain": [], "fused": [], "unmoved": []}
    windows = torch.arange(rows, device=device) // BEAMS * BEAMS
    for _ in range(LAYERS):
        phi, W = _map(K, device)
        q, k, v = torch.randn(rows, 3, H, E, device=device).to(dtype).unbind(1)
        written, values = phi.phi(_tokens(rows, device), W), _tokens(rows, device)
        sums = RFAState(written.mT @ values, written.sum(2))
        past = CausalRFAState(sums, GateState(*torch.rand(2, rows, H, device=device)))
        parents = windows + torch.randint(0, BEAMS, (rows,), device=device)
        logits = torch.randn(rows, H, device=device).to(dtype)
        gate = GateInput("decay", logits, torch.rand(rows, device=device) < 0.04)
        fused, projected = fused_inputs(phi, W, q, k)
        token = *(x.to(dtype) for x in projected), v, fused, None, past
        into = empty_state(past, rows)
        plain = partial(_first, decode_causal, q, k, v, phi, W, past, parents, gate)
        calls["plain"].append(plain)
        calls["fused"].append(partial(_first, decode_causal_fused, *token, parents, gate, into))
        calls["unmoved"].append(partial(_first, decode_causal_fused, *token, None, gate, into))
    return calls


def cross_calls(
    rows: int, K: int, dtype: torch.dtype, device: str = "cuda"
) -> dict[str, list[Call]]:
    """Cross steps in which the beams of a window share its memory, by form and layer."""
    from longways.attention.kernels.decode_cross import decode_cross_fused
    from longways.attention.kernels.fused_map import fused_inputs

    calls: dict[str, list[Call]] = {"plain": [], "fused": []}
    for _ in range(LAYERS):
        phi, W = _map(K, device)
        q = torch.randn(rows // BEAMS, BEAMS, H, E, device=device).to(dtype).transpose(1, 2)
        written, values = phi.phi(_tokens(rows // BEAMS, device), W), _tokens(rows // BEAMS, device)
        memory = rfa_remember(written.to(dtype), values.to(dtype))
        calls["plain"].append(partial(decode_cross, q, phi, W, memory))
        fused, (u,) = fused_inputs(phi, W, q)
        calls["fused"].append(partial(decode_cross_fused, u.to(dtype), fused, None, memory))
    return calls


def causal_bytes(rows: int, K: int, size: int) -> int:
    """Bytes of a step: old and new state in float32; q and k, both projected; v and out."""
    return rows * H * (2 * 4 * 2 * K * (E + 1) + (2 * (K + E) + 2 * E) * size)


def cross_bytes(rows: int, K: int, size: int) -> int:
    """Bytes of a step: the memory once per window; q, projected, and out."""
    return rows // BEAMS * H * (2 * K * (E + 1) + BEAMS * (K + 2 * E)) * size


def measure(
    device: str = "cuda",
    rounds: int = 9,
    dtype: torch.dtype = torch.bfloat16,
    causal: int = CAUSAL_K,
    cross: int = CROSS_K,
) -> Report:
    """Causal and cross attention with K = `causal` and `cross`, by number of rows."""
    _check_machine(device)
    torch.manual_seed(0)
    with torch.inference_mode():
        rows = list(_rows(rounds, dtype, causal, cross))
    settings = {
        "H": H, "E": E, "K causal": causal, "K cross": cross, "beams": BEAMS, "layers": LAYERS,
        "gate": "decay", "dtype": str(dtype).removeprefix("torch."), "rounds": rounds,
    }  # fmt: skip
    claim = "One decoding step of one layer's attention, fused and plain, on the device alone"
    return report("decode-kernels", claim, settings, rows, device)


def _check_machine(device: str) -> None:
    if device != "cuda":
        raise ConfigError(f"The kernels run on a GPU, but the device is {device}; use cuda.")
    if not torch.cuda.is_available():
        raise ConfigError("The kernels run on a GPU, but torch finds none; run this where one is.")
    if find_spec("triton") is None:
        raise ConfigError("The kernels need Triton, which is not installed: `pip install triton`.")


def _rows(rounds: int, dtype: torch.dtype, causal: int, cross: int) -> Iterator[Row]:
    for rows in ROWS:
        calls = causal_calls(rows, causal, dtype)
        floor = causal_bytes(rows, causal, dtype.itemsize) / BANDWIDTH
        yield _row("causal", rows, calls, floor, rounds, MAX_ERRORS[dtype])
    for rows in ROWS:
        calls = cross_calls(rows, cross, dtype)
        floor = cross_bytes(rows, cross, dtype.itemsize) / BANDWIDTH
        yield _row("cross", rows, calls, floor, rounds, MAX_ERRORS[dtype])


def _row(
    what: str, rows: int, calls: dict[str, list[Call]], floor: float, rounds: int, max_error: float
) -> Row:
    """A row of the report: the calls are checked first, then timed in turns."""
    error = largest_error(calls)
    assert error < max_error, (
        f"the fused {what} step of {rows} rows is {error:.1e} from the plain one"
    )
    graphs: dict[str, Callable[[], object]] = {
        name: partial(_replay, _captured(layers)) for name, layers in calls.items()
    }
    timings = compare(graphs, "cuda", rounds)
    times = {name: 1e6 * t.median / REPLAYS / LAYERS for name, t in timings.items()}
    return {
        "what": what,
        "rows": rows,
        "plain us": round(times["plain"], 2),
        "fused us": round(times["fused"], 2),
        "unmoved us": round(times["unmoved"], 2) if "unmoved" in times else "-",
        "floor us": round(1e6 * floor, 2),
        "speed-up": round(times["plain"] / times["fused"], 2),
        "error": f"{error:.1e}",
    }


def largest_error(calls: dict[str, list[Call]]) -> float:
    """The largest error in any layer, relative to the largest output."""
    worst = 0.0
    for plain, fused in zip(calls["plain"], calls["fused"], strict=True):
        wanted = plain().double()
        error = (fused().double() - wanted).abs().max() / wanted.abs().max()
        worst = max(worst, error.nan_to_num(nan=torch.inf).item())
    return worst


def _captured(layers: list[Call]) -> torch.cuda.CUDAGraph:
    """A graph of a step through all layers, captured after a first step that compiles kernels."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for layer in layers:
            layer()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for layer in layers:
            layer()
    return graph


def _replay(graph: torch.cuda.CUDAGraph) -> None:
    for _ in range(REPLAYS):
        graph.replay()


def _first(step: Callable[..., tuple[Tensor, object]], *arguments: object) -> Tensor:
    return step(*arguments)[0]


def _map(K: int, device: str) -> tuple[RandomFeatures, Tensor]:
    return RandomFeatures(H, E, K, tau=1.0).to(device), torch.randn(H, K, E, device=device)


def _tokens(batch: int, device: str) -> Tensor:
    return torch.randn(batch, H, SUMMED_TOKENS, E, device=device)
