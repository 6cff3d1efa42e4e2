"""BLEU as sacreBLEU computes it: what a segment adds to it, and its value for any sum of that."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longways.evaluation.metrics.metric import Statistics
from longways.evaluation.metrics.ngrams import count_ngrams

ORDER = 4


class Bleu:
    """BLEU of mixed case with the default (exp) smoothing.

    `tokenize` is sacreBLEU's: 13a as in the paper, zh for Chinese translations.
    """

    name = "BLEU"

    def __init__(self, tokenize: str = "13a") -> None:
        from sacrebleu.metrics.bleu import BLEU

        self._theirs = BLEU(tokenize=tokenize, force=True)
        self._theirs.corpus_score(["a"], [["a"]])  # only then does it know its signature
        self.signature = str(self._theirs.get_signature())
        self._in_pieces = tokenize == "13a"
        self._known: dict[str, list[str]] = {}

    def tokens(self, texts: Sequence[str]) -> list[list[str]]:
        """The words of each text."""
        cut = self._cut_pieces if self._in_pieces else self._cut
        return [cut(text.rstrip()) for text in texts]

    def _cut(self, text: str) -> list[str]:
        return str(self._theirs.tokenizer(text)).split()

    def _cut_pieces(self, text: str) -> list[str]:
        """The same, for 13a: it never looks across a space, so that each piece is cut but once."""
        words: list[str] = []
        for piece in text.split(" "):
            found = self._known.get(piece)
            if found is None:
                found = self._known[piece] = self._cut(piece)
            words += found
        return words

    def count(
        self, translations: Sequence[list[str]], references: Sequence[list[str]]
    ) -> Statistics:
        """(segments, 10): words of translation and reference, n-grams right, n-grams in all."""
        found = count_ngrams(translations, references, ORDER)
        lengths = found.translation[:, :1], found.reference[:, :1]
        return np.concatenate([*lengths, found.shared, found.translation], 1).astype(np.float64)

    def value(self, sums: Statistics) -> Statistics:
        """BLEU, 0 to 100, of summed counts (..., 10)."""
        return bleu_of_counts(sums)


def bleu_of_counts(sums: Statistics) -> Statistics:
    """BLEU, 0 to 100, of counts (..., 10) that were summed over segments.

    The first n-gram length without a match counts as half a match, the next as a quarter; with
    no match at all, or too few words for any n-gram of four, there is nothing to score.
    """
    lengths, references, right, total = sums[..., 0], sums[..., 1], sums[..., 2:6], sums[..., 6:10]
    smoothed = np.where(right == 0, 0.5 ** np.cumsum(right == 0, -1), right)
    precision = np.log(smoothed / np.maximum(total, 1)).mean(-1)
    brevity = np.minimum(0, 1 - references / np.maximum(lengths, 1))
    scored = right.any(-1) & total.all(-1)
    return np.asarray(np.where(scored, 100 * np.exp(precision + brevity), 0.0))
