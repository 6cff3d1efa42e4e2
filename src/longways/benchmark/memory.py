"""Peak memory of decoding a very long text: the state of RFA does not grow with the length.

Each row is measured in its own process, because the peak memory of a process never falls. All rows
have the same model, with positions for the longest text, and the same short source. The peak covers
encoding and decoding; the peak of loading the model has its own column.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from longways.config import build
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.errors import ConfigError
from longways.model.config import IWSLT_VOCABULARIES, ModelConfig, preset
from longways.results import Report, Row, report
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP

SOURCE_TOKENS = 300
"""Tokens of the source, which are 15 sentences."""

WARMUP_TOKENS = 100
"""Tokens that are decoded before the measurement."""

CONFIG_FILE = "model.json"


def measure(
    lengths: Sequence[int], features: str, threads: int, sizes: dict[str, int] | None = None
) -> Report:
    """Time and peak memory of decoding texts of several lengths, with int8 weights on a CPU."""
    if not lengths or min(lengths) < 1:
        raise ConfigError("A text must have at least 1 token. Write lengths as in 1000,100000.")
    sizes = {**(sizes or IWSLT_VOCABULARIES), "positions": max(SOURCE_TOKENS, *lengths) + 1}
    with tempfile.TemporaryDirectory() as folder:
        _export(features, sizes, Path(folder))
        rows = [_measure_in_process(Path(folder), tokens, threads) for tokens in lengths]
    for row in rows:
        row["over the first"] = round(row["peak MB"] / rows[0]["peak MB"], 3)
        row["a transformer's state bytes"] = _softmax_bytes(sizes, row["tokens"])
    settings = {"features": features, "threads": threads, "source tokens": SOURCE_TOKENS, **sizes}
    settings |= {"weights": "random, int8"}
    claim = "Peak memory of decoding a text one token at a time, on a CPU"
    return report("decode-memory", claim, settings, rows, "cpu")


def _softmax_bytes(sizes: dict[str, int], tokens: int) -> int:
    from longways.model.state_size import state_bytes

    return state_bytes(preset("transformer", **sizes), 0, tokens)


def _export(features: str, sizes: dict[str, int], folder: Path) -> None:
    """Export a model with random weights."""
    from longways.benchmark.speed.models import new_model, rfa_config
    from longways.export.exporter import write_graphs
    from longways.export.quantise import Int8

    config = rfa_config(features, sizes)
    write_graphs(new_model(config, "cpu"), folder, Int8())
    (folder / CONFIG_FILE).write_text(json.dumps(asdict(config)), encoding="utf-8")


def _measure_in_process(folder: Path, tokens: int, threads: int) -> Row:
    command = [sys.executable, "-m", "longways.benchmark.memory", str(folder)]
    done = subprocess.run(
        [*command, str(tokens), str(threads)], stdout=subprocess.PIPE, text=True, check=True
    )
    row: Row = json.loads(done.stdout)
    return row


def decode_text(runtime: OnnxRuntime, tokens: int) -> dict[str, Any]:
    """Decode `tokens` tokens greedily, and return the sizes of the state and the source memory."""
    source = np.random.default_rng(1).integers(
        4, runtime.config.source_vocabulary, (1, SOURCE_TOKENS)
    )
    source[:, -1] = EOS
    memory = runtime.encode(source)
    state = runtime.start(memory, np.zeros((1, 0), dtype=np.int64), 1)
    decoded, same_beam = [BOS], np.zeros((1, 1), dtype=np.int64)
    for _ in range(tokens):
        _, ids, state = runtime.step(np.array([decoded[-1:]]), same_beam, state)
        decoded.append(next(int(token) for token in ids.ravel() if token not in (EOS, SEP)))
    return {
        "state bytes": sum(array.nbytes for array in state.arrays.values()),
        "source bytes": sum(array.nbytes for array in memory.arrays.values()),
    }


def peak_memory() -> int:
    """The peak memory in bytes since the start of the process or since `reset_peak_memory`.

    `getrusage` may include the parent process, so Linux's own counter is preferred.
    """
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    found = [1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return found[0] if found else 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def reset_peak_memory() -> bool:
    """Reset the peak to the memory in use; False if the system cannot (only Linux can)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _measure_here(folder: Path, tokens: int, threads: int) -> Row:
    config = build(ModelConfig, json.loads((folder / CONFIG_FILE).read_text("utf-8")), "model")
    runtime = OnnxRuntime(folder, config, threads)
    decode_text(runtime, min(tokens, WARMUP_TOKENS))  # one-time allocations do not count
    loading = peak_memory()
    reset_peak_memory()
    began = time.perf_counter()
    sizes = decode_text(runtime, tokens)
    seconds = time.perf_counter() - began
    return {
        "tokens": tokens,
        "seconds": round(seconds, 1),
        "tokens/s": round(tokens / seconds),
        "loading MB": round(loading / 2**20, 1),
        "peak MB": round(peak_memory() / 2**20, 1),
        **sizes,
    }


if __name__ == "__main__":
    model_folder, *numbers = sys.argv[1:]
    print(json.dumps(_measure_here(Path(model_folder), *map(int, numbers))))
