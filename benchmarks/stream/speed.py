"""Speed of a stream model at its BLEU, against the same size of transformer in CTranslate2.

The documents of a test set are translated from text to text on a CPU. The transformer slides its
windows with the translations of earlier sentences forced, as our own runtimes do, or translates
sentence by sentence in the batches that are fastest. All systems run in turns in one process, with
the same tokenizer, the same beam and the same loop over documents.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.stream.ctranslate import CTranslateRuntime
from longways.benchmark.speed.check import TOLERANCE, check_ctranslate
from longways.benchmark.speed.ctranslate import convert
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.open import open_runtime
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import search_all
from longways.decoding.windows import sliding_window
from longways.errors import ConfigError
from longways.evaluation.metrics.score import TextDocuments, score_documents, tokenizer_for
from longways.evaluation.test_set import open_test_set
from longways.model.checkpoint import load_model
from longways.results import Report, Row, report
from longways.translation.dataset import Documents, detokenise
from longways.translation.documents import gather, translate_documents
from longways.translation.model_folder import ModelFolder

BATCHES = (8, 16, 32, 64)
"""Batch sizes of which sentence-by-sentence translation takes the fastest."""

TOGETHER = (1, 32)
"""Documents that are translated together."""


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    stream: Path
    """A stream model, exported."""
    transformer: Path
    """A transformer with torch weights, for windows of L sentences."""
    sentence: Path
    """A transformer with torch weights, for single sentences."""
    data: Path
    split: str = "test"
    root: Path = Path()
    beams: Sequence[int] = (1, 4)
    threads: int = 2
    rounds: int = 3
    sentences: int = 600
    """Whole documents are taken until they have this number of sentences."""
    together: Sequence[int] = field(default=TOGETHER)


class Setting(NamedTuple):
    """One shape of the work."""

    documents: int
    """Documents that are translated together."""
    beams: int


Translate = Callable[[Documents, Setting], Documents]


class System(NamedTuple):
    """A model with a way to translate documents of token ids."""

    name: str
    folder: ModelFolder
    translate: Translate

    def __call__(self, texts: TextDocuments, setting: Setting) -> list[list[str]]:
        """Translate from text to text."""
        text = self.folder.text
        tokens = [[text.source_ids(text.normalise(one)) for one in document] for document in texts]
        return detokenise(self.translate(tokens, setting), text.target)


def measure(plan: Plan) -> Report:
    """Sentences a second and BLEU of every system, by documents together and beam."""
    tests = open_test_set(plan.data, plan.split, plan.root)
    count = _documents_with(plan.sentences, tests.sources)
    sources, references = tests.sources[:count], tests.references[:count]
    rows = list[Row]()
    with TemporaryDirectory() as scratch:
        systems = [*_stream(plan), *_transformers(plan, Path(scratch))]
        for documents in plan.together:
            for beams in plan.beams:
                found = _in_turns(systems, sources, Setting(documents, beams), plan.rounds)
                rows += _rows(found, references, tests.target_language, Setting(documents, beams))
    settings = {
        "data": tests.name, "split": plan.split, "documents": count, "threads": plan.threads,
        "sentences": sum(map(len, sources)), "weights": "int8", "rounds": plan.rounds,
    }  # fmt: skip
    claim = "Speed of a stream model and of transformers in CTranslate2, with their BLEU"
    return report("stream-speed", claim, settings, rows, "cpu")


def _documents_with(sentences: int, documents: TextDocuments) -> int:
    """The number of documents that together have at least this number of sentences."""
    total = 0
    for count, document in enumerate(documents, 1):
        total += len(document)
        if total >= sentences:
            return count
    return len(documents)


def _stream(plan: Plan) -> Iterator[System]:
    folder = ModelFolder.read(plan.stream)
    if not folder.is_stream:
        raise ConfigError(f"{plan.stream} is not a stream model. Name the export of one.")
    runtime = open_runtime(plan.stream, "cpu", plan.threads)
    yield System("stream", folder, _by_documents([runtime], folder))


def _transformers(plan: Plan, scratch: Path) -> Iterator[System]:
    for name, path in (("sliding", plan.transformer), ("sentence", plan.sentence)):
        folder = ModelFolder.read(path)
        runtimes = _converted(path, scratch / name, plan.threads)
        if name == "sliding":
            yield System(
                f"CTranslate2, L={folder.L}, sliding", folder, _by_documents(runtimes, folder)
            )
        else:
            yield System("CTranslate2, L=1", folder, _by_sentences(runtimes, folder))


def _converted(path: Path, into: Path, threads: int) -> list[CTranslateRuntime]:
    """The transformer with a search on each thread, and with one search on all threads."""
    model = load_model(path)
    convert(model, into / "float32", None)
    error = check_ctranslate(model, into / "float32", threads)
    if error > TOLERANCE["float32"]:
        raise ConfigError(f"{path} differs in CTranslate2 by {error:.2g} per token.")
    convert(model, into / "int8")
    return [
        CTranslateRuntime(into / "int8", model.config, threads, shared=shared)
        for shared in (False, True)
    ]


def _by_documents(runtimes: Sequence[AnyRuntime], folder: ModelFolder) -> Translate:
    """Translate documents in order of their sentences; several runtimes are timed, one is used.

    With several runtimes, the first call of a setting finds out which of them is the fastest.
    """
    chosen = dict[Setting, AnyRuntime]()

    def translate(documents: Documents, setting: Setting) -> Documents:
        config = TranslateConfig(
            L=folder.L, search=SearchConfig(beams=setting.beams), length=folder.length,
            documents=setting.documents,
        )  # fmt: skip

        def run(runtime: AnyRuntime) -> Documents:
            sizes = [len(document) for document in documents]
            return gather(translate_documents(runtime, documents, config), sizes)

        if setting not in chosen:
            chosen[setting] = min(runtimes, key=lambda runtime: _seconds(lambda: run(runtime)))
        return run(chosen[setting])

    return translate


def _by_sentences(runtimes: Sequence[AnyRuntime], folder: ModelFolder) -> Translate:
    """Translate all sentences of the documents that are together as one list of windows."""
    chosen = dict[Setting, tuple[AnyRuntime, int]]()

    def translate(documents: Documents, setting: Setting) -> Documents:
        def run(choice: tuple[AnyRuntime, int]) -> Documents:
            runtime, windows = choice
            config = TranslateConfig(
                L=1, search=SearchConfig(beams=setting.beams), length=folder.length, windows=windows
            )
            starts = range(0, len(documents), setting.documents)
            groups = [documents[start : start + setting.documents] for start in starts]
            return [one for group in groups for one in _sentences(runtime, group, config)]

        if setting not in chosen:
            choices = [(runtime, windows) for runtime in runtimes for windows in BATCHES]
            chosen[setting] = min(choices, key=lambda choice: _seconds(lambda: run(choice)))
        return run(chosen[setting])

    return translate


def _sentences(runtime: AnyRuntime, documents: Documents, config: TranslateConfig) -> Documents:
    """Translate documents without context."""
    places = [(d, s) for d, one in enumerate(documents) for s, tokens in enumerate(one) if tokens]
    windows = [
        sliding_window((), documents[d][s], config.length, runtime.positions) for d, s in places
    ]
    found: Documents = [[[] for _ in document] for document in documents]
    for key, hypotheses in search_all(runtime, windows, config):
        document, sentence = places[key]
        found[document][sentence] = hypotheses[0].tokens
    return found


def _in_turns(
    systems: Sequence[System], texts: TextDocuments, setting: Setting, rounds: int
) -> dict[str, tuple[float, list[list[str]]]]:
    """The median seconds of each system and its translations; the first round is not counted."""
    seconds: dict[str, list[float]] = {system.name: [] for system in systems}
    outputs = {}
    for number in range(rounds + 1):
        for system in systems:
            began = time.perf_counter()
            outputs[system.name] = system(texts, setting)
            if number:
                seconds[system.name].append(time.perf_counter() - began)
    return {name: (statistics.median(taken), outputs[name]) for name, taken in seconds.items()}


def _rows(
    found: dict[str, tuple[float, list[list[str]]]],
    references: TextDocuments,
    language: str,
    setting: Setting,
) -> Iterator[Row]:
    first = next(iter(found.values()))[0]
    for name, (seconds, output) in found.items():
        scores = score_documents(output, references, tokenizer_for(language))
        yield {
            "system": name,
            "documents together": setting.documents,
            "beam": setting.beams,
            "document BLEU": round(scores.document_bleu.value, 2),
            "chrF": round(scores.chrf.value, 2),
            "sentences a second": round(sum(map(len, output)) / seconds, 1),
            "stream is faster by": round(seconds / first, 2),
        }


def _seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began
