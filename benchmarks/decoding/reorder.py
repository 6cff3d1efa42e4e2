"""Share of a beam-search step spent on reordering the states of the beams.

Steps in which beams move are compared with steps in which every beam continues itself. On a CPU a
step is the whole decoder with its candidates, and parents are of two kinds: `random`, drawn
independently, or `searched`, recorded in a search by a trained model, in which beams move less.
Where search would use several threads, each takes its own steps. On a GPU the search is part of the
step and gives the parents. States are carried from step to step and parents from round to round;
both kinds of steps are measured in turns.
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
from benchmarks.decoding.reorder_steps import ConcatenatingSteps, SteppingDecoder, steps_of
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

MIN_TIMED_STEPS = 4
"""Least number of steps that are timed together."""

MIN_WINDOW_STEPS = 8
"""Least number of steps of all windows together, since some steps copy more rows than others."""

TABLE_COLUMNS = ("L", "batch", "system", "parents", "rows copied", "step ms", "still ms", "share %")
"""Columns of the printed table; the JSON line also has the quartiles."""

OWN_PARENTS: Row = {"parents": "its own", "rows copied": "-"}
"""Entries of a decoder that uses the parents of its own search and copies no rows."""

Start = Callable[[Shape], SteppingDecoder]


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    device: str
    lengths: Sequence[int]
    batches: Sequence[int]
    features: Sequence[str]
    parents: Sequence[str] = ("random",)
    """Kinds of parents on a CPU, one row each: see `reorder_parents`."""
    text: Path = TEXT
    """The text that is translated for searched parents."""

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
    """The share of a step that is spent on reordering the beams, by L, batch and system."""
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
    """The name of every system, and a function that starts it."""
    transformer = new_model(preset("transformer", norm="pre", **sizes), plan.device)
    if plan.device == "cuda":
        transformer = transformer.bfloat16()
        yield "prealloc", partial(DeviceSteps, transformer)
    shared = "concat" if plan.device == "cuda" else "concat-shared"  # shared by the threads
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
    """A row of the report: steps with parents, and as many steps without."""
    decoder, rounds = start(shape), max(rounds, 2)
    window_tokens = shape.batch * decoder.tokens_per_step
    steps = max(MIN_TIMED_STEPS, MIN_WINDOW_STEPS // window_tokens)
    parents = kind.draw(rounds * steps, shape.batch)
    turns = cycle(np.split(parents, rounds))  # two warm-up rounds repeat the first parents
    calls: dict[str, Callable[[], object]] = {
        "moved": lambda: [decoder.step(one) for one in next(turns)],
        "still": lambda: [decoder.step(None) for _ in range(steps)],
    }
    timings = compare(calls, device, rounds)
    copied = decoder.copied(parents)
    entries = {"parents": kind.name, "rows copied": round(copied, 2)} if copied is not None else {}
    times = _times(timings["moved"], timings["still"], steps * decoder.tokens_per_step)
    return {"L": shape.L, "batch": shape.batch, "system": name, **(entries or OWN_PARENTS), **times}


def _times(moved: Timing, still: Timing, steps: int) -> Row:
    """Times of one step."""
    return {
        "step ms": round(1e3 * moved.median / steps, 3),
        "still ms": round(1e3 * still.median / steps, 3),
        "share %": round(100 * (1 - still.median / moved.median), 1),
        "quartiles ms": f"{1e3 * moved.low / steps:.3f} to {1e3 * moved.high / steps:.3f}",
    }
