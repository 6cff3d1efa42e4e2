"""Windows for search: source tokens, a forced prefix of earlier translations, length limits.

Sentences are token ids without special tokens; none is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from longways.decoding.config import LengthConfig
from longways.errors import WindowError
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP

LIKELY_RATIO, LIKELY_EXTRA_TOKENS = 2, 10
"""Most translations have at most `LIKELY_RATIO * source_tokens + LIKELY_EXTRA_TOKENS` tokens.

Context is dropped only where a translation of this length would not fit. The length limits of
search are much larger, and would cost most windows their context.
"""


class Pair(NamedTuple):
    """A source sentence and its translation."""

    source: Sequence[int]
    target: Sequence[int]


class Window(NamedTuple):
    """The input of one search."""

    source: list[int]
    """s1 <sep> s2 <eos>."""
    prefix: list[int]
    """<bos> t1 <sep>: all tokens before the new ones."""
    min_tokens: int
    """The smallest number of new tokens."""
    max_tokens: int
    """The largest number of new tokens."""
    separators: int | None = None
    """Separators among the new tokens; None where the first separator ends the translation."""
    cramped: bool = False
    """Whether the context leaves fewer positions than the length limit allows new tokens."""
    state: Any = None
    """The state of the document before a sentence of a stream model; None for other models."""


def sliding_window(
    context: Sequence[Pair], sentence: Sequence[int], length: LengthConfig, positions: int
) -> Window:
    """The window that ends at a sentence, with the translations of its context as forced prefix.

    The earliest sentences of the context are dropped until the window and a translation of likely
    length fit into the model's positions. A translation of the largest length may still not fit;
    then the window is cramped.
    """
    check_sentence(sentence, positions)
    allowed = min(length.max_tokens(len(sentence)), positions - 1)
    likely = min(allowed, LIKELY_RATIO * len(sentence) + LIKELY_EXTRA_TOKENS)
    context = list(context)
    while True:
        source = source_window([*(pair.source for pair in context), sentence])
        prefix = [BOS, *(token for pair in context for token in (*pair.target, SEP))]
        if not context or (len(source) <= positions and len(prefix) + likely <= positions):
            max_tokens = min(allowed, positions - len(prefix))
            min_tokens = min(length.min_tokens, max_tokens)
            return Window(source, prefix, min_tokens, max_tokens, cramped=max_tokens < allowed)
        del context[0]


def whole_window(
    sentences: Sequence[Sequence[int]], length: LengthConfig, positions: int
) -> Window:
    """A window whose sentences are all translated in one search, without a prefix."""
    separators = len(sentences) - 1
    source_tokens = sum(map(len, sentences))
    max_tokens = min(length.max_tokens(source_tokens) + separators, positions - 1)
    min_tokens = min(length.min_tokens * len(sentences) + separators, max_tokens)
    return Window(source_window(sentences), [BOS], min_tokens, max_tokens, separators)


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
