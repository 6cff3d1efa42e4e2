"""Paired bootstrap: whether two systems differ by more than the choice of test documents.

Documents are drawn with replacement, a thousand times, the same documents for both systems. The
confidence interval holds the middle 95% of the differences. The two-sided p-value is twice the
share of draws in which the difference is zero or has the opposite sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from longways.errors import CorpusError
from longways.evaluation.metrics.metric import Bleu
from longways.evaluation.metrics.metric import Statistics as Statistics
from longways.evaluation.metrics.score import MetricStatistics, Scorer, TextDocuments

SAMPLES, SEED = 1000, 12345

BLOCK_NUMBERS = 500_000
"""The approximate number of random numbers drawn together, so that they fit into CPU cache."""

ScoreFunction: TypeAlias = Callable[[Statistics], Statistics]
"""Computes scores from summed statistics."""


@dataclass(frozen=True)
class Difference:
    """A system's score minus the baseline's, with its 95% interval and p-value."""

    value: float
    low: float
    high: float
    p: float


def compare_losses(system: Statistics, baseline: Statistics) -> Difference:
    """The difference in mean loss per token; a document's statistics are its loss and tokens."""
    return bootstrap(system, baseline, lambda sums: sums[..., 0] / sums[..., 1])


def compare_bleu(
    system: TextDocuments, baseline: TextDocuments, references: TextDocuments, tokenize: str = "13a"
) -> Difference:
    """The difference in document BLEU against one reference for each document."""
    scorer = Scorer(references, [Bleu(tokenize)])
    (one,), (other,) = scorer.statistics(system), scorer.statistics(baseline)
    return bootstrap(one.documents, other.documents, one.metric.score)


def compare_scores(systems: Sequence[MetricStatistics]) -> list[Difference]:
    """The difference of every system from the first one, in the same metric.

    Documents are drawn, or sentences where there is a single document.
    """
    statistics = [one.documents if len(one.documents) > 1 else one.sentences for one in systems]
    drawn, score = resample(statistics), systems[0].metric.score
    return [
        _difference((own, statistics[0]), (sums, drawn[0]), score)
        for own, sums in zip(statistics, drawn, strict=True)
    ]


def bootstrap(system: Statistics, baseline: Statistics, score: ScoreFunction) -> Difference:
    """The difference of two systems in a score of summed statistics, over resampled documents."""
    if system.shape != baseline.shape:
        raise CorpusError(
            f"The systems have {len(system)} and {len(baseline)} documents: compare the same ones."
        )
    one, other = resample([system, baseline])
    return _difference((system, baseline), (one, other), score)


def resample(statistics: Sequence[Statistics]) -> list[Statistics]:
    """For each system, sums (SAMPLES, numbers) over documents drawn with replacement.

    All systems share the same draws.
    """
    together = np.hstack(statistics)
    sums = np.concatenate([times @ together for times in _draws(len(together))])
    return np.split(sums, len(statistics), axis=1)


def _draws(documents: int) -> Iterator[Statistics]:
    """Blocks (rows, documents) of how often each draw has each document; `SAMPLES` rows in all."""
    rng, rows = np.random.default_rng(SEED), max(1, BLOCK_NUMBERS // documents)
    for first in range(0, SAMPLES, rows):
        drawn = rng.integers(documents, size=(min(rows, SAMPLES - first), documents))
        drawn += np.arange(len(drawn))[:, None] * documents
        times = np.bincount(drawn.ravel(), minlength=drawn.size)
        yield times.reshape(drawn.shape).astype(np.float64)


def _difference(
    statistics: tuple[Statistics, Statistics],
    drawn: tuple[Statistics, Statistics],
    score: ScoreFunction,
) -> Difference:
    """The difference of a system and its baseline, given both as measured and as resampled."""
    found = score(drawn[0]) - score(drawn[1])
    low, high = np.quantile(found, (0.025, 0.975))
    p = 2 * min((found <= 0).mean(), (found >= 0).mean())
    whole = score(statistics[0].sum(0)) - score(statistics[1].sum(0))
    return Difference(float(whole), float(low), float(high), float(min(1.0, p)))
