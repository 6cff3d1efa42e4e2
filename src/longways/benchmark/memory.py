"""Memory of writing a very long text: what RFA carries from token to token never grows.

Every row is a process of its own, since a process remembers its highest peak. All have the same
model, with positions for the longest text, and the same source: a window is encoded whole, and that
is not what is measured here. The peak is that of encoding and writing; loading is said beside it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from longways.benchmark.peak import forget_peak, peak_memory
from longways.config import build
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.errors import ConfigError
from longways.model.config import IWSLT_VOCABULARIES, ModelConfig, preset
from longways.results import Report, Row, report
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP

SOURCE = 300
"""Tokens of the source, 15 sentences."""

FIRST = 100
"""Tokens that are written before anything is measured."""

CONFIG_FILE = "model.json"


def measure(
    lengths: Sequence[int], features: str, threads: int, sizes: dict[str, int] | None = None
) -> Report:
    """Time and peak memory of writing texts of several lengths, in int8 on a CPU."""
    if not lengths or min(lengths) < 1:
        raise ConfigError("A text must have at least 1 token. Write lengths as in 1000,100000.")
    sizes = {**(sizes or IWSLT_VOCABULARIES), "positions": max(SOURCE, *lengths) + 1}
    with tempfile.TemporaryDirectory() as folder:
        _export(features, sizes, Path(folder))
        rows = [_in_a_process(Path(folder), tokens, threads) for tokens in lengths]
    for row in rows:
        row["over the first"] = round(row["peak MB"] / rows[0]["peak MB"], 3)
        row["a transformer's state bytes"] = _softmax_bytes(sizes, row["tokens"])
    settings = {"features": features, "threads": threads, "source tokens": SOURCE, **sizes}
    settings |= {"weights": "random, int8"}
    claim = "Peak memory of writing a text one token at a time, on a CPU"
    return report("decode-memory", claim, settings, rows, "cpu")


def _softmax_bytes(sizes: dict[str, int], tokens: int) -> int:
    from longways.model.state_size import state_bytes

    return state_bytes(preset("transformer", **sizes), 0, tokens)


def _export(features: str, sizes: dict[str, int], folder: Path) -> None:
    """The graphs of a model with random weights."""
    from longways.benchmark.speed.models import new_model, rfa_config
    from longways.export.exporter import write_graphs
    from longways.export.quantise import Int8

    config = rfa_config(features, sizes)
    write_graphs(new_model(config, "cpu"), folder, Int8())
    (folder / CONFIG_FILE).write_text(json.dumps(asdict(config)), encoding="utf-8")


def _in_a_process(folder: Path, tokens: int, threads: int) -> Row:
    command = [sys.executable, "-m", "longways.benchmark.memory", str(folder)]
    done = subprocess.run(
        [*command, str(tokens), str(threads)], stdout=subprocess.PIPE, text=True, check=True
    )
    row: Row = json.loads(done.stdout)
    return row


def write_text(runtime: OnnxRuntime, tokens: int) -> dict[str, Any]:
    """Write so many tokens, the likeliest each time; what is carried, in bytes."""
    source = np.random.default_rng(1).integers(4, runtime.config.source_vocabulary, (1, SOURCE))
    source[:, -1] = EOS
    memory = runtime.encode(source)
    state = runtime.start(memory, np.zeros((1, 0), dtype=np.int64), 1)
    written, still = [BOS], np.zeros((1, 1), dtype=np.int64)
    for _ in range(tokens):
        _, ids, state = runtime.step(np.array([written[-1:]]), still, state)
        written.append(next(int(token) for token in ids.ravel() if token not in (EOS, SEP)))
    return {
        "state bytes": sum(array.nbytes for array in state.arrays.values()),
        "source bytes": sum(array.nbytes for array in memory.arrays.values()),
    }


def _measure_here(folder: Path, tokens: int, threads: int) -> Row:
    config = build(ModelConfig, json.loads((folder / CONFIG_FILE).read_text("utf-8")), "model")
    runtime = OnnxRuntime(folder, config, threads)
    write_text(runtime, min(tokens, FIRST))  # what a system needs only once is not counted
    loading = peak_memory()
    forget_peak()
    began = time.perf_counter()
    held = write_text(runtime, tokens)
    seconds = time.perf_counter() - began
    return {
        "tokens": tokens,
        "seconds": round(seconds, 1),
        "tokens/s": round(tokens / seconds),
        "loading MB": round(loading / 2**20, 1),
        "peak MB": round(peak_memory() / 2**20, 1),
        **held,
    }


if __name__ == "__main__":
    place, *numbers = sys.argv[1:]
    print(json.dumps(_measure_here(Path(place), *map(int, numbers))))
