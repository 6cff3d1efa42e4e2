"""chrF as sacreBLEU computes it: what a segment adds to it, and its value for any sum of that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longways.evaluation.metrics.metric import Statistics
from longways.evaluation.metrics.ngrams import count_ngrams

ORDER, BETA = 6, 2


class Chrf:
    """chrF2: n-grams of up to six characters, without spaces; recall counts twice as much."""

    name = "chrF"

    def __init__(self) -> None:
        from sacrebleu.metrics.chrf import CHRF

        theirs = CHRF()
        theirs.corpus_score(["a"], [["a"]])  # only then does it know its signature
        self.signature = str(theirs.get_signature())

    def tokens(self, texts: Sequence[str]) -> list[str]:
        """The characters of each text."""
        return ["".join(text.split()) for text in texts]

    def count(self, translations: Sequence[str], references: Sequence[str]) -> Statistics:
        """(segments, 18): n-grams of the translation, of the reference, and of both.

        Where a reference is too short for n-grams of a length, the translation's are not held
        against it.
        """
        found = count_ngrams(translations, references, ORDER)
        given = np.where(found.reference > 0, found.translation, 0)
        return np.concatenate([given, found.reference, found.shared], 1).astype(np.float64)

    def value(self, sums: Statistics) -> Statistics:
        """ChrF, 0 to 100, of summed counts (..., 18)."""
        return chrf_of_counts(sums)


def chrf_of_counts(sums: Statistics) -> Statistics:
    """ChrF, 0 to 100, of counts (..., 18) that were summed over segments.

    Precision and recall are means over the lengths that both sides have n-grams of.
    """
    given, wanted, shared = (sums[..., i : i + ORDER] for i in range(0, 3 * ORDER, ORDER))
    used = (given > 0) & (wanted > 0)
    orders = np.maximum(used.sum(-1), 1)
    precision = (np.where(used, shared / np.maximum(given, 1), 0)).sum(-1) / orders
    recall = (np.where(used, shared / np.maximum(wanted, 1), 0)).sum(-1) / orders
    below = BETA**2 * precision + recall
    score = (1 + BETA**2) * precision * recall / np.where(below > 0, below, 1)
    return np.asarray(100 * score)
