"""What following the beams costs: a step after other parents, beside one in which all stay.

On a CPU a step is the whole decoder with its candidates, and parents are of two kinds: `random`,
drawn for each beam by itself, and `searched`, those of a beam search by a trained model, whose
beams move less. Where threads would search windows of their own, they take steps of their own. On a
GPU parents are those of the search itself, which is part of the step. States go from step to step,
and parents on from round to round; steps with parents and without take turns.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path

import numpy as np
import torch

from benchmarks.decoding.reorder_device import DeviceSteps
from benchmarks.decoding.reorder_parents import (
    BEAMS,
    PARENTS,
    TEXT,
    Parents,
    kinds_of_parents,
)
from benchmarks.decoding.reorder_steps import ConcatenatingSteps, Stepping, steps_of
from longways.benchmark.speed.config import SIZES
from longways.benchmark.speed.models import new_model, rfa_config
from longways.benchmark.speed.windows import Shape
from longways.benchmark.timing import Timing, compare
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.runtime import AnyRuntime
from longways.decoding.torch import TorchRuntime
from longways.errors import ConfigError
from longways.export.exporter import write_graphs
from longways.export.quantise import Int8
from longways.model.config import preset
from longways.results import Report, Row, report

STEPS = 4
"""Steps that are timed together."""

WINDOW_STEPS = 8
"""Those of all windows together, at the least: in some of them more is copied than in others."""

SHOWN = ("L", "batch", "system", "parents", "rows copied", "step ms", "still ms", "share %")
"""Columns of the table; the JSON line has the quartiles, too."""

OWN: Row = {"parents": "its own", "rows copied": "-"}
"""What is said of steps that follow their own search, and read states where they are."""

Start = Callable[[Shape], Stepping]


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    device: str
    lengths: Sequence[int]
    batches: Sequence[int]
    features: Sequence[str]
    parents: Sequence[str] = ("random",)
    """What beams follow on a CPU, each kind in a row of its own: see `reorder_parents`."""
    text: Path = TEXT
    """What is translated for parents that are searched."""

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "cuda"):
            raise ConfigError(f"The device is {self.device!r}, but it must be cpu or cuda.")
        if self.device == "cuda" and not torch.cuda.is_available():
            raise ConfigError("The device is cuda, but torch finds no GPU; use --device cpu.")
        if min(*self.lengths, *self.batches, 1) < 1:
            raise ConfigError("Lengths and batches must be at least 1.")
        if unknown := [kind for kind in self.parents if kind not in PARENTS]:
            raise ConfigError(f"Parents are {unknown[0]!r}, but must be {' or '.join(PARENTS)}.")
        if self.device == "cuda" and "searched" in self.parents:
            raise ConfigError("On a GPU steps follow their own search: leave out --parents.")


def measure(plan: Plan, rounds: int, threads: int, sizes: dict[str, int] | None = None) -> Report:
    """The share of a step that is spent on following the beams, by L, batch and system."""
    sizes, before = sizes or SIZES, torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with tempfile.TemporaryDirectory() as folder:
            starts = dict(_starts(plan, threads, sizes, Path(folder)))
            kinds = kinds_of_parents(plan.parents, plan.text)
            rows = [
                _row(name, start, Shape(L, batch, "reorder"), kind, plan.device, rounds)
                for L in plan.lengths
                for batch in plan.batches
                for name, start in starts.items()
                for kind in kinds
            ]
    finally:
        torch.set_num_threads(before)
    settings = {"beams": BEAMS, "rounds": rounds, "threads": threads, "weights": "random", **sizes}
    if "searched" in plan.parents:
        settings["text"] = plan.text.name
    claim = "What following the beams costs in a step of beam search"
    return report("reorder", claim, settings, rows, plan.device)


def _starts(
    plan: Plan, threads: int, sizes: dict[str, int], folder: Path
) -> Iterator[tuple[str, Start]]:
    """Every system, by name."""
    transformer = new_model(preset("transformer", norm="pre", **sizes), plan.device)
    if plan.device == "cuda":
        transformer = transformer.bfloat16()
        yield "prealloc", partial(DeviceSteps, transformer)
    shared = "concat" if plan.device == "cuda" else "concat-shared"  # by the threads
    yield shared, partial(ConcatenatingSteps, transformer)
    for name in plan.features:
        model = new_model(rfa_config(name, sizes), plan.device)
        if plan.device == "cuda":
            yield name, partial(DeviceSteps, model.bfloat16())
            continue
        (folder / name).mkdir()
        write_graphs(model, folder / name, Int8())
        systems: dict[str, AnyRuntime] = {
            f"{name}, ONNX int8": OnnxRuntime(folder / name, model.config, threads),
            f"{name}, torch": TorchRuntime(model),
        }
        for system, runtime in systems.items():
            yield system, partial(steps_of, runtime, model.config)


def _row(name: str, start: Start, shape: Shape, kind: Parents, device: str, rounds: int) -> Row:
    """Steps with parents, which go on from round to round, beside as many without."""
    stepping, rounds = start(shape), max(rounds, 2)
    steps = max(STEPS, WINDOW_STEPS // (shape.batch * stepping.at_once))
    parents = kind.draw(rounds * steps, shape.batch)
    turns = cycle(np.split(parents, rounds))  # the two that do not count come again at the end
    calls: dict[str, Callable[[], object]] = {
        "moved": lambda: [stepping.step(one) for one in next(turns)],
        "still": lambda: [stepping.step(None) for _ in range(steps)],
    }
    timings = compare(calls, device, rounds)
    copied = stepping.copied(parents)
    said = OWN if copied is None else {"parents": kind.name, "rows copied": round(copied, 2)}
    times = _times(timings["moved"], timings["still"], steps * stepping.at_once)
    return {"L": shape.L, "batch": shape.batch, "system": name, **said, **times}


def _times(moved: Timing, still: Timing, steps: int) -> Row:
    """Of a single step."""
    return {
        "step ms": round(1e3 * moved.median / steps, 3),
        "still ms": round(1e3 * still.median / steps, 3),
        "share %": round(100 * (1 - still.median / moved.median), 1),
        "quartiles ms": f"{1e3 * moved.low / steps:.3f} to {1e3 * moved.high / steps:.3f}",
    }
