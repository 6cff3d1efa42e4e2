"""Time of search, graph and matmuls in a step of ONNX Runtime, and of reading its weights.

Measured in turns, with greedy search: a token of the search, a step of the graph alone, the int8
matmuls of the graph alone, and a pass over as many bytes as their weights have. A step reads all
weights, and they rarely stay in the caches of the processor, which other programs use, too.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import onnx

from benchmarks.decoding.products import product_sizes, products_of, weight_bytes
from longways.benchmark.speed.config import SIZES
from longways.benchmark.speed.models import new_model, rfa_config
from longways.benchmark.speed.windows import Shape, windows_of
from longways.benchmark.timing import compare
from longways.decoding.beam_search import Limits, SearchConfig, beam_search
from longways.decoding.onnx.io_binding import BoundDecoder, candidate_inputs, no_scored_tokens
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.onnx.session import DECODER_FILE, Session, open_session
from longways.decoding.runtime import EXTRA_CANDIDATES, Tokens, pad_rows
from longways.decoding.threads import shared_thread_pool
from longways.errors import ConfigError
from longways.export.exporter import write_graphs
from longways.export.quantise import Int8
from longways.results import Report, Row, report
from longways.text.tokenizers.special_tokens import BOS

TIMED_STEPS = 60
"""Steps that are timed together: enough to replace the cache content of the call before them."""

SOURCE_SENTENCES = 4
"""Sentences of a source window."""

PRODUCTS_FILE = "products.onnx"


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    systems: Sequence[str]
    batches: Sequence[int]
    threads: int = 2

    def __post_init__(self) -> None:
        if min(self.batches, default=0) < 1 or self.threads < 1:
            raise ConfigError("There must be at least 1 window and 1 thread.")


@dataclass(frozen=True)
class System:
    """A runtime, the graph of its decoder, and a session with the graph's matmuls."""

    runtime: OnnxRuntime
    products: Session
    graph: onnx.ModelProto


def measure(plan: Plan, rounds: int = 9, sizes: dict[str, int] | None = None) -> Report:
    """A row for every system and batch."""
    sizes, rows = sizes or SIZES, []
    for name in plan.systems:
        with tempfile.TemporaryDirectory() as folder:
            model = new_model(rfa_config(name, sizes), "cpu")
            write_graphs(model, Path(folder), Int8())
            system = _opened(OnnxRuntime(Path(folder), model.config, plan.threads))
            rows += [{"system": name, **_row(system, b, rounds)} for b in plan.batches]
    settings = {"weights": "random, int8", "threads": plan.threads, "rounds": rounds}
    claim = "Where the time of a step of ONNX Runtime goes"
    return report("step-parts", claim, {**settings, "steps": TIMED_STEPS, **sizes}, rows, "cpu")


def _opened(runtime: OnnxRuntime) -> System:
    graph = onnx.load(runtime.folder / DECODER_FILE, load_external_data=False)
    onnx.save_model(products_of(graph), runtime.folder / PRODUCTS_FILE)
    products = open_session(runtime.folder / PRODUCTS_FILE, runtime.threads)
    return System(runtime, products, graph)


def _row(system: System, batch: int, rounds: int) -> Row:
    runtime, weights = system.runtime, weight_bytes(system.graph)
    calls = {
        "token": _search(runtime, batch),
        "graph": _steps(runtime, batch),
        "products": _products(system, batch),
        "weights": _read_bytes(weights, runtime.thread_pool.threads),
    }
    timings = compare(calls, "cpu", rounds)
    taken = {name: timing.median / TIMED_STEPS for name, timing in timings.items()}
    return {
        "batch": batch,
        **{f"{name} us": round(1e6 * seconds) for name, seconds in taken.items()},
        "operators": len(system.graph.graph.node),
        "weight bytes": weights,
        "GB/s": round(weights / taken["weights"] / 1e9, 1),
    }


def _search(runtime: OnnxRuntime, batch: int) -> Callable[[], object]:
    """A search of TIMED_STEPS steps."""
    memory = runtime.encode(_sources(runtime, batch))
    lengths = np.full(batch, TIMED_STEPS - 1)
    limits, config = Limits(lengths, lengths), SearchConfig(beams=1)
    return partial(beam_search, runtime, memory, [[BOS]] * batch, limits, config)


def _steps(runtime: OnnxRuntime, batch: int) -> Callable[[], object]:
    """TIMED_STEPS steps of the graph, with bound arrays as in a search."""
    memory, state = runtime.encode(_sources(runtime, batch)), runtime.states.initial(batch)
    decoder, tokens = BoundDecoder(runtime.decoder), np.full((batch, 1), BOS)
    read = {"tokens": tokens, "positions": tokens, **candidate_inputs(0, 1 + EXTRA_CANDIDATES)}
    read["wanted"] = no_scored_tokens(batch, 1)
    return _repeated(partial(decoder.step, read, memory.arrays, state))


def _sources(runtime: OnnxRuntime, batch: int) -> Tokens:
    windows = windows_of(Shape(SOURCE_SENTENCES, batch, "step"), runtime.config.source_vocabulary)
    return pad_rows([window.source for window in windows])


def _products(system: System, batch: int) -> Callable[[], object]:
    """TIMED_STEPS times the matmuls of the graph, with quantised inputs."""
    session, sizes = system.products, product_sizes(system.graph)
    rows = {
        name: np.full(session.shape(name, {"windows": batch}), 200, dtype=np.uint8)
        for name in session.inputs
    }
    found = {name: np.empty((batch, 1, width), np.float32) for name, (_, width) in sizes.items()}
    return _repeated(session.bind(rows, found))


def _read_bytes(count: int, threads: int) -> Callable[[], object]:
    """TIMED_STEPS passes over `count` bytes, divided among the threads."""
    parts = np.array_split(np.ones(count // 8), threads)
    tasks = [partial(np.max, part) for part in parts]
    return _repeated(partial(shared_thread_pool(threads).run, tasks))


def _repeated(call: Callable[[], object]) -> Callable[[], object]:
    def repeated() -> None:
        for _ in range(TIMED_STEPS):
            call()

    return repeated
