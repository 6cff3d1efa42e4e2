"""The windows that the speed benchmark decodes, and their batch sizes.

L sentences are 20 L source tokens. The same number of target tokens is decoded: hypotheses cannot
end earlier.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.text.tokenizers.special_tokens import BOS, EOS

SENTENCE_TOKENS = 20
"""Tokens of a sentence, on either side."""

TALK_SENTENCES = 120
"""Sentences of a whole talk, which is decoded as one window."""

PAPER_BATCHES = {1: 1024, 2: 512, 3: 512, 4: 256, 5: 256, 10: 128, 15: 96}
"""Batch sizes by L from the paper's appendix; a longer L has the last one."""


class Shape(NamedTuple):
    """The size of a decoding: the window length and the batch."""

    L: int
    batch: int
    kind: str
    """The source of the batch size: paper, largest, talks, or the number itself."""

    @property
    def tokens(self) -> int:
        """Tokens of a window, on either side."""
        return SENTENCE_TOKENS * self.L


def shapes(lengths: list[int], batches: list[str], talks: int = 0) -> list[Shape]:
    """Every L with every batch, except for `largest`, which depends on measurements."""
    found = [
        Shape(L, _batch(L, batch), batch)
        for L in lengths
        for batch in batches
        if batch != "largest"
    ]
    return [*found, Shape(TALK_SENTENCES, talks, "talks")] if talks else found


def _batch(L: int, batch: str) -> int:
    if batch == "paper":
        return paper_batch(L)
    if not batch.isdecimal() or int(batch) < 1:
        raise ConfigError(
            f"{batch!r} is not a batch. Write paper, largest, or numbers of windows as in 1,16,64."
        )
    return int(batch)


def paper_batch(L: int) -> int:
    """The paper's batch for L, or for the next smaller L in its table."""
    return PAPER_BATCHES[max(known for known in PAPER_BATCHES if known <= L)]


def larger(batch: int) -> int:
    """The next larger batch of the form 2^k or 1.5 2^k."""
    power = 1 << (batch.bit_length() - 1)
    return power + power // 2 if power > 1 and batch < power + power // 2 else 2 * power


def windows_of(
    shape: Shape,
    vocabulary: int,
    tokens: int | None = None,
    text: NDArray[np.integer[Any]] | None = None,
) -> list[Window]:
    """The windows of a shape, always the same: random tokens, or tokens of a text.

    A text that is too short is repeated. `tokens` limits the decoded tokens of a window.
    """
    decoded, size = shape.tokens if tokens is None else tokens, (shape.batch, shape.tokens)
    if text is None:
        rng = np.random.default_rng(shape.batch * shape.tokens)
        drawn = rng.integers(4, vocabulary, size)
    else:
        drawn = np.resize(text, size)
    drawn[:, -1] = EOS
    return [Window(source, [BOS], decoded, decoded, separators=0) for source in drawn.tolist()]
