"""What a search on a device has written down about one window, and the results that follow.

T steps, K beams.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.search.beam import SearchConfig
from longways.search.hypothesis import Hypothesis, Results
from longways.search.penalty import rank

INTEGERS, FLOATS = 4, 2
"""Numbers of each kind that are written for a beam at every step."""


class SlotLog(NamedTuple):
    """Every step of the search of one window."""

    integers: NDArray[np.int64]  # (T, K, 4)  token, parent, beam that ended, token that ended it
    floats: NDArray[np.floating[Any]]  # (T, K, 2)  score, score of what ended or minus infinity
    most: int
    """New tokens at most: in step `most` whatever still lived was cut."""

    def results(self, config: SearchConfig) -> list[Hypothesis]:
        """The best hypotheses, the best first, as `beam_search` would have found them."""
        results = Results(config.nbest)
        for step, place in np.argwhere(self.floats[:, :, 1] > -np.inf).tolist():
            _, _, beam, stop = self.integers[step, place].tolist()
            score = float(self.floats[step, place, 1])
            ranked = rank(score, step + 1, config.alpha)
            results.add(Hypothesis(self._tokens(step, beam), score, ranked, stop))
        if len(self.integers) > self.most:
            self._cut(results, config)
        return results.found

    def _cut(self, results: Results, config: SearchConfig) -> None:
        """Add the beams that had reached their greatest length."""
        for beam, score in enumerate(self._scores_before(self.most).tolist()):
            if score > -np.inf:
                tokens, ranked = self._tokens(self.most, beam), rank(score, self.most, config.alpha)
                results.add(Hypothesis(tokens, score, ranked, None))

    def _scores_before(self, step: int) -> NDArray[np.floating[Any]]:
        """(K,): the scores of the beams that a step began with."""
        if step:
            scores: NDArray[np.floating[Any]] = self.floats[step - 1, :, 0]
            return scores
        return np.where(np.arange(self.integers.shape[1]), -np.inf, 0.0)

    def _tokens(self, step: int, beam: int) -> list[int]:
        """The tokens of a beam as a step found it."""
        tokens = []
        for earlier in range(step - 1, -1, -1):
            token, beam = self.integers[earlier, beam, :2].tolist()
            tokens.append(token)
        return tokens[::-1]
