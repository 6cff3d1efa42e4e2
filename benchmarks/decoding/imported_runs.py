"""Both programs of the benchmark `imported` as they translate, and the memory of each.

Imports no torch, so that the memory of our side is that of an installation without it.
"""

from __future__ import annotations

import importlib
import multiprocessing
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.onnx.open import load_exported
from longways.decoding.runtime import Tokens
from longways.decoding.searcher import search_all
from longways.decoding.windows import Window
from longways.text.tokenizers.special_tokens import BOS, EOS

OUR_FIRST = 3
"""Marian's id 2 is our id 5, and so on: we have three special tokens more."""


@dataclass(frozen=True)
class Task:
    """Sources to translate into a fixed number of tokens."""

    sources: list[list[int]]
    """Marian's ids."""
    tokens: int
    beams: int


class Ours:
    """An exported model in ONNX Runtime."""

    def __init__(self, folder: Path, threads: int) -> None:
        self.runtime = load_exported(folder, threads)

    def translate(self, task: Task) -> int:
        """The number of tokens in all translations."""
        windows = [
            Window([*(i + OUR_FIRST for i in row), EOS], [BOS], task.tokens, task.tokens)
            for row in task.sources
        ]
        config = TranslateConfig(search=SearchConfig(beams=task.beams))
        found = search_all(self.runtime, windows, config)
        return sum(len(best[0].tokens) for _, best in found)

    def score(self, source: Tokens, target: Tokens) -> NDArray[Any]:
        """The mean log-probability of each target."""
        scores: NDArray[Any] = self.runtime.score(source, target).mean(1)
        return scores


class Theirs:
    """A converted model in CTranslate2; its threads work together if they are `shared`."""

    def __init__(self, folder: Path, threads: int, shared: bool) -> None:
        self.workers = 1 if shared else threads
        self.translator = importlib.import_module("ctranslate2").Translator(
            str(folder), inter_threads=self.workers, intra_threads=threads if shared else 1
        )

    def translate(self, task: Task) -> int:
        """The number of tokens in all translations."""
        found = self.translator.translate_batch(
            _words(task.sources),
            beam_size=task.beams,
            max_decoding_length=task.tokens,
            min_decoding_length=task.tokens,
            max_batch_size=-(-len(task.sources) // self.workers),
        )
        return sum(len(one.hypotheses[0]) for one in found)

    def score(self, sources: list[list[int]], targets: list[list[int]]) -> NDArray[Any]:
        """The mean log-probability of each target."""
        found = self.translator.score_batch(_words(sources), _words(targets))
        return np.array([np.mean(one.log_probs) for one in found])


def _words(rows: list[list[int]]) -> list[list[str]]:
    return [[f"w{i}" for i in row] for row in rows]


def peak_megabytes(folder: Path, threads: int, task: Task) -> int:
    """The memory that a new process needs to load a model and translate, beyond its imports."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_used, (folder, threads, task))


def _used(folder: Path, threads: int, task: Task) -> int:
    importlib.import_module("onnxruntime" if folder.name == "ours" else "ctranslate2")
    before = _megabytes("VmRSS")
    one = Ours(folder, threads) if folder.name == "ours" else Theirs(folder, threads, False)
    one.translate(task)
    return _megabytes("VmHWM") - before


def _megabytes(field: str) -> int:
    """Memory of this process as Linux counts it; ru_maxrss would include that of its parent."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    found = re.search(rf"^{field}:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) // 1024 if found else 0
