"""Speed and scores of search among the tokens of a shortlist, against search among all tokens.

Documents of a test set are translated from text to text on a CPU, one after the other or 32
together. So that every setting has about as many sentences, 32 documents are cut short. Both
searches run in turns in one process on the same graphs. Times are CPU times, so that other programs
on the machine change them little.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median

from longways.decoding.open import open_runtime
from longways.decoding.shortlist.folder import read_shortlist
from longways.evaluation.metrics.score import TextDocuments, score_documents, tokenizer_for
from longways.evaluation.test_set import open_test_set
from longways.model.manifest import read_manifest
from longways.results import Report, Row, report
from longways.translation.model_folder import ModelFolder
from longways.translation.translator import Translator

TOGETHER = (1, 32)
"""Documents that are translated together."""

SEARCHES = {"all tokens": False, "shortlist": True}


@dataclass(frozen=True)
class Plan:
    """What is measured."""

    model: Path
    """An exported model with a shortlist."""
    data: Path
    split: str = "test"
    root: Path = Path()
    beams: Sequence[int] = (1, 4)
    threads: int = 1
    rounds: int = 3
    sentences: int = 600
    """Sentences that are translated in each setting, about."""


def measure(plan: Plan) -> Report:
    """Sentences a CPU second and BLEU of both searches, by documents together and beam."""
    tests = open_test_set(plan.data, plan.split, plan.root)
    folder, rows = ModelFolder.read(plan.model), list[Row]()
    translators = {
        name: Translator(folder, open_runtime(plan.model, "cpu", plan.threads, listed))
        for name, listed in SEARCHES.items()
    }
    for together in TOGETHER:
        for beams in plan.beams:
            sources, references = (
                _chosen(side, together, plan.sentences)
                for side in (tests.sources, tests.references)
            )
            found = _in_turns(translators, sources, together, beams, plan.rounds)
            rows += _rows(found, references, tests.target_language, (together, beams))
    stored = read_shortlist(plan.model, read_manifest(plan.model).model).facts
    settings = {
        "model": plan.model.name, "data": tests.name, "split": plan.split,
        "sentences": plan.sentences, "threads": plan.threads, "rounds": plan.rounds,
        "shortlist": {name: value for name, value in stored.items() if name != "format"},
    }  # fmt: skip
    claim = "Search among the tokens of a shortlist against search among all tokens"
    return report("shortlist", claim, settings, rows, "cpu")


def _chosen(documents: TextDocuments, together: int, sentences: int) -> list[list[str]]:
    """The first documents, which together have about this number of sentences.

    Documents that are translated together are cut after the same number of sentences.
    """
    longest = -(-sentences // together)
    found, total = list[list[str]](), 0
    for document in documents:
        if total < sentences:
            found.append(list(document[:longest]))
            total += len(found[-1])
    return found


def _in_turns(
    translators: dict[str, Translator],
    sources: TextDocuments,
    together: int,
    beams: int,
    rounds: int,
) -> dict[str, tuple[float, list[list[str]]]]:
    """The median CPU seconds and the translations of each; the first round is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in translators}
    outputs = dict[str, list[list[str]]]()
    for number in range(rounds + 1):
        for name, translator in translators.items():
            began, outputs[name] = time.process_time(), []
            for start in range(0, len(sources), together):
                group = sources[start : start + together]
                outputs[name] += translator.translate_documents(group, beam=beams)
            if number:
                seconds[name].append(time.process_time() - began)
    return {name: (median(taken), outputs[name]) for name, taken in seconds.items()}


def _rows(
    found: dict[str, tuple[float, list[list[str]]]],
    references: TextDocuments,
    language: str,
    setting: tuple[int, int],
) -> Iterator[Row]:
    (first, all_tokens), *_ = found.values()
    for name, (seconds, output) in found.items():
        scores = score_documents(output, references, tokenizer_for(language))
        pairs = zip(chain(*output), chain(*all_tokens), strict=True)
        same = sum(one == other for one, other in pairs) / sum(map(len, output))
        yield {
            "search": name,
            "documents together": setting[0],
            "beam": setting[1],
            "sentences": sum(map(len, output)),
            "document BLEU": round(scores.document_bleu.value, 2),
            "chrF": round(scores.chrf.value, 2),
            "same sentences": f"{same:.1%}",
            "sentences a CPU second": round(sum(map(len, output)) / seconds, 1),
            "times as fast": round(first / seconds, 2),
        }
