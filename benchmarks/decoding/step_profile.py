"""Time of each kernel in a decoding step, and the least time that its memory traffic takes.

The decoder is in the middle of a text of L sentences. On a CPU torch's operators are profiled
instead of kernels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.decoding.decode_kernels import BANDWIDTH
from benchmarks.decoding.reorder_device import decoder_after
from longways.benchmark.speed.config import SIZES
from longways.benchmark.speed.models import new_model
from longways.benchmark.speed.systems import Setting, System, on_device
from longways.benchmark.speed.windows import Shape
from longways.benchmark.timing import compare
from longways.decoding.gpu.captured_decoder import STEPS_PER_GRAPH, CapturedDecoder
from longways.errors import ConfigError
from longways.model.config import preset
from longways.results import Report, Row, report

PROFILED_REPLAYS = 4
"""Number of times that the captured steps are profiled."""

LISTED_KERNELS = 6
"""Number of kernels that a row lists, the longest first."""

KINDS = {
    "attention": re.compile(r"causal_|cross_|sdpa|flash|fmha|attention|append"),
    "products": re.compile(r"nvjet|gemm|linear|cutlass|cublas|addmm|matmul", re.IGNORECASE),
    "words and search": re.compile(r"best_of|next_tokens|topk|log_softmax|sort"),
}
"""The kind of a kernel, by its name; the first pattern that matches counts."""


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    systems: Sequence[str]
    lengths: Sequence[int]
    batches: Sequence[int]
    beams: int = 1
    device: str = "cuda"

    def __post_init__(self) -> None:
        if len(self.lengths) != len(self.batches):
            raise ConfigError(
                f"There are {len(self.lengths)} L and {len(self.batches)} batches; name as many."
            )
        if self.device not in ("cpu", "cuda"):
            raise ConfigError(f"The device is {self.device!r}, but it must be cpu or cuda.")


@dataclass(frozen=True)
class Case:
    """A system in the middle of a text."""

    system: System
    shape: Shape
    device: str

    def steps(self) -> CapturedDecoder:
        """A decoder that has decoded half of the target."""
        beams, read = self.system.beams, self.shape.tokens // 2
        return decoder_after(CapturedDecoder, self.system.model, self.shape, beams, read)


class Kernel(NamedTuple):
    """Number and total time of the calls of one kernel in a step."""

    name: str
    calls: float
    microseconds: float


def measure(plan: Plan, rounds: int = 9, sizes: dict[str, int] | None = None) -> Report:
    """A row for every system, L and batch."""
    if plan.device == "cuda" and not torch.cuda.is_available():
        raise ConfigError("Kernels are profiled on a GPU, but torch finds none; use --device cpu.")
    sizes = sizes or SIZES
    setting = Setting(plan.device, plan.beams, torch.get_num_threads(), sizes, Path())
    transformer = new_model(preset("transformer", norm="pre", **sizes), plan.device)
    systems = [on_device(name, setting, transformer) for name in plan.systems]
    shapes = [Shape(*pair, "profile") for pair in zip(plan.lengths, plan.batches, strict=True)]
    cases = [Case(*case, plan.device) for case in product(systems, shapes)]
    times = [_time(case, rounds) for case in cases]  # before the profiler, which slows all steps
    rows = [_row(case, time, _kernels(case)) for case, time in zip(cases, times, strict=True)]
    settings = {"beams": plan.beams, "rounds": rounds, "weights": "random", **sizes}
    settings |= {"steps captured together": STEPS_PER_GRAPH, "bytes a second": BANDWIDTH}
    return report("step", "Where the time of a decoding step goes", settings, rows, plan.device)


def _time(case: Case, rounds: int) -> float:
    """Seconds of a step."""
    timings = compare({"step": case.steps().advance}, case.device, rounds)
    return timings["step"].median / STEPS_PER_GRAPH


def _kernels(case: Case) -> list[Kernel]:
    steps = case.steps()
    steps.advance()  # captures the graph
    return profiled(steps, case.device)


def _row(case: Case, seconds: float, kernels: Sequence[Kernel]) -> Row:
    system, shape = case.system, case.shape
    total = sum(kernel.microseconds for kernel in kernels)
    return {
        "system": system.name,
        "L": shape.L,
        "batch": shape.batch,
        "step us": round(1e6 * seconds, 1),
        "kernels us": round(total, 1),
        "kernels": round(sum(kernel.calls for kernel in kernels), 1),
        **{f"{kind} us": round(us, 1) for kind, us in by_kind(kernels).items()},
        "bytes moved": step_bytes(system, shape),
        "floor us": _floor(system, shape, case.device),
        "longest": "; ".join(_describe(kernel) for kernel in kernels[:LISTED_KERNELS]),
    }


def _floor(system: System, shape: Shape, device: str) -> float | str:
    """Microseconds that the memory traffic takes on an H200; unknown on a CPU."""
    return round(1e6 * step_bytes(system, shape) / BANDWIDTH, 1) if device == "cuda" else "-"


def step_bytes(system: System, shape: Shape) -> int:
    """The least number of bytes that a step in the middle of a text reads and writes."""
    model, read = system.model, shape.tokens // 2
    weights = sum(weight.nbytes for weight in model.decoder.parameters())
    fixed = model.config.causal.kind == "rfa"  # a state is read and written, a KV cache only read
    state = system.state_bytes(read) * (2 if fixed else 1)
    return weights + shape.batch * (system.beams * state + system.memory_bytes(shape.tokens))


def by_kind(kernels: Sequence[Kernel]) -> dict[str, float]:
    """Microseconds of each kind of kernel, and of all others."""
    found = dict.fromkeys([*KINDS, "rest"], 0.0)
    for kernel in kernels:
        matching = (kind for kind, pattern in KINDS.items() if pattern.search(kernel.name))
        found[next(matching, "rest")] += kernel.microseconds
    return found


def profiled(steps: CapturedDecoder, device: str) -> list[Kernel]:
    """The kernels of a step, the longest first."""
    activity = ProfilerActivity.CUDA if device == "cuda" else ProfilerActivity.CPU
    with profile(activities=[activity]) as found:
        for _ in range(PROFILED_REPLAYS):
            steps.advance()
        if device == "cuda":
            torch.cuda.synchronize()
    count = PROFILED_REPLAYS * STEPS_PER_GRAPH
    kernels = [
        Kernel(event.key, event.count / count, _self_time(event, device) / count)
        for event in found.key_averages()
    ]
    return sorted((k for k in kernels if k.microseconds), key=lambda k: -k.microseconds)


def _self_time(event: Any, device: str) -> float:
    return float(event.self_device_time_total if device == "cuda" else event.self_cpu_time_total)


def _describe(kernel: Kernel) -> str:
    name = re.split(r"[<(]", kernel.name.removeprefix("void "))[0].split("::")[-1]
    return f"{name[:40]} {kernel.calls:.3g} x {kernel.microseconds / kernel.calls:.2f}"
