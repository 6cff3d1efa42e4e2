"""What a sentence is translated from: the window that ends at it, and its context's translation.

Sentences are token ids without special tokens; none is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from longways.decoding.config import LengthConfig
from longways.errors import WindowError
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP

LIKELY_RATIO, LIKELY_EXTRA = 2, 10
"""A translation is likely to have at most so many tokens for each of its source, and so many more.

The lengths that search allows are far longer, for the rare case; they need not cost every window
its context.
"""


class Pair(NamedTuple):
    """A sentence and the translation it was given."""

    source: Sequence[int]
    target: Sequence[int]


class Window(NamedTuple):
    """What search is asked."""

    source: list[int]
    """s1 <sep> s2 <eos>."""
    prefix: list[int]
    """<bos> t1 <sep>: all that comes before the new tokens."""
    least: int
    """New tokens at least."""
    most: int
    """New tokens at most."""
    separators: int | None = None
    """Separators inside the new tokens; None where the first separator ends them."""
    cramped: bool = False
    """Whether the context left less room for new tokens than there should be."""


def sliding_window(
    context: Sequence[Pair], sentence: Sequence[int], length: LengthConfig, positions: int
) -> Window:
    """The window that ends at a sentence, the translation of its context forced as the prefix.

    Where the model has too few positions for all of it and for a translation as long as is likely,
    the earliest sentences of the context are left out. The longest that is allowed may still not
    fit: then the window is cramped.
    """
    check_sentence(sentence, positions)
    allowed = min(length.most(len(sentence)), positions - 1)
    likely = min(allowed, LIKELY_RATIO * len(sentence) + LIKELY_EXTRA)
    context = list(context)
    while True:
        source = source_window([*(pair.source for pair in context), sentence])
        prefix = [BOS, *(token for pair in context for token in (*pair.target, SEP))]
        if not context or (len(source) <= positions and len(prefix) + likely <= positions):
            most = min(allowed, positions - len(prefix))
            least = min(length.least, most)
            return Window(source, prefix, least, most, cramped=most < allowed)
        del context[0]


def whole_window(
    sentences: Sequence[Sequence[int]], length: LengthConfig, positions: int
) -> Window:
    """A window whose sentences are translated in one go."""
    separators = len(sentences) - 1
    words = sum(map(len, sentences))
    most = min(length.most(words) + separators, positions - 1)
    least = min(length.least * len(sentences) + separators, most)
    return Window(source_window(sentences), [BOS], least, most, separators)


def source_window(sentences: Sequence[Sequence[int]]) -> list[int]:
    """s1 <sep> s2 <eos>."""
    window = [token for sentence in sentences for token in (*sentence, SEP)]
    window[-1] = EOS
    return window


def check_sentence(sentence: Sequence[int], positions: int) -> None:
    """Raise unless a sentence fits into a window by itself."""
    if len(sentence) + 1 > positions:
        raise WindowError(
            f"A sentence has {len(sentence)} tokens, but the model has {positions} positions, one "
            "of them for the end. Split the sentence."
        )
