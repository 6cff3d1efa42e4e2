"""Beam search with fixed shapes on a device; the same results as `longways.decoding.beam_search`.

B slots, each with a window or idle, K beams, C candidates of a beam, T tokens so far.

Nothing here waits for the device, and nothing depends on how many windows still live: a step of
model and search can be captured once and replayed. What ends, and whatever a hypothesis is made of,
is written into a log, from which `device_results` reads the results when a window is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_results import FLOATS, INTEGERS, DeviceResults
from longways.text.tokenizers.special_tokens import EOS, SEP

NO_SEPARATORS = -1
"""Stands for None where a window's separators are counted: the first of them ends it."""


@dataclass(frozen=True)
class Newcomers:
    """Windows about to be searched, and the slots (W,) they are given."""

    slots: Tensor  # (W,)
    first: Tensor  # (W,)  the last token of each prefix
    least: Tensor  # (W,)  new tokens at least
    most: Tensor  # (W,)  new tokens at most
    separators: Tensor  # (W,)  those inside, or NO_SEPARATORS


class DeviceSearch:
    """The beams of all slots. Every tensor stays where it is for good."""

    def __init__(self, slots: int, most: int, config: SearchConfig, device: torch.device) -> None:
        self.config, shape = config, (slots, config.beams)
        whole = torch.zeros(slots, dtype=torch.long, device=device)
        exact = torch.zeros(shape, dtype=torch.float64, device=device)
        rows = torch.arange(slots * config.beams, device=device)
        self.rows = rows.view(shape)  # (B, K)  the first axis of a state
        self.tokens = torch.full_like(self.rows, EOS)  # (B, K)  to be read next
        self.parents = self.rows.clone()  # (B, K)  rows after which they are read
        self.scores = exact.clone()  # (B, K)
        self.separators = torch.zeros_like(self.rows)  # (B, K)
        self.lives = whole.bool()  # (B,)
        self.length = whole.clone()  # (B,)
        self.ended = whole.clone()  # (B,)  hypotheses
        self.ranks = exact.new_full((slots, config.nbest), -torch.inf)  # (B, nbest)  of the best
        self.least, self.most, self.wanted = (whole.clone() for _ in range(3))  # (B,)
        log = slots, most + 2, config.beams
        self.integers = torch.zeros(INTEGERS, *log, dtype=torch.int32, device=device)
        self.floats = exact.new_zeros(FLOATS, *log)
        self._slots = torch.arange(slots, device=device)

    def place(self, new: Newcomers) -> None:
        """Begin the search of some windows in slots that are idle.

        Numbers are filled in, not assigned: an assignment sends them, and waits for the device.
        """
        slots = new.slots
        self.tokens[slots] = new.first[:, None]
        self.parents[slots] = self.rows[slots]
        self.scores.index_fill_(0, slots, -torch.inf)
        self.scores[:, 0].index_fill_(0, slots, 0.0)  # all are equal at first: one is enough
        for counted in (self.separators, self.length, self.ended):
            counted.index_fill_(0, slots, 0)
        self.ranks.index_fill_(0, slots, -torch.inf)
        self.least[slots], self.most[slots], self.wanted[slots] = (
            new.least,
            new.most,
            new.separators,
        )
        self.lives.index_fill_(0, slots, True)

    def read(self, scores: Tensor, ids: Tensor) -> None:
        """Choose from the candidates (B, K, C) of every beam; afterwards T is one more."""
        stops = self._stops(ids)
        totals = self.scores[:, :, None] + self._allowed(scores, ids, stops)
        flat, ids, stops = (x.flatten(1) for x in (totals, ids, stops))  # (B, K C)
        order = flat.argsort(dim=1, descending=True, stable=True)[:, : 2 * self.config.beams]
        ends = stops.gather(1, order)
        over = self._end(flat, order, ends)
        alive = ends.byte().argsort(dim=1, stable=True)[:, : self.config.beams]  # the best no stop
        self._log(flat, ids, order, over, order.gather(1, alive), scores.shape[2])
        self._finish()

    def logs(self, slots: Sequence[int]) -> DeviceResults:
        """What the windows in some slots have come to, here on the host; their search is over."""
        lengths, most = torch.stack([self.length, self.most])[:, slots].tolist()
        integers = self.integers[:, slots, : max(lengths)].cpu().numpy()
        floats = self.floats[:, slots, : max(lengths)].cpu().numpy()
        return DeviceResults(integers, floats, lengths, most)

    @property
    def changing(self) -> list[Tensor]:
        """All that `read` changes, the logs aside."""
        return [
            self.tokens,
            self.parents,
            self.scores,
            self.separators,
            self.lives,
            self.length,
            self.ended,
            self.ranks,
        ]

    def _stops(self, ids: Tensor) -> Tensor:
        """(B, K, C): candidates that would end their hypothesis."""
        sliding = (self.wanted == NO_SEPARATORS)[:, None, None]
        return (ids == EOS) | (sliding & (ids == SEP))

    def _allowed(self, scores: Tensor, ids: Tensor, stops: Tensor) -> Tensor:
        """The scores, minus infinity where a candidate may not be taken."""
        early = (self.least > self.length)[:, None, None]
        late = (self.most <= self.length)[:, None, None]
        wanted = self.wanted[:, None]
        same = stops & (stops.cumsum(2) > 1)  # the same words, ended otherwise
        missing = (wanted - self.separators)[:, :, None]
        wrong = torch.where(stops, missing > 0, (ids == SEP) & (missing <= 0))
        wrong = torch.where((wanted == NO_SEPARATORS)[:, :, None], same, wrong)
        not_allowed: Tensor = torch.where(stops, early, late) | wrong
        return scores.double().masked_fill(not_allowed, -torch.inf)

    def _end(self, flat: Tensor, order: Tensor, ends: Tensor) -> Tensor:
        """(B, K): the scores of hypotheses that end here; only the best K candidates may."""
        beams = self.config.beams
        best = flat.gather(1, order[:, :beams])
        over = best.masked_fill(~(ends[:, :beams] & self.lives[:, None]), -torch.inf)
        ranks = over / (self.length + 1).double().pow(self.config.alpha)[:, None]
        self.ranks.copy_(torch.cat([self.ranks, ranks], 1).topk(self.config.nbest).values)
        self.ended += (over > -torch.inf).sum(1)
        return over

    def _log(
        self, flat: Tensor, ids: Tensor, order: Tensor, over: Tensor, chosen: Tensor, width: int
    ) -> None:
        """Write down what ended, and let the chosen candidates (B, K) be the beams."""
        beams = self.config.beams
        parents, tokens, ended = chosen // width, ids.gather(1, chosen), order[:, :beams]
        scores = flat.gather(1, chosen)
        integers = [tokens, parents, ended // width, ids.gather(1, ended)]
        self.integers[:, self._slots, self.length] = torch.stack(integers).int()
        self.floats[:, self._slots, self.length] = torch.stack([scores, over])
        self.separators.copy_(self.separators.gather(1, parents) + (tokens == SEP))
        self.parents.copy_(self.rows[:, :1] + parents)
        self.tokens.copy_(tokens)
        self.scores.copy_(scores)

    def _finish(self) -> None:
        """Find windows that are cut here, or in which nothing better can come."""
        cut = self.most <= self.length
        self.length += self.lives
        greatest = torch.maximum(self.length + 1, self.most + 1).double().pow(self.config.alpha)
        hopes = self.scores[:, 0] / greatest
        full = self.ended >= self.config.beams
        self.lives &= ~cut & ~full & (hopes > self.ranks[:, -1])
