"""Beam search of many windows in parallel; with one beam it is greedy search.

B windows of the batch, K beams, C candidates of a beam, T tokens so far.

The runtime reads tokens and returns candidates; search chooses the next beams from them. The
results of a window depend on its own candidates only, not on the other windows of its batch.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from longways.decoding.backpointers import Backpointers
from longways.decoding.hypothesis import Hypothesis, Results, best_rank, rank
from longways.decoding.runtime import MemoryT, Runtime, Scores, StateT, Tokens, pad_rows
from longways.errors import ConfigError
from longways.text.tokenizers.special_tokens import EOS, SEP, SPELLINGS

_PER_WINDOW = (
    "windows",
    "active",
    "finished",
    "thresholds",
    "tokens",
    "parents",
    "scores",
    "separators",
)
"""The arrays of a search whose first axis is B."""

_LAST_SPECIAL_TOKEN = len(SPELLINGS) - 1
"""The special tokens have the first ids of the vocabulary; this is the last of them."""

MIN_ACTIVE_SHARE = 0.75
"""Finished windows are dropped from the runtime's state when at most this share is active."""


MAX_BEAMS = 1024
"""A wider beam only needs more memory."""


AtLimit = Literal["cut", "end"]


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """Settings of beam search."""

    beams: int = 4
    """The number of beams; 1 is greedy search."""
    alpha: float = 1.0
    """The exponent of the length penalty: 1 compares mean log-probabilities, 0 their sums."""
    nbest: int = 1
    """The number of hypotheses to return for a window, at most `beams`."""
    at_limit: AtLimit = "cut"
    """What becomes of a hypothesis at the length limit. `cut`: it follows all that ended. `end`:
    `<eos>` is forced and scored, and it competes with them, as in fairseq and so in the paper."""

    def __post_init__(self) -> None:
        if not 1 <= self.beams <= MAX_BEAMS:
            raise ConfigError(f"beams is {self.beams}, but it must be from 1 to {MAX_BEAMS:,}.")
        if not math.isfinite(self.alpha):
            raise ConfigError(f"length_penalty is {self.alpha}, but it must be a finite number.")
        if self.at_limit not in get_args(AtLimit):
            raise ConfigError(f"at_limit is {self.at_limit!r}, but it must be 'cut' or 'end'.")
        if not 1 <= self.nbest <= self.beams:
            raise ConfigError(
                f"nbest is {self.nbest}, but with {self.beams} beams it must be 1 to {self.beams}."
            )


@dataclass(frozen=True)
class Limits:
    """Constraints on the hypotheses of each window. The token that ends one is not counted."""

    min_tokens: Tokens  # (B,)
    max_tokens: Tokens  # (B,)  a hypothesis that is longer is cut off
    separators: Tokens | None = None  # (B,)  inside a hypothesis; None: a separator ends it

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

    With `at_limit="end"` all hypotheses at the length limit follow, for `end_at_limit` to score.

    A prefix is all tokens before the new ones: `<bos>`, or `<bos> t1 <sep> t2 <sep>`. A window is
    finished when K hypotheses have ended, or when no beam can still reach a rank that is kept.
    When `stop` is set, search returns the hypotheses found so far.
    """
    state = runtime.start(memory, pad_rows([prefix[:-1] for prefix in prefixes]), config.beams)
    search = _Search(np.array([prefix[-1] for prefix in prefixes]), limits, config)
    while search.is_active and not (stop and stop.is_set()):
        scores, ids, state = runtime.step(search.tokens, search.parents, state)
        search.read(scores, ids)
        remaining = search.drop_finished()
        if remaining is not None:
            state = runtime.select(state, remaining)
    return search.hypotheses()


class _Search:
    """The beams and the results of all windows."""

    def __init__(self, first: Tokens, limits: Limits, config: SearchConfig) -> None:
        windows, beams = len(first), config.beams
        self.config, self.limits, self.length = config, limits, 0
        self.results = [Results(config.nbest) for _ in range(windows)]
        self.at_limit: list[list[Hypothesis]] = [[] for _ in range(windows)]
        self.windows = np.arange(windows)  # (B,)  indices into `results`
        self.active = np.ones(windows, dtype=bool)  # (B,)
        self.finished = np.zeros(windows, dtype=np.int64)  # (B,)  number of hypotheses
        self.thresholds = np.full(windows, -np.inf)  # (B,)  `Results.threshold`
        self.tokens = np.repeat(first[:, None], beams, 1)  # (B, K)  to be read next
        self.parents = np.tile(np.arange(beams), (windows, 1))  # (B, K)
        self.scores = np.full((windows, beams), -np.inf)  # (B, K)
        self.scores[:, 0] = 0.0  # all beams are equal at first, so only one is followed
        self.separators = np.zeros((windows, beams), dtype=np.int64)  # (B, K)
        self.backpointers = Backpointers(windows, beams)  # also of windows that were dropped

    @property
    def is_active(self) -> bool:
        """Whether any window needs another step."""
        return bool(self.active.any())

    def hypotheses(self) -> list[list[Hypothesis]]:
        """The best hypotheses of all windows, with their tokens."""
        tokens = self.backpointers.tokens
        return [
            [one._replace(tokens=tokens(window, *one.tokens)) for one in (*results.found, *cut)]
            for window, (results, cut) in enumerate(zip(self.results, self.at_limit, strict=True))
        ]

    def read(self, scores: Scores, ids: Tokens) -> None:
        """Choose the next beams from the candidates (B, K, C) of every beam."""
        if self._is_plain(ids):
            self._read_plain(scores, ids)
        else:
            self._read(scores, ids)

    def _is_plain(self, ids: Tokens) -> bool:
        """Whether no candidate is a special token and no hypothesis is at its length limit."""
        return bool(self.length < self.limits.max_tokens.min() and ids.min() > _LAST_SPECIAL_TOKEN)

    def _read_plain(self, scores: Scores, ids: Tokens) -> None:
        """The fast path of `_read` for steps in which no hypothesis can end."""
        flat = (self.scores[:, :, None] + scores).reshape(len(scores), -1)  # (B, K C)
        chosen = (-flat).argsort(1, kind="stable")[:, : self.config.beams]
        self._advance(flat, ids.reshape(flat.shape), chosen, ids.shape[2])
        if self.finished.any():
            self._deactivate_windows()

    def _read(self, scores: Scores, ids: Tokens) -> None:
        stops = self._stops(ids)
        totals = self.scores[:, :, None] + self._allowed(scores, ids, stops)
        flat = totals.reshape(len(totals), -1)  # (B, K C)
        order = np.argsort(-flat, 1, kind="stable")[:, : 2 * self.config.beams]
        windows = np.arange(len(flat))[:, None]
        ends = stops.reshape(flat.shape)[windows, order]
        self._end_hypotheses(flat, ids.reshape(flat.shape), order, ends, ids.shape[2])
        others = np.argsort(ends, 1, kind="stable")[:, : self.config.beams]  # the best without stop
        chosen = order[windows, others]  # (B, K)
        self._cut_off_hypotheses()
        self._advance(flat, ids.reshape(flat.shape), chosen, ids.shape[2])
        self._deactivate_windows()

    def drop_finished(self) -> Tokens | None:
        """Drop finished windows and return the indices of the others; None if none is dropped.

        They are dropped when many are finished, or when a finished one would be read beyond its
        length limit.
        """
        if self.active.all() or not self.is_active:
            return None
        remaining = np.flatnonzero(self.active)
        overdue = self.limits.max_tokens[~self.active] < self.length
        if len(remaining) > MIN_ACTIVE_SHARE * len(self.active) and not overdue.any():
            return None
        for name in _PER_WINDOW:
            setattr(self, name, getattr(self, name)[remaining])
        self.limits = self.limits.select(remaining)
        return remaining

    def _stops(self, ids: Tokens) -> NDArray[np.bool_]:
        """(B, K, C): whether a candidate ends its hypothesis."""
        if self.limits.separators is not None:
            return np.equal(ids, EOS)
        return np.equal(ids, SEP) | np.equal(ids, EOS)

    def _allowed(self, scores: Scores, ids: Tokens, stops: NDArray[np.bool_]) -> Scores:
        """The scores, minus infinity where the limits do not allow a candidate."""
        early = (self.limits.min_tokens > self.length)[:, None, None]
        late = (self.limits.max_tokens <= self.length)[:, None, None]
        not_allowed = np.where(stops, early, late)
        if self.limits.separators is None:
            not_allowed |= stops & (np.cumsum(stops, 2) > 1)  # the same tokens with another stop
        else:
            missing = (self.limits.separators[:, None] - self.separators)[:, :, None]
            not_allowed |= np.where(stops, missing > 0, (ids == SEP) & (missing <= 0))
        return np.where(not_allowed, -np.inf, scores)

    def _end_hypotheses(
        self, flat: Scores, ids: Tokens, order: Tokens, ends: Any, candidates: int
    ) -> None:
        """Keep the hypotheses that end at this step. Only the K best candidates may end one."""
        beams = self.config.beams
        for row, place in np.argwhere(ends[:, :beams] & self.active[:, None]).tolist():
            candidate = order[row, place]
            score = float(flat[row, candidate])
            if score > -np.inf:
                beam = int(candidate // candidates)
                self._keep(row, beam, score, self.length + 1, int(ids[row, candidate]))

    def _cut_off_hypotheses(self) -> None:
        """Keep the beams at the length limit as hypotheses that were cut off."""
        for row in np.flatnonzero(self.active & (self.limits.max_tokens <= self.length)).tolist():
            for beam in np.flatnonzero(self.scores[row] > -np.inf).tolist():
                self._keep(row, beam, float(self.scores[row, beam]), self.length, None)
            self.active[row] = False

    def _keep(self, row: int, beam: int, score: float, length: int, stop: int | None) -> None:
        """Add a hypothesis to the results of its window; `length` includes its stop.

        `tokens` temporarily holds (step, beam), the back-pointer from which the tokens are read
        later.
        """
        ranked = rank(score, length, self.config.alpha)
        results = self.results[self.windows[row]]
        found = Hypothesis([self.length, beam], score, ranked, stop)
        if stop is None and self.config.at_limit == "end":
            self.at_limit[self.windows[row]].append(found)
            return
        results.add(found)
        self.finished[row] += 1
        self.thresholds[row] = results.threshold

    def _advance(self, flat: Scores, ids: Tokens, chosen: Tokens, candidates: int) -> None:
        """Make the chosen candidates (B, K) the beams of the next step."""
        rows = np.arange(len(flat))[:, None]
        self.parents = chosen // candidates
        self.tokens, self.scores = ids[rows, chosen], flat[rows, chosen]
        self.separators = self.separators[rows, self.parents] + (self.tokens == SEP)
        self.backpointers.write(self.windows, self.length, self.tokens, self.parents)
        self.length += 1

    def _deactivate_windows(self) -> None:
        """Stop the windows whose results cannot improve."""
        longest = self.limits.max_tokens + 1  # includes the stop
        bounds = best_rank(self.scores[:, 0], self.length + 1, longest, self.config.alpha)
        self.active &= (self.finished < self.config.beams) & (bounds > self.thresholds)
