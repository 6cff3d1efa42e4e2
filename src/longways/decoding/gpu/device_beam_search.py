"""Beam search with fixed shapes on a device; the same results as `longways.decoding.beam_search`.

B slots, each with a window or idle, K beams, C candidates of a beam, T tokens so far.

No operation waits for the device, and no shape depends on the number of active windows: a step of
model and search can be captured once and replayed. Back-pointers and finished hypotheses are
written to a log, from which `device_results` reads the results when a window is finished.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_results import FLOAT_PLANES, INTEGER_PLANES, DeviceResults
from longways.text.tokenizers.special_tokens import EOS, SEP

NO_SEPARATORS = -1
"""Stands for None in `NewWindows.separators`: the first separator ends the hypothesis."""


@dataclass(frozen=True)
class NewWindows:
    """Windows whose search is about to begin."""

    slots: Tensor  # (W,)  the slot of each window
    first_tokens: Tensor  # (W,)  the last token of each prefix
    min_tokens: Tensor  # (W,)  least number of new tokens
    max_tokens: Tensor  # (W,)  greatest number of new tokens
    separators: Tensor  # (W,)  required separators inside the new tokens, or NO_SEPARATORS


class DeviceSearch:
    """The beams of all slots, in tensors that never change their address."""

    def __init__(
        self, slots: int, max_tokens: int, config: SearchConfig, device: torch.device
    ) -> None:
        self.config, shape = config, (slots, config.beams)
        integers = torch.zeros(slots, dtype=torch.long, device=device)
        doubles = torch.zeros(shape, dtype=torch.float64, device=device)
        rows = torch.arange(slots * config.beams, device=device)
        self.rows = rows.view(shape)  # (B, K)  row of each beam in a state
        self.tokens = torch.full_like(self.rows, EOS)  # (B, K)  input of the next step
        self.parents = self.rows.clone()  # (B, K)  rows whose states the beams continue
        self.scores = doubles.clone()  # (B, K)
        self.separators = torch.zeros_like(self.rows)  # (B, K)  separators so far
        self.active = integers.bool()  # (B,)
        self.length = integers.clone()  # (B,)
        self.finished = integers.clone()  # (B,)  number of finished hypotheses
        self.ranks = doubles.new_full((slots, config.nbest), -torch.inf)  # (B, nbest)  the best
        self.min_tokens, self.max_tokens, self.required_separators = (
            integers.clone() for _ in range(3)
        )  # (B,)
        log = slots, max_tokens + 2, config.beams
        self.integers = torch.zeros(INTEGER_PLANES, *log, dtype=torch.int32, device=device)
        self.floats = doubles.new_zeros(FLOAT_PLANES, *log)
        self._slots = torch.arange(slots, device=device)

    def place(self, new: NewWindows) -> None:
        """Begin the search of windows in idle slots.

        Constants are written by `index_fill_`: an assignment would copy them from the host and
        wait for the device.
        """
        slots = new.slots
        self.tokens[slots] = new.first_tokens[:, None]
        self.parents[slots] = self.rows[slots]
        self.scores.index_fill_(0, slots, -torch.inf)
        self.scores[:, 0].index_fill_(0, slots, 0.0)  # all beams are equal at first: use one
        for counter in (self.separators, self.length, self.finished):
            counter.index_fill_(0, slots, 0)
        self.ranks.index_fill_(0, slots, -torch.inf)
        self.min_tokens[slots] = new.min_tokens
        self.max_tokens[slots] = new.max_tokens
        self.required_separators[slots] = new.separators
        self.active.index_fill_(0, slots, True)

    def step(self, scores: Tensor, ids: Tensor) -> None:
        """Choose the next beams from the candidates (B, K, C) of every beam."""
        stops = self._stops(ids)
        totals = self.scores[:, :, None] + self._allowed(scores, ids, stops)
        flat, ids, stops = (x.flatten(1) for x in (totals, ids, stops))  # (B, K C)
        order = flat.argsort(dim=1, descending=True, stable=True)[:, : 2 * self.config.beams]
        ends = stops.gather(1, order)
        final_scores = self._finish_hypotheses(flat, order, ends)
        chosen = ends.byte().argsort(dim=1, stable=True)[:, : self.config.beams]  # best non-stops
        self._log(flat, ids, order, final_scores, order.gather(1, chosen), scores.shape[2])
        self._finish_windows()

    def results(self, slots: Sequence[int]) -> DeviceResults:
        """The logs of finished windows in some slots, copied to the host."""
        lengths, max_tokens = torch.stack([self.length, self.max_tokens])[:, slots].tolist()
        integers = self.integers[:, slots, : max(lengths)].cpu().numpy()
        floats = self.floats[:, slots, : max(lengths)].cpu().numpy()
        return DeviceResults(integers, floats, lengths, max_tokens)

    @property
    def mutable_tensors(self) -> list[Tensor]:
        """Every tensor that `step` changes, except the logs."""
        return [
            self.tokens,
            self.parents,
            self.scores,
            self.separators,
            self.active,
            self.length,
            self.finished,
            self.ranks,
        ]

    def _stops(self, ids: Tensor) -> Tensor:
        """(B, K, C): candidates that would end their hypothesis."""
        sliding = (self.required_separators == NO_SEPARATORS)[:, None, None]
        return (ids == EOS) | (sliding & (ids == SEP))

    def _allowed(self, scores: Tensor, ids: Tensor, stops: Tensor) -> Tensor:
        """The scores, with minus infinity for candidates that are not allowed."""
        too_early = (self.min_tokens > self.length)[:, None, None]
        too_late = (self.max_tokens <= self.length)[:, None, None]
        required = self.required_separators[:, None]
        repeated = stops & (stops.cumsum(2) > 1)  # the same words with another stop token
        missing = (required - self.separators)[:, :, None]
        wrong = torch.where(stops, missing > 0, (ids == SEP) & (missing <= 0))
        wrong = torch.where((required == NO_SEPARATORS)[:, :, None], repeated, wrong)
        not_allowed: Tensor = torch.where(stops, too_early, too_late) | wrong
        return scores.double().masked_fill(not_allowed, -torch.inf)

    def _finish_hypotheses(self, flat: Tensor, order: Tensor, ends: Tensor) -> Tensor:
        """(B, K): scores of hypotheses that end in this step, among the best K candidates."""
        beams = self.config.beams
        best = flat.gather(1, order[:, :beams])
        final_scores = best.masked_fill(~(ends[:, :beams] & self.active[:, None]), -torch.inf)
        ranks = final_scores / (self.length + 1).double().pow(self.config.alpha)[:, None]
        self.ranks.copy_(torch.cat([self.ranks, ranks], 1).topk(self.config.nbest).values)
        self.finished += (final_scores > -torch.inf).sum(1)
        return final_scores

    def _log(
        self,
        flat: Tensor,
        ids: Tensor,
        order: Tensor,
        final_scores: Tensor,
        chosen: Tensor,
        width: int,
    ) -> None:
        """Log the step, and make the chosen candidates (B, K) the new beams."""
        beams = self.config.beams
        parents, tokens, ended = chosen // width, ids.gather(1, chosen), order[:, :beams]
        scores = flat.gather(1, chosen)
        integers = [tokens, parents, ended // width, ids.gather(1, ended)]
        self.integers[:, self._slots, self.length] = torch.stack(integers).int()
        self.floats[:, self._slots, self.length] = torch.stack([scores, final_scores])
        self.separators.copy_(self.separators.gather(1, parents) + (tokens == SEP))
        self.parents.copy_(self.rows[:, :1] + parents)
        self.tokens.copy_(tokens)
        self.scores.copy_(scores)

    def _finish_windows(self) -> None:
        """Deactivate windows at the length limit, or with no better hypothesis to expect."""
        cut = self.max_tokens <= self.length
        self.length += self.active
        longest = torch.maximum(self.length + 1, self.max_tokens + 1)
        best_ranks = self.scores[:, 0] / longest.double().pow(self.config.alpha)
        full = self.finished >= self.config.beams
        self.active &= ~cut & ~full & (best_ranks > self.ranks[:, -1])
