"""Models side by side on one part of prepared data: loss, BLEU, chrF, and what of it is real."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from longways.corpus.store import TEXT_FOLDER, PreparedData, Split
from longways.errors import CorpusError
from longways.evaluation.score import DocumentScores, score_documents
from longways.evaluation.significance import compare_bleu, compare_losses
from longways.model.checkpoint import load_model
from longways.model.manifest import read_manifest
from longways.runtime.torch import TorchRuntime
from longways.search import SearchConfig
from longways.text.manifest import same_pipeline
from longways.training.development import Development
from longways.translate import TranslateConfig, split_references, translate_split

LONGEST, TOKENS = 1024, 65_536
"""Tokens of a window at most, and of a batch of them."""


@dataclass(frozen=True)
class Judged:
    """One model's translations of a part, and its scores."""

    name: str
    L: int
    output: list[list[str]]
    scores: DocumentScores
    losses: NDArray[np.float64]  # (documents, 2)  summed over last sentences; tokens
    seconds: float

    @property
    def loss(self) -> float:
        """Mean loss of a token of the last sentence of a window."""
        total, tokens = self.losses.sum(0)
        return float(total / tokens)


def judge_models(
    folders: Iterable[Path],
    data: PreparedData,
    part: str = "test",
    beams: int = 4,
    L: int | None = None,
    device: str = "cpu",
    tell: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Translate a part with every model, each with its own L unless one is given, and score it."""
    judged = []
    for folder in folders:
        if not same_pipeline(folder / TEXT_FOLDER, data.folder / TEXT_FOLDER):
            raise CorpusError(
                f"{folder} was trained with another vocabulary than that of {data.folder}. "
                "Evaluate it on data prepared with its own text pipeline."
            )
        if tell:
            tell(f"{folder}: translating")
        judged.append(_judge(folder, data, part, beams, L, device))
    return judged


def _judge(
    folder: Path, data: PreparedData, part: str, beams: int, L: int | None, device: str
) -> Judged:
    window = L or int(read_manifest(folder).facts.get("L", 1))
    model, split, text = load_model(folder).to(device), data.split(part), data.text()
    development = Development(split, torch.device(device), window, TOKENS, LONGEST)
    losses = _by_document(development.by_sentence(model), split)
    how = TranslateConfig(
        L=window, search=SearchConfig(beams=beams), windows=512, tokens=TOKENS, documents=512
    )
    began = time.perf_counter()
    output = translate_split(TorchRuntime(model), split, text, how)
    seconds = time.perf_counter() - began
    scores = score_documents(output, split_references(split, text))
    return Judged(_name(folder), window, output, scores, losses, seconds)


def rows(judged: list[Judged], data: PreparedData, part: str) -> list[dict[str, Any]]:
    """A line for each model; all but the first are compared with the first."""
    references = split_references(data.split(part), data.text())
    first, table = judged[0], []
    for model in judged:
        bleu = compare_bleu(model.output, first.output, references)
        loss = compare_losses(model.losses, first.losses)
        table.append(
            {
                "model": model.name,
                "L": model.L,
                "document BLEU": round(model.scores.document_bleu.value, 2),
                "sentence BLEU": round(model.scores.sentence_bleu.value, 2),
                "chrF": round(model.scores.chrf.value, 2),
                "loss": round(model.loss, 4),
                "BLEU difference": _interval(bleu.value, bleu.low, bleu.high, 2),
                "p of BLEU": round(bleu.p, 3),
                "loss difference": _interval(loss.value, loss.low, loss.high, 4),
                "p of loss": round(loss.p, 3),
                "seconds": round(model.seconds, 1),
            }
        )
    return table


def _by_document(sums: NDArray[np.float64], split: Split) -> NDArray[np.float64]:
    return np.asarray(np.add.reduceat(sums, np.asarray(split.documents[:-1]), axis=0))


def _interval(value: float, low: float, high: float, digits: int) -> str:
    return f"{value:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"


def _name(folder: Path) -> str:
    """The run's name for a model inside a run, else the folder's own."""
    kept = folder.name in ("best", "last", "average")
    return folder.absolute().parent.name if kept else folder.name
