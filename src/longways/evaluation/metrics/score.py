"""BLEU and chrF of translated documents, each with the signature of sacreBLEU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longways.errors import ConfigError, CorpusError
from longways.evaluation.metrics.metric import Metric, Statistics
from longways.evaluation.structure_check import Layout, check_layout

TextDocuments = Sequence[Sequence[str]]
"""Documents of sentences, as plain text."""

METRICS = ("bleu", "chrf")
"""The metrics there are, as they are asked for."""


@dataclass(frozen=True)
class Score:
    """A number from 0 to 100, and how it came about."""

    value: float
    signature: str


@dataclass(frozen=True)
class DocumentScores:
    """What is reported of a translation."""

    document_bleu: Score
    """BLEU with each document as one segment, as in the paper."""
    sentence_bleu: Score
    """Corpus BLEU with each sentence as a segment."""
    document_chrf: Score
    """chrF with each document as one segment."""
    chrf: Score
    """chrF with each sentence as a segment."""


@dataclass(frozen=True)
class Counted:
    """What a translation amounts to by one metric."""

    metric: Metric
    documents: Statistics  # (documents, numbers)  each document as one segment
    sentences: Statistics  # (sentences, numbers)  each sentence as a segment

    def score(self, of_documents: bool) -> Score:
        """Of the whole, with documents or with sentences as segments."""
        counts = self.documents if of_documents else self.sentences
        return Score(float(self.metric.value(counts.sum(0))), self.metric.signature)

    def by_document(self) -> list[float]:
        """The score of each document alone."""
        return [float(value) for value in self.metric.value(self.documents)]


class Measured:
    """References, cut into words and characters once for all translations of them."""

    def __init__(self, references: TextDocuments, metrics: Sequence[Metric]) -> None:
        if not any(references):
            raise CorpusError("There are no references, so there is nothing to score.")
        self.layout = Layout("the reference", [len(document) for document in references])
        self._cut = [(metric, _cut(metric, references)) for metric in metrics]

    def count(self, translations: TextDocuments) -> list[Counted]:
        """What translations amount to by each metric."""
        sizes = [len(document) for document in translations]
        check_layout(Layout("The translation", sizes), self.layout)
        return [
            Counted(metric, *map(metric.count, _cut(metric, translations), wanted))
            for metric, wanted in self._cut
        ]


def _cut(metric: Metric, texts: TextDocuments) -> tuple[list[Any], list[Any]]:
    """The tokens of each document, and of each sentence."""
    sentences = [sentence for document in texts for sentence in document]
    return metric.tokens([" ".join(document) for document in texts]), metric.tokens(sentences)


def check_metrics(names: Sequence[str]) -> None:
    """Raise unless there are all of these."""
    for name in names:
        if name not in METRICS:
            raise ConfigError(f"There is no metric {name!r}. Use {' or '.join(METRICS)}.")


def open_metrics(names: Sequence[str], language: str = "") -> list[Metric]:
    """Metrics by their names, by default all, for translations into a language."""
    from longways.evaluation.metrics.bleu import Bleu
    from longways.evaluation.metrics.chrf import Chrf

    check_metrics(names)
    tokenize = tokenizer_for(language)
    return [
        Bleu(tokenize) if name == "bleu" else Chrf()
        for name in METRICS
        if name in (names or METRICS)
    ]


def tokenizer_for(language: str) -> str:
    """How sacreBLEU cuts a language into words: 13a, as in the paper, but Chinese by characters."""
    return "zh" if language == "zh" else "13a"


def score_documents(
    translations: TextDocuments, references: TextDocuments, tokenize: str = "13a"
) -> DocumentScores:
    """Scores of documents against one reference each, mixed case, detokenised.

    `tokenize` is sacreBLEU's: 13a as in the paper, zh for Chinese translations.
    """
    from longways.evaluation.metrics.bleu import Bleu
    from longways.evaluation.metrics.chrf import Chrf

    found = Measured(references, [Bleu(tokenize), Chrf()]).count(translations)
    return DocumentScores(*(one.score(level) for one in found for level in (True, False)))
