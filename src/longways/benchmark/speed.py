"""How fast a window is decoded on a CPU, by its length: RFA against the strongest transformer.

L sentences are 20 L source tokens, and as many target tokens are written, whatever they are: the
weights are random, and ends are not allowed before. Encoding the source counts. All engines have
int8 weights and the same threads, and take turns.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch

from longways.benchmark.ctranslate import CTranslate, convert
from longways.benchmark.report import Report, report
from longways.errors import ConfigError, LongwaysError
from longways.export.onnx import write_graphs
from longways.export.quantise import Int8
from longways.model.config import ModelConfig, preset
from longways.model.translation import TranslationModel
from longways.runtime.onnx import OnnxRuntime
from longways.runtime.protocol import AnyRuntime, pad_rows
from longways.runtime.torch import TorchRuntime
from longways.search.beam import SearchConfig
from longways.text.package import load_package
from longways.text.special import BOS, EOS
from longways.translate.config import TranslateConfig
from longways.translate.decode import decode
from longways.translate.window import Window

SENTENCE = 20
"""Tokens of a sentence, on either side."""

Sources = list[list[int]]
Run = Callable[[Sources, int], object]
"""Writes so many tokens for every source."""

Engines = dict[str, Run]

BASELINE = "CTranslate2"
"""What the others are compared with."""

CLOSE = 1e-3
"""By how much log-probabilities of the same float32 weights may differ between engines."""


def measure(
    lengths: Sequence[int],
    batches: Sequence[int],
    features: Sequence[str],
    beams: int,
    rounds: int,
    threads: int,
    sizes: dict[str, int],
) -> Report:
    """Tokens a second of every engine for each L and batch, after all were found to be right."""
    with tempfile.TemporaryDirectory() as folder:
        engines, notes = _engines(Path(folder), features, beams, threads, sizes)
        rows = [
            _row(L, batch, engines, rounds, _vocabulary(sizes))
            for L in lengths
            for batch in batches
        ]
    settings = {"beams": beams, "threads": threads, "rounds": rounds, "weights": "random", **sizes}
    settings |= {"tokens of a sentence": SENTENCE, **notes}
    return report("speed", "Decoding by the length of the window, on a CPU", settings, rows, "cpu")


def _vocabulary(sizes: dict[str, int]) -> int:
    return int(sizes["source_vocabulary"])


def _engines(
    folder: Path, features: Sequence[str], beams: int, threads: int, sizes: dict[str, int]
) -> tuple[Engines, dict[str, Any]]:
    """Every engine by its name, and what there is to say of them."""
    engines: Engines = {}
    notes: dict[str, Any] = {}
    torch.manual_seed(1)
    try:
        load_package("ctranslate2")
        engines[BASELINE] = _ctranslate(folder, beams, threads, sizes, notes)
    except LongwaysError as error:
        notes["left out"] = str(error)
    for name in features:
        engines[f"RFA {name}"] = _onnx(folder / name, _rfa(name, sizes), beams, threads)
    return engines, notes


def _rfa(name: str, sizes: dict[str, int]) -> ModelConfig:
    """A model with so many projections: `64+32` are those of cross and causal attention."""
    try:
        cross, causal = (int(part) for part in name.split("+"))
    except ValueError as error:
        raise ConfigError(f"{name!r} are no projections. Write them as in 64+32.") from error
    settings = f"cross.projection={cross}", f"causal.projection={causal}"
    return preset("rfa-sgate", *settings, norm="pre", **sizes)


def _ctranslate(
    folder: Path, beams: int, threads: int, sizes: dict[str, int], notes: dict[str, Any]
) -> Run:
    model = TranslationModel(preset("transformer", norm="pre", **sizes)).eval()
    convert(model, folder / "exact", quantization=None)
    notes["largest difference in log-probability"] = _check(
        model, CTranslate(folder / "exact", threads)
    )
    convert(model, folder / "int8")
    engine = CTranslate(folder / "int8", threads)
    return lambda sources, tokens: engine.translate(sources, tokens, beams, least=tokens)


def _check(model: TranslationModel, engine: CTranslate) -> float:
    """How far CTranslate2 is from our own transformer, with float32 weights."""
    rows = _sources(3, 30, model.config.source_vocabulary)
    wanted = TorchRuntime(model).score(pad_rows(rows), pad_rows(rows))
    found = engine.score(rows, rows)
    worst = max(float(np.abs(row - other).max()) for row, other in zip(wanted, found, strict=True))
    if worst > CLOSE:
        raise LongwaysError(f"CTranslate2 differs from our transformer by {worst}: no comparison.")
    return round(worst, 6)


def _onnx(folder: Path, config: ModelConfig, beams: int, threads: int) -> Run:
    folder.mkdir()
    write_graphs(TranslationModel(config).eval(), folder, Int8())
    runtime = OnnxRuntime(folder, config, threads)
    return lambda sources, tokens: _decode(runtime, sources, tokens, beams)


def _decode(runtime: AnyRuntime, sources: Sources, tokens: int, beams: int) -> None:
    how = TranslateConfig(search=SearchConfig(beams=beams), windows=len(sources))
    windows = [Window(source, [BOS], tokens, tokens, separators=0) for source in sources]
    decode(runtime, windows, how)


def _sources(batch: int, tokens: int, vocabulary: int) -> Sources:
    """The same random windows every time."""
    drawn = np.random.default_rng(batch * tokens).integers(4, vocabulary, (batch, tokens))
    drawn[:, -1] = EOS
    return [[int(token) for token in row] for row in drawn]


def _row(L: int, batch: int, engines: Engines, rounds: int, vocabulary: int) -> dict[str, Any]:
    tokens = SENTENCE * L
    sources = _sources(batch, tokens, vocabulary)
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    for run in engines.values():
        run(sources[:1], 2)  # what an engine does only once is not counted
    for _ in range(rounds):
        for name, run in engines.items():
            began = time.perf_counter()
            run(sources, tokens)
            seconds[name].append(time.perf_counter() - began)
    speeds = {name: batch * tokens / median(taken) for name, taken in seconds.items()}
    row: dict[str, Any] = {"L": L, "batch": batch}
    row |= {f"{name}: tokens/s": round(speed) for name, speed in speeds.items()}
    if BASELINE in speeds:
        for name, speed in speeds.items():
            if name != BASELINE:
                row[f"{name}: ratio"] = round(speed / speeds[BASELINE], 2)
    return row
