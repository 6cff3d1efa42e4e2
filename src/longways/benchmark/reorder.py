"""What following the beams costs: a step after other parents, beside one in which all stay.

B windows, K beams, R = B K rows, T target tokens so far, H heads, E head size.

On a CPU parents are drawn at random for every step, which is the most that a search can ask for,
and a step is the whole decoder with its candidates. On a GPU they are those of the search itself,
which is part of the step. States go from step to step, so that nothing is measured twice on the
same memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

import numpy as np
import torch

from longways.benchmark.baselines import ConcatenatingDecoder
from longways.benchmark.reorder_device import DeviceSteps
from longways.benchmark.report import Report, Row, report
from longways.benchmark.speed_config import SIZES
from longways.benchmark.speed_models import new_model, rfa_config
from longways.benchmark.speed_windows import Shape, windows_of
from longways.benchmark.timing import Timing, compare
from longways.errors import ConfigError
from longways.export.onnx import write_graphs
from longways.export.quantise import Int8
from longways.model.config import ModelConfig, preset
from longways.model.translation import TranslationModel
from longways.runtime.onnx import OnnxRuntime
from longways.runtime.protocol import AnyRuntime, Tokens, pad_rows
from longways.runtime.torch import TorchRuntime

BEAMS = 4
STEPS = 4
"""Steps that are timed together."""


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    device: str
    lengths: Sequence[int]
    batches: Sequence[int]
    features: Sequence[str]

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "cuda"):
            raise ConfigError(f"The device is {self.device!r}, but it must be cpu or cuda.")
        if self.device == "cuda" and not torch.cuda.is_available():
            raise ConfigError("The device is cuda, but torch finds no GPU; use --device cpu.")
        if min(*self.lengths, *self.batches, 1) < 1:
            raise ConfigError("Lengths and batches must be at least 1.")


class Stepping(Protocol):
    """A decoder in the middle of a text."""

    at_once: int
    """Tokens that a step reads in every beam."""

    def step(self, parents: Tokens | None) -> object:
        """Read one token after the parents (B, K); None: every beam goes on after itself."""


Start = Callable[[Shape], Stepping]


class RuntimeSteps:
    """A runtime that has read so many tokens."""

    at_once = 1

    def __init__(self, runtime: AnyRuntime, config: ModelConfig, shape: Shape) -> None:
        windows = windows_of(shape, min(config.source_vocabulary, config.target_vocabulary))
        memory = runtime.encode(pad_rows([window.source for window in windows]))
        prefix = pad_rows([window.source[:-1] for window in windows])  # any text will do
        self.runtime, self.state = runtime, runtime.start(memory, prefix, BEAMS)
        self.tokens = np.full((shape.batch, BEAMS), 5)
        self.still = np.tile(np.arange(BEAMS), (shape.batch, 1))

    def step(self, parents: Tokens | None) -> object:
        """What search would do."""
        followed = self.still if parents is None else parents
        scores, _, self.state = self.runtime.step(self.tokens, followed, self.state)
        return scores


class ConcatenatingSteps:
    """The paper's kind of cache, after so many tokens."""

    at_once = 1

    @torch.inference_mode()
    def __init__(self, model: TranslationModel, shape: Shape) -> None:
        windows = windows_of(shape, model.config.source_vocabulary)
        self.decoder = ConcatenatingDecoder(model, beams=BEAMS)
        self.cache = self.decoder.start([window.source for window in windows])
        self.position = shape.tokens
        rows, heads, _, size = self.cache.sides[0][0].shape
        held = self.cache.encoded.new_ones(rows, heads, self.position, size)
        self.cache.sides = [(held, held) for _ in self.cache.sides]
        self.tokens = torch.full((rows,), 5, device=self.decoder.device)
        self.first = torch.arange(0, rows, BEAMS, device=self.decoder.device)[:, None]

    @torch.inference_mode()
    def step(self, parents: Tokens | None) -> object:
        """Re-index, concatenate, attend."""
        if parents is not None:
            rows = self.first + torch.from_numpy(parents).to(self.decoder.device)
            self.cache.reorder(rows.flatten())
        logits = self.decoder.step(self.tokens, self.position, self.cache)
        self.position += 1
        return logits.topk(BEAMS)


def measure(plan: Plan, rounds: int, threads: int, sizes: dict[str, int] | None = None) -> Report:
    """The share of a step that is spent on following the beams, by L, batch and engine."""
    sizes, before = sizes or SIZES, torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with tempfile.TemporaryDirectory() as folder:
            starts = dict(_starts(plan, threads, sizes, Path(folder)))
            rows = [
                _row(name, start, Shape(L, batch, "reorder"), plan.device, rounds)
                for L in plan.lengths
                for batch in plan.batches
                for name, start in starts.items()
            ]
    finally:
        torch.set_num_threads(before)
    settings = {"beams": BEAMS, "rounds": rounds, "threads": threads, "weights": "random", **sizes}
    claim = "What following the beams costs in a step of beam search"
    return report("reorder", claim, settings, rows, plan.device)


def _starts(
    plan: Plan, threads: int, sizes: dict[str, int], folder: Path
) -> Iterator[tuple[str, Start]]:
    """Every engine, by name."""
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
        engines: dict[str, AnyRuntime] = {
            f"{name}, ONNX int8": OnnxRuntime(folder / name, model.config, threads),
            f"{name}, torch": TorchRuntime(model),
        }
        for engine, runtime in engines.items():
            yield engine, partial(RuntimeSteps, runtime, model.config)


def _row(name: str, start: Start, shape: Shape, device: str, rounds: int) -> Row:
    stepping, rng = start(shape), np.random.default_rng(1)
    drawn = rng.integers(0, BEAMS, (STEPS, shape.batch, BEAMS))
    drawn[:, :, 0] = BEAMS - 1  # never all as they were
    calls: dict[str, Callable[[], object]] = {
        "moved": lambda: [stepping.step(parents) for parents in drawn],
        "still": lambda: [stepping.step(None) for _ in drawn],
    }
    timings = compare(calls, device, max(rounds, 2))
    steps = STEPS * stepping.at_once
    moved, still = timings["moved"].median / steps, timings["still"].median / steps
    return {
        "L": shape.L,
        "batch": shape.batch,
        "engine": name,
        "step ms": round(1e3 * moved, 3),
        "still ms": round(1e3 * still, 3),
        "share %": round(100 * (1 - still / moved), 1),
        "quartiles ms": _quartiles(timings["moved"], steps),
    }


def _quartiles(timing: Timing, steps: int) -> str:
    return f"{1e3 * timing.low / steps:.3f} to {1e3 * timing.high / steps:.3f}"
