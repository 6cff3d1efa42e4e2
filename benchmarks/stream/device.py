"""Speed of a stream model at its BLEU on a GPU, against our own transformer.

The documents of prepared data are cut into parts, so that many can be translated together. The
transformer slides its windows, or translates all sentences alone in batches of any documents. All
systems have captured search with weights in half precision, and run in turns in one process.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch

from longways.corpus.prepared_data import PreparedData, open_data
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.decoding.torch_stream import torch_runtime
from longways.errors import ConfigError
from longways.evaluation.metrics.score import TextDocuments, score_documents, tokenizer_for
from longways.model.checkpoint import load_model
from longways.results import Report, Row, report
from longways.translation.dataset import Documents, detokenise, split_documents
from longways.translation.documents import gather, translate_documents
from longways.translation.model_folder import ModelFolder


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    stream: Path
    transformer: Path
    """A transformer for windows of L sentences."""
    prepared: Path
    sentence: Path | None = None
    """A transformer for single sentences, if it is measured, too."""
    split: str = "test"
    together: int = 256
    """Documents that are translated together."""
    longest: int = 12
    """Sentences in a part of a document."""
    beams: Sequence[int] = (1, 4)
    rounds: int = 3
    device: str = "cuda"


class Parts(NamedTuple):
    """Parts of documents as token ids, and their references as text."""

    sources: Documents
    references: TextDocuments

    @property
    def sentences(self) -> int:
        """The number of sentences in all parts."""
        return sum(map(len, self.sources))


class System(NamedTuple):
    """A model with the way in which it translates documents."""

    name: str
    runtime: TorchRuntime
    folder: ModelFolder
    is_alone: bool
    """Whether each sentence is translated alone."""

    def __call__(self, documents: Documents, beams: int, together: int) -> Documents:
        """Translate documents of token ids."""
        L = 1 if self.is_alone else self.folder.L
        config = TranslateConfig(
            L=L, search=SearchConfig(beams=beams), length=self.folder.length,
            windows=together, tokens=65_536, documents=together,
        )  # fmt: skip
        given = [[one] for document in documents for one in document]
        given = given if self.is_alone else documents
        found = gather(translate_documents(self.runtime, given, config), [len(d) for d in given])
        if not self.is_alone:
            return found
        rest = iter(found)
        return [[next(rest)[0] for _ in document] for document in documents]


def measure(plan: Plan) -> Report:
    """Sentences a second and BLEU of every system for each beam."""
    data = open_data(plan.prepared)
    parts, systems, rows = cut(data, plan), list(open_systems(plan)), list[Row]()
    for beams in plan.beams:
        rows += _in_turns(systems, parts, beams, plan, data)
    settings = {
        "data": data.folder.name, "split": plan.split, "documents": len(parts.sources),
        "documents together": plan.together, "sentences": parts.sentences,
        "longest document": plan.longest, "weights": str(precision(plan)), "rounds": plan.rounds,
    }  # fmt: skip
    claim = "Speed of a stream model and of our transformers on a GPU, with their BLEU"
    return report("stream-speed-device", claim, settings, rows, plan.device)


def cut(data: PreparedData, plan: Plan) -> Parts:
    """The documents of a split in parts of at most `longest` sentences, the longest first."""
    split, text = data.split(plan.split), data.text()
    sources = split_documents(split.source, split.source_offsets, split.documents)
    targets = split_documents(split.target, split.target_offsets, split.documents)
    pairs = [
        (source[start : start + plan.longest], target[start : start + plan.longest])
        for source, target in zip(sources, targets, strict=True)
        for start in range(0, len(source), plan.longest)
    ]
    pairs.sort(key=lambda pair: -len(pair[0]))
    return Parts([source for source, _ in pairs], detokenise([t for _, t in pairs], text.target))


def precision(plan: Plan) -> torch.dtype:
    """The type of the weights: half precision on a GPU."""
    return torch.bfloat16 if plan.device == "cuda" else torch.float32


def open_systems(plan: Plan) -> Iterator[System]:
    """The stream model, the transformer that slides its windows, and the one for sentences."""
    stream = ModelFolder.read(plan.stream)
    if not stream.is_stream:
        raise ConfigError(f"{plan.stream} is not a stream model. Name the folder of one.")
    yield System("stream", _runtime(plan.stream, plan), stream, is_alone=False)
    sliding = ModelFolder.read(plan.transformer)
    name = f"transformer, L={sliding.L}, sliding"
    yield System(name, _runtime(plan.transformer, plan), sliding, is_alone=False)
    if plan.sentence:
        folder = ModelFolder.read(plan.sentence)
        yield System("transformer, L=1", _runtime(plan.sentence, plan), folder, is_alone=True)


def _runtime(folder: Path, plan: Plan) -> TorchRuntime:
    return torch_runtime(load_model(folder).to(plan.device, precision(plan)))


def _in_turns(
    systems: Sequence[System], parts: Parts, beams: int, plan: Plan, data: PreparedData
) -> Iterator[Row]:
    """A row for each system: median of its rounds. The first round captures the steps."""
    seconds: dict[str, list[float]] = {system.name: [] for system in systems}
    outputs = {}
    for number in range(plan.rounds + 1):
        for system in systems:
            began = time.perf_counter()
            outputs[system.name] = system(parts.sources, beams, plan.together)
            if number:
                seconds[system.name].append(time.perf_counter() - began)
    first = statistics.median(seconds[systems[0].name])
    tokenizer = tokenizer_for(str(data.config["target_language"]))
    for name, taken in seconds.items():
        text = detokenise(outputs[name], data.text().target)
        scores, median = (
            score_documents(text, parts.references, tokenizer),
            statistics.median(taken),
        )
        yield {
            "system": name,
            "beam": beams,
            "document BLEU": round(scores.document_bleu.value, 2),
            "chrF": round(scores.chrf.value, 2),
            "sentences a second": round(parts.sentences / median, 1),
            "stream is faster by": round(median / first, 2),
        }
