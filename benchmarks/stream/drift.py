"""BLEU, chrF and repetitions of saved translations, by the position of sentences in a document.

A system that reads its own translations as context may drift: an error near the beginning spoils
the sentences after it. Its scores then fall with the position, relative to another system's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from longways.errors import ConfigError
from longways.evaluation.metrics.score import TextDocuments, score_documents, tokenizer_for
from longways.evaluation.system_output import SystemOutput, read_output
from longways.evaluation.test_set import open_test_set
from longways.results import Report, Row, report

MIN_REPEATED_CHARACTERS = 12
"""Shorter translations, such as "Yes.", are often rightly equal to the one before."""


def measure(
    outputs: Sequence[Path], data: Path, split: str, root: Path, bounds: Sequence[int]
) -> Report:
    """Score the sentences at the positions between `bounds` of all documents."""
    if list(bounds) != sorted(set(bounds)) or not bounds or bounds[0] < 1:
        raise ConfigError(f"The bounds are {list(bounds)}, but they must be positive and rise.")
    tests = open_test_set(data, split, root)
    language = tests.target_language
    rows = [
        _row(read_output(path), tests.references, language, first, last)
        for path in outputs
        for first, last in zip([0, *bounds], bounds, strict=False)
    ]
    settings = {"data": tests.name, "split": split, "bounds": list(bounds)}
    return report("drift", "Scores by the position in the document", settings, rows, "cpu")


def _row(
    system: SystemOutput, references: TextDocuments, language: str, first: int, last: int
) -> Row:
    """The scores of the sentences at the positions first + 1 to last."""
    found, wanted = _at(system.output, first, last), _at(references, first, last)
    scores = score_documents(found, wanted, tokenizer_for(language))
    return {
        "system": system.name,
        "sentences": f"{first + 1} to {last}",
        "scored": sum(map(len, found)),
        "BLEU": round(scores.sentence_bleu.value, 2),
        "chrF": round(scores.chrf.value, 2),
        "repetitions": _per_thousand(system.output, first, last),
        "repetitions of references": _per_thousand(references, first, last),
    }


def _at(documents: TextDocuments, first: int, last: int) -> list[list[str]]:
    parts = (list(document[first:last]) for document in documents)
    return [part for part in parts if part]


def _per_thousand(documents: TextDocuments, first: int, last: int) -> float:
    """Sentences of 1,000 that are the same as the one before, and not short."""
    found = [_is_repeated(*where) for where in _places(documents, first, last)]
    return round(1000 * sum(found) / max(1, len(found)), 2)


def _places(documents: TextDocuments, first: int, last: int) -> Iterable[tuple[Sequence[str], int]]:
    for document in documents:
        for place in range(max(1, first), min(last, len(document))):
            yield document, place


def _is_repeated(document: Sequence[str], place: int) -> bool:
    text = document[place].strip()
    return len(text) >= MIN_REPEATED_CHARACTERS and text == document[place - 1].strip()
