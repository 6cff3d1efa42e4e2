"""Random documents for stream models: sentences of many lengths, some of them empty."""

from __future__ import annotations

import torch
from torch import Tensor

from tests.model.tiny import BOS, EOS, PAD, SEP

Document = list[tuple[list[int], list[int]]]
"""Sentences with their translations, as token ids without special tokens."""


def random_document(lengths: list[tuple[int, int]], seed: int = 0) -> Document:
    """A document whose sentences and translations have these numbers of tokens."""
    generator = torch.Generator().manual_seed(seed)

    def draw(tokens: int, vocabulary: int) -> list[int]:
        return torch.randint(4, vocabulary, (tokens,), generator=generator).tolist()

    return [(draw(source, 50), draw(target, 40)) for source, target in lengths]


def as_windows(documents: list[Document]) -> tuple[Tensor, Tensor]:
    """The documents as padded windows: source (B, N) and target_in (B, T)."""
    sources = [[*[t for source, _ in one for t in (*source, SEP)][:-1], EOS] for one in documents]
    targets = [[BOS, *(t for _, target in one for t in (*target, SEP))][:-1] for one in documents]
    return pad(sources), pad(targets)


def pad(rows: list[list[int]]) -> Tensor:
    """Rows of token ids, padded at the end."""
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def sentence_rows(documents: list[Document], place: int) -> tuple[Tensor, Tensor]:
    """Sentence `place` of every document: source (B, N) with its end, and target_in (B, T)."""
    first = BOS if place == 0 else SEP
    sources = [one[place][0] + [EOS if place == len(one) - 1 else SEP] for one in documents]
    return pad(sources), pad([[first, *one[place][1]] for one in documents])
