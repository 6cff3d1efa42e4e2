"""What a search on a device has written down about its windows, and the results that follow.

W windows, T steps, K beams.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.backpointers import walk_back
from longways.decoding.beam_search import SearchConfig
from longways.decoding.hypothesis import Hypothesis, Results
from longways.decoding.length_penalty import rank

INTEGERS, FLOATS = 4, 2
"""Numbers of each kind that are written for a beam at every step."""

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class SlotLog(NamedTuple):
    """Every step of the search of one window."""

    integers: Integers  # (4, T, K)  token, parent, beam that ended, token that ended it
    floats: Floats  # (2, T, K)  score, score of what ended or minus infinity
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
        for step, place in np.argwhere(self.floats[1] > -np.inf).tolist():
            _, _, beam, stop = self.integers[:, step, place].tolist()
            score = float(self.floats[1, step, place])
            ranked = rank(score, step + 1, config.alpha)
            found.append(Hypothesis([step, beam], score, ranked, stop))
        return found

    def _cut(self, config: SearchConfig) -> list[Hypothesis]:
        """The beams that had reached their greatest length, likewise."""
        if self.integers.shape[1] <= self.most:
            return []
        scores = enumerate(self._scores_before(self.most).tolist())
        return [
            Hypothesis([self.most, beam], score, rank(score, self.most, config.alpha), None)
            for beam, score in scores
            if score > -np.inf
        ]

    def _scores_before(self, step: int) -> Floats:
        """(K,): the scores of the beams that a step began with."""
        if step:
            scores: Floats = self.floats[0, step - 1]
            return scores
        return np.where(np.arange(self.integers.shape[2]), -np.inf, 0.0)

    def _tokens(self, step: int, beam: int) -> list[int]:
        """The tokens of a beam as a step found it."""
        words, parents = self.integers[:2, :step]
        return walk_back(words, parents, beam)


@dataclass(frozen=True)
class DeviceResults:
    """Those of several windows, with whatever older ones have left after the last step of each."""

    integers: Integers  # (4, W, T, K)
    floats: Floats  # (2, W, T, K)
    lengths: Sequence[int]
    """Steps of each."""
    most: Sequence[int]

    def results(self, config: SearchConfig) -> list[list[Hypothesis]]:
        """The best hypotheses of each window, the best first."""
        if self.integers.shape[3] == config.nbest == 1:
            return self._only_ones(config)
        return [self._of(window).results(config) for window in range(len(self.lengths))]

    def _of(self, window: int) -> SlotLog:
        steps = self.lengths[window]
        return SlotLog(
            self.integers[:, window, :steps], self.floats[:, window, :steps], self.most[window]
        )

    def _only_ones(self, config: SearchConfig) -> list[list[Hypothesis]]:
        """Of a single beam, all windows at once: it ends by itself, or is cut, and once."""
        lengths, most = np.array(self.lengths), np.array(self.most)
        ended = self.floats[1, :, :, 0] > -np.inf
        ended &= np.arange(ended.shape[1]) < lengths[:, None]
        ends = ended.any(1)
        steps = np.where(ends, ended.argmax(1), most)
        scores = np.where(ends, self._at(self.floats[1], steps), self._at(self.floats[0], most - 1))
        scores = np.where(ends | (most > 0), scores, 0.0)
        there = (ends | (lengths > most)) & (scores > -np.inf)
        stops = self._at(self.integers[3], steps)
        facts = [fact.tolist() for fact in (there, ends, steps, scores, stops)]
        words = self.integers[0, :, :, 0]
        return [
            [_only_one(own[:step].tolist(), score, stop if by_itself else None, config)] * exists
            for own, (exists, by_itself, step, score, stop) in zip(
                words, zip(*facts, strict=True), strict=True
            )
        ]

    def _at(self, plane: NDArray[Any], steps: NDArray[np.int64]) -> NDArray[Any]:
        """(W,): the number of each window's only beam at a step; any other where there is none."""
        found: NDArray[Any] = plane[np.arange(len(steps)), steps.clip(0, plane.shape[1] - 1), 0]
        return found


def _only_one(
    tokens: list[int], score: float, stop: int | None, config: SearchConfig
) -> Hypothesis:
    length = len(tokens) + (stop is not None)
    return Hypothesis(tokens, score, rank(score, length, config.alpha), stop)
