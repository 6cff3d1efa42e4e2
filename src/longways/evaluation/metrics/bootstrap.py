"""Whether two systems differ by more than the choice of test documents: the paired bootstrap.

Documents are drawn anew, with replacement, a thousand times, the same for both systems. The
interval holds the middle 95% of the differences; p is the share of draws in which the difference
is on the other side of zero, or at it, counted on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from longways.errors import CorpusError
from longways.evaluation.metrics.metric import Statistics as Statistics
from longways.evaluation.metrics.score import Counted, Measured, TextDocuments

SAMPLES, SEED = 1000, 12345

AT_ONCE = 500_000
"""Numbers that are drawn together, about: they fit into a processor's cache."""

Value: TypeAlias = Callable[[Statistics], Statistics]
"""The score of summed statistics."""


@dataclass(frozen=True)
class Difference:
    """A system's score minus that of the one it is compared with."""

    value: float
    low: float
    high: float
    p: float


def compare_losses(system: Statistics, baseline: Statistics) -> Difference:
    """Mean loss of a token; the statistics of a document are its summed loss and its tokens."""
    return bootstrap(system, baseline, lambda sums: sums[..., 0] / sums[..., 1])


def compare_bleu(
    system: TextDocuments, baseline: TextDocuments, references: TextDocuments, tokenize: str = "13a"
) -> Difference:
    """Document BLEU of translations against one reference each."""
    from longways.evaluation.metrics.bleu import Bleu

    measured = Measured(references, [Bleu(tokenize)])
    (one,), (other,) = measured.count(system), measured.count(baseline)
    return bootstrap(one.documents, other.documents, one.metric.value)


def compare_scores(systems: Sequence[Counted]) -> list[Difference]:
    """Every system with the first, by the same metric.

    Whole documents are drawn; of a single document, its sentences.
    """
    counts = [one.documents if len(one.documents) > 1 else one.sentences for one in systems]
    drawn, value = resample(counts), systems[0].metric.value
    return [
        _difference((total, counts[0]), (sums, drawn[0]), value)
        for total, sums in zip(counts, drawn, strict=True)
    ]


def bootstrap(system: Statistics, baseline: Statistics, value: Value) -> Difference:
    """The difference of a score of summed statistics, over documents drawn anew."""
    if system.shape != baseline.shape:
        raise CorpusError(
            f"The systems have {len(system)} and {len(baseline)} documents: compare the same ones."
        )
    one, other = resample([system, baseline])
    return _difference((system, baseline), (one, other), value)


def resample(statistics: Sequence[Statistics]) -> list[Statistics]:
    """(SAMPLES, numbers) of each: sums over documents drawn anew, the same ones for all."""
    together = np.hstack(statistics)
    sums = np.concatenate([times @ together for times in _draws(len(together))])
    return np.split(sums, len(statistics), axis=1)


def _draws(count: int) -> Iterator[Statistics]:
    """(some, count): how often each of so many documents comes in a draw; `SAMPLES` rows in all."""
    rng, rows = np.random.default_rng(SEED), max(1, AT_ONCE // count)
    for first in range(0, SAMPLES, rows):
        drawn = rng.integers(count, size=(min(rows, SAMPLES - first), count))
        drawn += np.arange(len(drawn))[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=drawn.size)
        yield times.reshape(drawn.shape).astype(np.float64)


def _difference(
    counts: tuple[Statistics, Statistics], drawn: tuple[Statistics, Statistics], value: Value
) -> Difference:
    """Of a system and its baseline, as they are and as they were drawn."""
    found = value(drawn[0]) - value(drawn[1])
    low, high = np.quantile(found, (0.025, 0.975))
    p = 2 * min((found <= 0).mean(), (found >= 0).mean())
    whole = value(counts[0].sum(0)) - value(counts[1].sum(0))
    return Difference(float(whole), float(low), float(high), float(min(1.0, p)))
