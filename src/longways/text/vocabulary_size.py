"""The vocabulary size for a corpus: many entries only where each is seen often enough.

A vocabulary that is too large for its corpus holds whole sentences: the model learns them by heart,
and other text falls apart into subwords that were rarely seen. The number of useful subwords grows
with the square root of the text, as the number of different words does (Heaps' law).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from longways.text.config import TextConfig

ENTRIES_PER_ROOT = 4
"""Entries for each square root of a character: 2,500 for 400,000 characters."""

ENTRIES_PER_CHARACTER = 2
"""At least this many entries for each different character, or there would be no longer ones."""

RESERVED = 261
"""Special tokens and bytes."""

MULTIPLE = 8
"""Sizes are multiples of this, which suits matmuls."""


def vocabulary_size(config: TextConfig, sentences: Iterable[str]) -> int:
    """The size that the settings name, or the size chosen for these sentences.

    The sentences are read until the largest size is reached, and not at all if a size is named.
    """
    if config.vocabulary is not None:
        return config.vocabulary
    counts, characters = Counter[str](), 0
    enough = (config.max_vocabulary / ENTRIES_PER_ROOT) ** 2
    for sentence in sentences:
        counts.update(sentence)
        characters += len(sentence)
        if characters >= enough:
            break
    least = RESERVED + ENTRIES_PER_CHARACTER * covering(counts, config.character_coverage)
    wanted = max(ENTRIES_PER_ROOT * math.isqrt(characters), least)
    return min(-(-wanted // MULTIPLE) * MULTIPLE, config.max_vocabulary)


def covering(counts: Counter[str], share: float) -> int:
    """The number of most frequent characters that make up this share of a text."""
    wanted, seen = share * counts.total(), 0
    for number, (_, count) in enumerate(counts.most_common(), 1):
        seen += count
        if seen >= wanted:
            return number
    return len(counts)
