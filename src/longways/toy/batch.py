"""Toy documents as padded windows of token ids.

B windows, N source tokens, T target tokens.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from longways.corpus.toy import SOURCE_WORDS, SPECIALS, TARGET_WORDS, ToyDocument
from longways.corpus.window import Offsets, training_windows, translation_windows

PAD, BOS, EOS, SEP = range(len(SPECIALS))


class Batch(NamedTuple):
    """Windows side by side, padded at the end."""

    source: Tensor  # (B, N)  s1 <sep> s2 <eos>
    target_in: Tensor  # (B, T)  <bos> t1 <sep> t2
    target: Tensor  # (B, T)  t1 <sep> t2 <eos>


class ToyCorpus:
    """Documents with their sentences as ids, and offsets to cut windows from."""

    def __init__(self, documents: list[ToyDocument]) -> None:
        self.source = [SOURCE_WORDS.ids(s) for document in documents for s in document.source]
        self.target = [TARGET_WORDS.ids(s) for document in documents for s in document.target]
        sizes = [len(document.source) for document in documents]
        self.documents: Offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.pronouns = [
            int(offset) + i
            for offset, document in zip(self.documents[:-1], documents, strict=True)
            for i in document.pronouns
        ]

    def training(self, L: int) -> Batch:
        """Every training window of L sentences, in one batch."""
        windows = training_windows(self.documents, L)
        targets = [join(self.target[a:b]) for a, b in windows]
        return Batch(
            pad([join(self.source[a:b]) for a, b in windows]),
            pad([[BOS, *target[:-1]] for target in targets]),
            pad(targets),
        )

    def windows(self, L: int) -> Offsets:
        """For each sentence, the window that ends at it."""
        return translation_windows(self.documents, L)


def join(sentences: list[list[int]]) -> list[int]:
    """One window: sentences with separators between them and `<eos>` at the end."""
    tokens = [token for sentence in sentences for token in (*sentence, SEP)]
    return [*tokens[:-1], EOS]


def pad(rows: list[list[int]]) -> Tensor:
    """Rows of ids as a tensor, padded at the end to the longest."""
    tokens = torch.full((len(rows), max(map(len, rows), default=0)), PAD)
    for row, ids in enumerate(rows):
        tokens[row, : len(ids)] = torch.tensor(ids, dtype=torch.long)
    return tokens
