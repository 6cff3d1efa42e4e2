"""BLEU and chrF of translated documents, each score with its sacreBLEU signature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longways.errors import ConfigError, CorpusError
from longways.evaluation.metrics.metric import Bleu, Chrf, Metric, Statistics
from longways.evaluation.structure_check import DocumentStructure, check_structure

TextDocuments = Sequence[Sequence[str]]
"""Documents as lists of sentences in plain text."""

METRICS = ("bleu", "chrf")
"""The metrics by the names that users give."""


@dataclass(frozen=True)
class Score:
    """A score from 0 to 100 and the sacreBLEU signature that says how it was computed."""

    value: float
    signature: str


@dataclass(frozen=True)
class DocumentScores:
    """The scores of a translation."""

    document_bleu: Score
    """BLEU with each document as one segment, as in the paper."""
    sentence_bleu: Score
    """Corpus BLEU with each sentence as a segment."""
    document_chrf: Score
    """chrF with each document as one segment."""
    chrf: Score
    """chrF with each sentence as a segment."""


@dataclass(frozen=True)
class MetricStatistics:
    """The n-gram counts of a translation, from which one metric is computed."""

    metric: Metric
    documents: Statistics  # (documents, numbers)  each document as one segment
    sentences: Statistics  # (sentences, numbers)  each sentence as a segment

    def score(self, of_documents: bool) -> Score:
        """The corpus score, with documents or with sentences as segments."""
        statistics = self.documents if of_documents else self.sentences
        return Score(float(self.metric.score(statistics.sum(0))), self.metric.signature)

    def by_document(self) -> list[float]:
        """The score of each document alone."""
        return [float(value) for value in self.metric.score(self.documents)]


class Scorer:
    """References, tokenized once for all translations that are scored against them."""

    def __init__(self, references: TextDocuments, metrics: Sequence[Metric]) -> None:
        if not any(references):
            raise CorpusError("There are no references, so there is nothing to score.")
        sizes = [len(document) for document in references]
        self.structure = DocumentStructure("the reference", sizes)
        self._references = [(metric, _tokenize(metric, references)) for metric in metrics]

    def statistics(self, translations: TextDocuments) -> list[MetricStatistics]:
        """The statistics of translations for each metric."""
        sizes = [len(document) for document in translations]
        check_structure(DocumentStructure("The translation", sizes), self.structure)
        return [
            MetricStatistics(
                metric, *map(metric.statistics, _tokenize(metric, translations), references)
            )
            for metric, references in self._references
        ]


def _tokenize(metric: Metric, texts: TextDocuments) -> tuple[list[Any], list[Any]]:
    """The tokens of each document, and of each sentence."""
    sentences = [sentence for document in texts for sentence in document]
    return metric.tokens([" ".join(document) for document in texts]), metric.tokens(sentences)


def check_metrics(names: Sequence[str]) -> None:
    """Raise an error if a name is not in `METRICS`."""
    for name in names:
        if name not in METRICS:
            raise ConfigError(f"There is no metric {name!r}. Use {' or '.join(METRICS)}.")


def open_metrics(names: Sequence[str], language: str = "") -> list[Metric]:
    """The metrics with these names, or all metrics, for translations into a language."""
    check_metrics(names)
    tokenize = tokenizer_for(language)
    return [
        Bleu(tokenize) if name == "bleu" else Chrf()
        for name in METRICS
        if name in (names or METRICS)
    ]


def tokenizer_for(language: str) -> str:
    """The sacreBLEU tokenizer for a language: zh (characters) for Chinese, else 13a."""
    return "zh" if language == "zh" else "13a"


def score_documents(
    translations: TextDocuments, references: TextDocuments, tokenize: str = "13a"
) -> DocumentScores:
    """Scores of documents against one reference each, mixed case, detokenised.

    `tokenize` names a tokenizer of sacreBLEU: 13a as in the paper, zh for Chinese translations.
    """
    found = Scorer(references, [Bleu(tokenize), Chrf()]).statistics(translations)
    return DocumentScores(*(one.score(level) for one in found for level in (True, False)))
