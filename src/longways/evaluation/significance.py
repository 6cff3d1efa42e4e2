"""Whether two systems differ by more than the choice of test documents: the paired bootstrap.

Documents are drawn anew, with replacement, a thousand times, the same for both systems. The
interval holds the middle 95% of the differences; p is the share of draws in which the difference
is on the other side of zero, or at it, counted on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longways.errors import CorpusError
from longways.evaluation.score import TextDocuments

Statistics = NDArray[np.float64]
"""(documents, numbers): what each document adds to a score."""

SAMPLES, SEED = 1000, 12345


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
    """Document BLEU."""
    one, other = (bleu_counts(texts, references, tokenize) for texts in (system, baseline))
    return bootstrap(one, other, bleu_of_counts)


def bootstrap(
    system: Statistics, baseline: Statistics, score: Callable[[Statistics], Statistics]
) -> Difference:
    """The difference of a score of summed statistics, over documents drawn anew."""
    if system.shape != baseline.shape:
        raise CorpusError(
            f"The systems have {len(system)} and {len(baseline)} documents: compare the same ones."
        )
    documents = len(system)
    drawn = np.random.default_rng(SEED).integers(documents, size=(SAMPLES, documents))
    times = np.stack([np.bincount(row, minlength=documents) for row in drawn])  # (S, documents)
    found = score(times @ system) - score(times @ baseline)
    low, high = np.quantile(found, (0.025, 0.975))
    p = 2 * min((found <= 0).mean(), (found >= 0).mean())
    value = score(system.sum(0)) - score(baseline.sum(0))
    return Difference(float(value), float(low), float(high), float(min(1.0, p)))


def bleu_counts(
    translations: TextDocuments, references: TextDocuments, tokenize: str
) -> Statistics:
    """(documents, 10): lengths of translation and reference, n-grams right, n-grams in all."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize=tokenize, force=True)
    found = [
        metric.corpus_score([" ".join(one)], [[" ".join(other)]])
        for one, other in zip(translations, references, strict=True)
    ]
    return np.array([[f.sys_len, f.ref_len, *f.counts, *f.totals] for f in found], dtype=np.float64)


def bleu_of_counts(sums: Statistics) -> Statistics:
    """BLEU from summed counts, as sacreBLEU computes it with its default (exp) smoothing."""
    lengths, references, right, total = sums[..., 0], sums[..., 1], sums[..., 2:6], sums[..., 6:10]
    misses = np.cumsum(right == 0, -1)
    smoothed = np.where(right == 0, 1 / 2.0**misses, right)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(smoothed / total).mean(-1)
        brevity = np.minimum(0, 1 - references / lengths)
    return np.asarray(100 * np.exp(precision + brevity))
