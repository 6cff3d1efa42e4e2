"""Beam search: the likeliest translations of many windows side by side. Greedy with one beam.

B windows still searched, K beams, C candidates of a beam, T tokens so far.

The engine reads tokens and offers candidates; here is decided which of them live on. A window's
results depend on its own candidates alone, never on the other windows of its batch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.backpointers import Backpointers
from longways.decoding.hypothesis import Hypothesis, Results
from longways.decoding.length_penalty import best_rank, rank
from longways.decoding.runtime import MemoryT, Runtime, Scores, StateT, Tokens, pad_rows
from longways.errors import ConfigError
from longways.text.tokenizers.special_tokens import EOS, SEP, SPELLINGS

_BY_WINDOW = (
    "windows",
    "lives",
    "ended",
    "thresholds",
    "tokens",
    "parents",
    "scores",
    "separators",
)
"""What a search keeps of every window, first axis B."""

_LAST_MARK = len(SPELLINGS) - 1
"""The last token that is no word: all of these come first."""

FULL_ENOUGH = 0.75
"""Windows that are done are dropped from the engine's state when fewer than this share are left."""


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """How to search."""

    beams: int = 4
    """Hypotheses followed at once; 1 is greedy search."""
    alpha: float = 1.0
    """The exponent of the length penalty: 1 compares mean log-probabilities, 0 their sums."""
    nbest: int = 1
    """Hypotheses to give for a window, at most as many as beams."""

    def __post_init__(self) -> None:
        if self.beams < 1:
            raise ConfigError(f"beams is {self.beams}, but it must be at least 1.")
        if not 1 <= self.nbest <= self.beams:
            raise ConfigError(
                f"nbest is {self.nbest}, but with {self.beams} beams it must be 1 to {self.beams}."
            )


@dataclass(frozen=True)
class Limits:
    """What a hypothesis of each window must be like, the token that ends it not counted."""

    min_tokens: Tokens  # (B,)  tokens at least
    max_tokens: Tokens  # (B,)  tokens at most: one that goes on is cut
    separators: Tokens | None = None  # (B,)  those inside it; None: a separator ends it

    def select(self, windows: Tokens) -> Limits:
        """The limits of some windows."""
        separators = None if self.separators is None else self.separators[windows]
        return Limits(self.min_tokens[windows], self.max_tokens[windows], separators)


def beam_search(
    runtime: Runtime[MemoryT, StateT],
    memory: MemoryT,
    prefixes: Sequence[Sequence[int]],
    limits: Limits,
    config: SearchConfig,
    stop: Event | None = None,
) -> list[list[Hypothesis]]:
    """The best hypotheses for every window of the memory, the best first, at least one for each.

    A prefix is everything before the new tokens: `<bos>`, or `<bos> t1 <sep> t2 <sep>`. A window is
    done when as many hypotheses as beams have ended, or when none that lives could still be kept.
    When told to stop, it gives what it has.
    """
    state = runtime.start(memory, pad_rows([prefix[:-1] for prefix in prefixes]), config.beams)
    search = _Search(np.array([prefix[-1] for prefix in prefixes]), limits, config)
    while search.goes_on and not (stop and stop.is_set()):
        scores, ids, state = runtime.step(search.tokens, search.parents, state)
        search.read(scores, ids)
        left = search.drop_done()
        if left is not None:
            state = runtime.select(state, left)
    return search.found()


class _Search:
    """The beams of all windows, and what has become of those that ended."""

    def __init__(self, first: Tokens, limits: Limits, config: SearchConfig) -> None:
        windows, beams = len(first), config.beams
        self.config, self.limits, self.length = config, limits, 0
        self.results = [Results(config.nbest) for _ in range(windows)]
        self.windows = np.arange(windows)  # (B,)  whose results
        self.lives = np.ones(windows, dtype=bool)  # (B,)
        self.ended = np.zeros(windows, dtype=np.int64)  # (B,)  hypotheses
        self.thresholds = np.full(windows, -np.inf)  # (B,)  the rank that a new one must exceed
        self.tokens = np.repeat(first[:, None], beams, 1)  # (B, K)  to be read next
        self.parents = np.tile(np.arange(beams), (windows, 1))  # (B, K)  after which beam
        self.scores = np.full((windows, beams), -np.inf)  # (B, K)
        self.scores[:, 0] = 0.0  # all beams are equal at first: one of them is enough
        self.separators = np.zeros((windows, beams), dtype=np.int64)  # (B, K)
        self.trail = Backpointers(windows, beams)  # of all windows, also those that are done

    @property
    def goes_on(self) -> bool:
        """Whether any window still needs a step."""
        return bool(self.lives.any())

    def found(self) -> list[list[Hypothesis]]:
        """The best hypotheses of all windows."""
        return [
            [one._replace(tokens=self.trail.tokens(window, *one.tokens)) for one in results.found]
            for window, results in enumerate(self.results)
        ]

    def read(self, scores: Scores, ids: Tokens) -> None:
        """Choose from the candidates (B, K, C) of every beam; afterwards T is one more."""
        if self._is_plain(ids):
            self._read_plain(scores, ids)
        else:
            self._read(scores, ids)

    def _is_plain(self, ids: Tokens) -> bool:
        """Whether no hypothesis can end or be cut here, and none counts separators."""
        return bool(self.length < self.limits.max_tokens.min() and ids.min() > _LAST_MARK)

    def _read_plain(self, scores: Scores, ids: Tokens) -> None:
        """What `_read` comes to where a step is plain, as most are."""
        flat = (self.scores[:, :, None] + scores).reshape(len(scores), -1)  # (B, K C)
        chosen = (-flat).argsort(1, kind="stable")[:, : self.config.beams]
        self._advance(flat, ids.reshape(flat.shape), chosen, ids.shape[2])
        if self.ended.any():
            self._finish()

    def _read(self, scores: Scores, ids: Tokens) -> None:
        stops = self._stops(ids)
        totals = self.scores[:, :, None] + self._allowed(scores, ids, stops)
        flat = totals.reshape(len(totals), -1)  # (B, K C)
        order = np.argsort(-flat, 1, kind="stable")[:, : 2 * self.config.beams]
        windows = np.arange(len(flat))[:, None]
        ends = stops.reshape(flat.shape)[windows, order]
        self._end(flat, ids.reshape(flat.shape), order, ends, ids.shape[2])
        alive = np.argsort(ends, 1, kind="stable")[:, : self.config.beams]  # the best no stop
        chosen = order[windows, alive]  # (B, K)
        self._cut()
        self._advance(flat, ids.reshape(flat.shape), chosen, ids.shape[2])
        self._finish()

    def drop_done(self) -> Tokens | None:
        """The places of windows that are left, if it is time to forget the others.

        It is when many are done, or when one would be read beyond the length it has room for.
        """
        if self.lives.all() or not self.goes_on:
            return None
        left = np.flatnonzero(self.lives)
        overdue = self.limits.max_tokens[~self.lives] < self.length
        if len(left) > FULL_ENOUGH * len(self.lives) and not overdue.any():
            return None
        for name in _BY_WINDOW:
            setattr(self, name, getattr(self, name)[left])
        self.limits = self.limits.select(left)
        return left

    def _stops(self, ids: Tokens) -> NDArray[np.bool_]:
        """(B, K, C): candidates that would end their hypothesis."""
        if self.limits.separators is not None:
            return np.equal(ids, EOS)
        return np.equal(ids, SEP) | np.equal(ids, EOS)

    def _allowed(self, scores: Scores, ids: Tokens, stops: NDArray[np.bool_]) -> Scores:
        """The scores, minus infinity where a candidate may not be taken."""
        early = (self.limits.min_tokens > self.length)[:, None, None]
        late = (self.limits.max_tokens <= self.length)[:, None, None]
        not_allowed = np.where(stops, early, late)
        if self.limits.separators is None:
            not_allowed |= stops & (np.cumsum(stops, 2) > 1)  # the same words, ended otherwise
        else:
            missing = (self.limits.separators[:, None] - self.separators)[:, :, None]
            not_allowed |= np.where(stops, missing > 0, (ids == SEP) & (missing <= 0))
        return np.where(not_allowed, -np.inf, scores)

    def _end(self, flat: Scores, ids: Tokens, order: Tokens, ends: Any, candidates: int) -> None:
        """Keep the hypotheses that end here; only the best K of all candidates may."""
        beams = self.config.beams
        for row, place in np.argwhere(ends[:, :beams] & self.lives[:, None]).tolist():
            candidate = order[row, place]
            score = float(flat[row, candidate])
            if score > -np.inf:
                beam = int(candidate // candidates)
                self._keep(row, beam, score, self.length + 1, int(ids[row, candidate]))

    def _cut(self) -> None:
        """Keep the hypotheses that have reached their greatest length, where too few ended."""
        for row in np.flatnonzero(self.lives & (self.limits.max_tokens <= self.length)).tolist():
            for beam in np.flatnonzero(self.scores[row] > -np.inf).tolist():
                self._keep(row, beam, float(self.scores[row, beam]), self.length, None)
            self.lives[row] = False

    def _keep(self, row: int, beam: int, score: float, length: int, stop: int | None) -> None:
        """Add a hypothesis to the results of its window; the length counts its stop.

        For its tokens stand the step and the beam that they lead to.
        """
        ranked = rank(score, length, self.config.alpha)
        results = self.results[self.windows[row]]
        results.add(Hypothesis([self.length, beam], score, ranked, stop))
        self.ended[row] += 1
        self.thresholds[row] = results.threshold

    def _advance(self, flat: Scores, ids: Tokens, chosen: Tokens, candidates: int) -> None:
        """Let the chosen candidates (B, K) be the beams."""
        rows = np.arange(len(flat))[:, None]
        self.parents = chosen // candidates
        self.tokens, self.scores = ids[rows, chosen], flat[rows, chosen]
        self.separators = self.separators[rows, self.parents] + (self.tokens == SEP)
        self.trail.write(self.windows, self.length, self.tokens, self.parents)
        self.length += 1

    def _finish(self) -> None:
        """Find windows in which nothing better can come."""
        longest = self.limits.max_tokens + 1  # the token that ends it included
        hopes = best_rank(self.scores[:, 0], self.length + 1, longest, self.config.alpha)
        self.lives &= (self.ended < self.config.beams) & (hopes > self.thresholds)
