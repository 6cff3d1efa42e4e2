"""Sentences of a window: the sentence of each token, its position there, and what it may see.

B windows, N source tokens, T target tokens.

A source separator belongs to the sentence that it ends. A target separator belongs to the sentence
after it: reading it begins that sentence, as `<bos>` begins the first one.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import pad

from longways.attention.ranges import Ranges, ranges_of


def source_sentences(separators: Tensor) -> Tensor:
    """(B, N): the number of the sentence of each source token, from 0."""
    ends = separators.long()
    return ends.cumsum(1) - ends


def target_sentences(separators: Tensor) -> Tensor:
    """(B, T): the number of the sentence of each target token, from 0."""
    return separators.long().cumsum(1)


def source_positions(separators: Tensor) -> Tensor:
    """(B, N): the position of each source token in its sentence, from 0."""
    return _positions(pad(separators[:, :-1], (1, 0)))


def target_positions(separators: Tensor) -> Tensor:
    """(B, T): the position of each target token in its sentence; its separator has 0."""
    return _positions(separators)


def target_ranges(separators: Tensor) -> Ranges:
    """The target tokens of its sentence that each target token (B, T) reads: up to itself."""
    places = torch.arange(separators.shape[1], device=separators.device).expand_as(separators)
    return Ranges(places - target_positions(separators), places + 1)


def _positions(starts: Tensor) -> Tensor:
    """The distance of each token from the last start; the first token is a start, too."""
    places = torch.arange(starts.shape[1], device=starts.device)
    return places - torch.where(starts, places, 0).cummax(1).values


@dataclass(frozen=True)
class SourcePlaces:
    """The sentences of source windows."""

    separators: Tensor  # (B, N)  bool
    mask: Tensor  # (B, N)  false on padding
    sentences: Tensor  # (B, N)

    @staticmethod
    def of(separators: Tensor, mask: Tensor) -> SourcePlaces:
        """The places of windows with these separators; mask is false on padding."""
        return SourcePlaces(separators, mask, source_sentences(separators))

    def ranges(self, sentences: Tensor) -> Ranges:
        """The source tokens of each sentence in `sentences` (B, T), which never decrease."""
        return ranges_of(self.sentences, sentences, self.mask.sum(1))

    def so_far(self, sentences: Tensor) -> Tensor:
        """(B, T, N): whether a source token is in that sentence or in an earlier one."""
        return (sentences[:, :, None] >= self.sentences[:, None, :]) & self.mask[:, None, :]

    def of_target(self, separators: Tensor) -> Tensor:
        """(B, T): the source sentence that each target token translates.

        Target sentences beyond the last source sentence belong to the last one, too.
        """
        last = torch.where(self.mask, self.sentences, 0).amax(1, keepdim=True)
        return torch.minimum(target_sentences(separators), last)
