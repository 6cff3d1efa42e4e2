"""What the speed benchmark decodes: windows of L sentences, and how many of them together.

L sentences are 20 L source tokens, and as many target tokens are written, whatever they are: ends
are not allowed before.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.text.tokenizers.special_tokens import BOS, EOS

SENTENCE = 20
"""Tokens of a sentence, on either side."""

TALK = 120
"""Sentences of a whole talk, decoded as one window."""

PAPER_BATCHES = {1: 1024, 2: 512, 3: 512, 4: 256, 5: 256, 10: 128, 15: 96}
"""Windows decoded together for each L, in the paper's appendix; longer ones have its last."""


class Shape(NamedTuple):
    """How much is decoded at once."""

    L: int
    batch: int
    kind: str
    """Where the batch comes from: paper, largest, talks, or the number itself."""

    @property
    def tokens(self) -> int:
        """Tokens of a window, on either side."""
        return SENTENCE * self.L


def shapes(lengths: list[int], batches: list[str], talks: int = 0) -> list[Shape]:
    """Every L with every batch. Those of `largest` are found out by measuring."""
    found = [
        Shape(L, _batch(L, batch), batch)
        for L in lengths
        for batch in batches
        if batch != "largest"
    ]
    return [*found, Shape(TALK, talks, "talks")] if talks else found


def _batch(L: int, batch: str) -> int:
    if batch == "paper":
        return paper_batch(L)
    if not batch.isdecimal() or int(batch) < 1:
        raise ConfigError(
            f"{batch!r} is no batch. Write paper, largest, or numbers of windows as in 1,16,64."
        )
    return int(batch)


def paper_batch(L: int) -> int:
    """The batch of the longest window in the paper's table that is no longer."""
    return PAPER_BATCHES[max(known for known in PAPER_BATCHES if known <= L)]


def larger(batch: int) -> int:
    """The next batch of the form 2^k or 1.5 2^k."""
    power = 1 << (batch.bit_length() - 1)
    return power + power // 2 if power > 1 and batch < power + power // 2 else 2 * power


def windows_of(
    shape: Shape,
    vocabulary: int,
    tokens: int | None = None,
    text: NDArray[np.integer[Any]] | None = None,
) -> list[Window]:
    """The same windows every time: random, or cut from a text, which is repeated if it must be.

    `tokens` are written, by default all.
    """
    least, size = shape.tokens if tokens is None else tokens, (shape.batch, shape.tokens)
    if text is None:
        rng = np.random.default_rng(shape.batch * shape.tokens)
        drawn = rng.integers(4, vocabulary, size)
    else:
        drawn = np.resize(text, size)
    drawn[:, -1] = EOS
    return [Window(source, [BOS], least, least, separators=0) for source in drawn.tolist()]
