"""Hypotheses of finished windows, read from the log of a search on a device.

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
from longways.decoding.hypothesis import Hypothesis, Results, rank

INTEGER_PLANES, FLOAT_PLANES = 4, 2
"""Integers and floats that are logged for each beam and step."""

Integers = NDArray[np.integer[Any]]
Floats = NDArray[np.floating[Any]]


class SlotLog(NamedTuple):
    """The log of one window: every step of its search."""

    integers: Integers  # (4, T, K)  token, parent; of an ended hypothesis: its beam, stop token
    floats: Floats  # (2, T, K)  score; score of an ended hypothesis, or minus infinity
    max_tokens: int
    """The length limit: hypotheses that are active in step `max_tokens` are cut there."""

    def results(self, config: SearchConfig) -> list[Hypothesis]:
        """The hypotheses that `beam_search` would find, the best first."""
        ends = self._ended(config) + self._cut(config)
        best = Results(config.nbest)
        for end in ends:
            best.add(end)
        return [one._replace(tokens=self._tokens(*one.tokens)) for one in best.found]

    def _ended(self, config: SearchConfig) -> list[Hypothesis]:
        """Hypotheses with a stop token; `tokens` temporarily holds (step, beam), a back-pointer."""
        found = []
        for step, place in np.argwhere(self.floats[1] > -np.inf).tolist():
            _, _, beam, stop = self.integers[:, step, place].tolist()
            score = float(self.floats[1, step, place])
            ranked = rank(score, step + 1, config.alpha)
            found.append(Hypothesis([step, beam], score, ranked, stop))
        return found

    def _cut(self, config: SearchConfig) -> list[Hypothesis]:
        """Hypotheses cut at the length limit; `tokens` is a back-pointer, as in `_ended`."""
        if self.integers.shape[1] <= self.max_tokens:
            return []
        limit, scores = self.max_tokens, enumerate(self._scores_before(self.max_tokens).tolist())
        return [
            Hypothesis([limit, beam], score, rank(score, limit, config.alpha), None)
            for beam, score in scores
            if score > -np.inf
        ]

    def _scores_before(self, step: int) -> Floats:
        """(K,): scores of the beams before a step."""
        if step:
            scores: Floats = self.floats[0, step - 1]
            return scores
        return np.where(np.arange(self.integers.shape[2]), -np.inf, 0.0)

    def _tokens(self, step: int, beam: int) -> list[int]:
        """Tokens of a beam before a step."""
        words, parents = self.integers[:2, :step]
        return walk_back(words, parents, beam)


@dataclass(frozen=True)
class DeviceResults:
    """The logs of several windows; after a window's last step they hold stale numbers."""

    integers: Integers  # (4, W, T, K)
    floats: Floats  # (2, W, T, K)
    lengths: Sequence[int]
    """Number of steps of each window."""
    max_tokens: Sequence[int]
    """Length limit of each window."""

    def results(self, config: SearchConfig) -> list[list[Hypothesis]]:
        """The best hypotheses of each window, the best first."""
        if self.integers.shape[3] == config.nbest == 1:
            return self._greedy_results(config)
        return [self.log_of(window).results(config) for window in range(len(self.lengths))]

    def log_of(self, window: int) -> SlotLog:
        """The log of one window."""
        steps = self.lengths[window]
        return SlotLog(
            self.integers[:, window, :steps],
            self.floats[:, window, :steps],
            self.max_tokens[window],
        )

    def _greedy_results(self, config: SearchConfig) -> list[list[Hypothesis]]:
        """Results of greedy search for all windows at once: one hypothesis ends or is cut."""
        lengths, max_tokens = np.array(self.lengths), np.array(self.max_tokens)
        stopped = self.floats[1, :, :, 0] > -np.inf
        stopped &= np.arange(stopped.shape[1]) < lengths[:, None]
        ended = stopped.any(1)
        steps = np.where(ended, stopped.argmax(1), max_tokens)
        cut_scores = self._at(self.floats[0], max_tokens - 1)
        scores = np.where(ended, self._at(self.floats[1], steps), cut_scores)
        scores = np.where(ended | (max_tokens > 0), scores, 0.0)
        exists = (ended | (lengths > max_tokens)) & (scores > -np.inf)
        stops = self._at(self.integers[3], steps)
        columns = [column.tolist() for column in (exists, ended, steps, scores, stops)]
        words = self.integers[0, :, :, 0]
        return [
            [_hypothesis(own[:step].tolist(), score, stop if has_ended else None, config)] * exists
            for own, (exists, has_ended, step, score, stop) in zip(
                words, zip(*columns, strict=True), strict=True
            )
        ]

    def _at(self, plane: NDArray[Any], steps: NDArray[np.int64]) -> NDArray[Any]:
        """(W,): entry of the only beam of each window at a step, clipped to the logged steps."""
        found: NDArray[Any] = plane[np.arange(len(steps)), steps.clip(0, plane.shape[1] - 1), 0]
        return found


def _hypothesis(
    tokens: list[int], score: float, stop: int | None, config: SearchConfig
) -> Hypothesis:
    length = len(tokens) + (stop is not None)
    return Hypothesis(tokens, score, rank(score, length, config.alpha), stop)
