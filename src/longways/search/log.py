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
        ends = self._ends(config) + self._cut(config)
        best = Results(config.nbest)
        for end in ends:
            best.add(end)
        return [one._replace(tokens=self._tokens(*one.tokens)) for one in best.found]

    def _ends(self, config: SearchConfig) -> list[Hypothesis]:
        """What ended by itself: for its tokens stand the step and the beam that they lead to."""
        found = []
        for step, place in np.argwhere(self.floats[:, :, 1] > -np.inf).tolist():
            _, _, beam, stop = self.integers[step, place].tolist()
            score = float(self.floats[step, place, 1])
            ranked = rank(score, step + 1, config.alpha)
            found.append(Hypothesis([step, beam], score, ranked, stop))
        return found

    def _cut(self, config: SearchConfig) -> list[Hypothesis]:
        """The beams that had reached their greatest length, likewise."""
        if len(self.integers) <= self.most:
            return []
        scores = enumerate(self._scores_before(self.most).tolist())
        return [
            Hypothesis([self.most, beam], score, rank(score, self.most, config.alpha), None)
            for beam, score in scores
            if score > -np.inf
        ]

    def _scores_before(self, step: int) -> NDArray[np.floating[Any]]:
        """(K,): the scores of the beams that a step began with."""
        if step:
            scores: NDArray[np.floating[Any]] = self.floats[step - 1, :, 0]
            return scores
        return np.where(np.arange(self.integers.shape[1]), -np.inf, 0.0)

    def _tokens(self, step: int, beam: int) -> list[int]:
        """The tokens of a beam as a step found it."""
        words, parents = self.integers[:step, :, :2].transpose(2, 0, 1)
        if parents.shape[1] == 1:
            only: list[int] = words[:, 0].tolist()
            return only
        tokens = []
        for choice, parent in zip(words[::-1].tolist(), parents[::-1].tolist(), strict=True):
            tokens.append(choice[beam])
            beam = parent[beam]
        return tokens[::-1]
