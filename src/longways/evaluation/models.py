"""Models side by side on one part of prepared data: loss, BLEU, chrF, and what of it is real."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from longways.corpus.store import PreparedData, Split
from longways.errors import CorpusError
from longways.evaluation.judged import Judged, read_judged, write_judged
from longways.evaluation.score import score_documents
from longways.evaluation.significance import compare_bleu, compare_losses
from longways.model.checkpoint import load_model
from longways.model.manifest import read_manifest
from longways.runtime.torch import TorchRuntime
from longways.search import SearchConfig
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.training.development import Development
from longways.translate import TranslateConfig, split_references, translate_split

LONGEST, TOKENS = 1024, 65_536
"""Tokens of a window at most, and of a batch of them."""


def judge_models(
    models: Iterable[Path],
    data: PreparedData,
    part: str = "test",
    beams: int = 4,
    L: int | None = None,
    device: str = "cpu",
    keep: Path | None = None,
    tell: Callable[[str], None] | None = None,
) -> list[Judged]:
    """Translate a part with every model, each with its own L unless one is given, and score it.

    In place of a model folder there may be a file that an earlier call has written into `keep`.
    """
    judged = []
    for model in models:
        if model.suffix == ".json":
            found = read_judged(model)
            _check_sizes(found, data.split(part), model, part)
        else:
            _check_text(model, data)
            if tell:
                tell(f"{model}: translating")
            found = _judge(model, data, part, beams, L, device)
            if keep:
                write_judged(found, keep / f"{found.name}-L{found.L}-beam{beams}-{part}.json")
        judged.append(found)
    return judged


def _check_text(folder: Path, data: PreparedData) -> None:
    if not same_pipeline(folder / TEXT_FOLDER, data.folder / TEXT_FOLDER):
        raise CorpusError(
            f"{folder} was trained with another vocabulary than that of {data.folder}. "
            "Evaluate it on data prepared with its own text pipeline."
        )


def _check_sizes(judged: Judged, split: Split, path: Path, part: str) -> None:
    sizes = [len(document) for document in judged.output]
    if sizes != np.diff(split.documents).tolist():
        raise CorpusError(f"{path} translates other documents than those of the {part} part.")


def _judge(
    folder: Path, data: PreparedData, part: str, beams: int, L: int | None, device: str
) -> Judged:
    window = L or trained_window(folder)
    model, split, text = load_model(folder).to(device), data.split(part), data.text()
    development = Development(split, torch.device(device), window, TOKENS, LONGEST)
    losses = _by_document(development.by_sentence(model), split)
    how = TranslateConfig(
        L=window, search=SearchConfig(beams=beams), windows=512, tokens=TOKENS, documents=512
    )
    began = time.perf_counter()
    output = translate_split(TorchRuntime(model), split, text, how)
    seconds = time.perf_counter() - began
    return Judged(model_name(folder), window, output, losses, seconds)


def rows(judged: list[Judged], data: PreparedData, part: str) -> list[dict[str, Any]]:
    """A line for each model; all but the first are compared with the first."""
    references = split_references(data.split(part), data.text())
    first, table = judged[0], []
    for model in judged:
        scores = score_documents(model.output, references)
        bleu = compare_bleu(model.output, first.output, references)
        loss = compare_losses(model.losses, first.losses)
        table.append(
            {
                "model": model.name,
                "L": model.L,
                "document BLEU": round(scores.document_bleu.value, 2),
                "sentence BLEU": round(scores.sentence_bleu.value, 2),
                "chrF": round(scores.chrf.value, 2),
                "loss": round(model.loss, 4),
                "BLEU difference": _interval(bleu.value, bleu.low, bleu.high, 2),
                "p of BLEU": round(bleu.p, 3),
                "loss difference": _interval(loss.value, loss.low, loss.high, 4),
                "p of loss": round(loss.p, 3),
                "seconds": round(model.seconds, 1),
            }
        )
    return table


def signatures(judged: list[Judged], data: PreparedData, part: str) -> dict[str, str]:
    """How the scores are computed, in sacreBLEU's words."""
    references = split_references(data.split(part), data.text(), documents=1)
    scores = score_documents(judged[0].output[:1], references)
    return {"BLEU": scores.document_bleu.signature, "chrF": scores.chrf.signature}


def _by_document(sums: NDArray[np.float64], split: Split) -> NDArray[np.float64]:
    return np.asarray(np.add.reduceat(sums, np.asarray(split.documents[:-1]), axis=0))


def _interval(value: float, low: float, high: float, digits: int) -> str:
    return f"{value:+.{digits}f} [{low:+.{digits}f}, {high:+.{digits}f}]"


def trained_window(folder: Path) -> int:
    """The L that a model was trained on."""
    return int(read_manifest(folder).facts.get("L", 1))


def model_name(folder: Path) -> str:
    """The run's name for a model inside a run, else the folder's own."""
    kept = folder.name in ("best", "last", "average")
    return folder.absolute().parent.name if kept else folder.name
