"""BLEU and chrF of translated documents, each with the signature of sacreBLEU."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longways.errors import CorpusError

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

TextDocuments = Sequence[Sequence[str]]
"""Documents of sentences, as plain text."""


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
    chrf: Score
    """chrF with each sentence as a segment."""


def tokenizer_for(language: str) -> str:
    """How sacreBLEU cuts a language into words: 13a, as in the paper, but Chinese by characters."""
    return "zh" if language == "zh" else "13a"


def score_documents(
    translations: TextDocuments, references: TextDocuments, tokenize: str = "13a"
) -> DocumentScores:
    """Scores of documents against one reference each, mixed case, detokenised.

    `tokenize` is sacreBLEU's: 13a as in the paper, zh for Chinese translations.
    """
    from sacrebleu.metrics.bleu import BLEU
    from sacrebleu.metrics.chrf import CHRF

    _check(translations, references)
    documents = _joined(translations), _joined(references)
    sentences = _flat(translations), _flat(references)
    return DocumentScores(
        _score(BLEU(tokenize=tokenize, force=True), *documents),
        _score(BLEU(tokenize=tokenize, force=True), *sentences),
        _score(CHRF(), *sentences),
    )


def _score(metric: Metric, translations: list[str], references: list[str]) -> Score:
    found = metric.corpus_score(translations, [references])
    return Score(float(found.score), str(metric.get_signature()))


def _joined(documents: TextDocuments) -> list[str]:
    return [" ".join(document) for document in documents]


def _flat(documents: TextDocuments) -> list[str]:
    return [sentence for document in documents for sentence in document]


def _check(translations: TextDocuments, references: TextDocuments) -> None:
    if not any(references):
        raise CorpusError("There are no references, so there is nothing to score.")
    if len(translations) != len(references):
        raise CorpusError(
            f"There are {len(translations)} translated documents, but {len(references)} "
            "references. Score the same documents on both sides."
        )
    for number, (one, other) in enumerate(zip(translations, references, strict=True), start=1):
        if len(one) != len(other):
            raise CorpusError(
                f"Document {number} has {len(one)} translated sentences, but its reference has "
                f"{len(other)}. They must be parallel."
            )
