"""Byte pair encoding by subword-nmt: joint codes for both languages."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from longways.errors import TextError
from longways.text.optional_import import import_optional
from longways.text.tokenizers.vocabulary import Vocabulary

JOINER = "@@"
"""Suffix of a subword that is not the last one of its word."""

CACHE_MAX_WORDS = 500_000
"""Words in the cache of subwords; a larger cache is cleared."""


def learn_codes(counts: Mapping[str, int], merges: int) -> str:
    """The merges of the most frequent pairs, one per line, as subword-nmt writes them."""
    if not counts:
        raise TextError("There is no text to learn from: all sentences are empty.")
    if not any(len(word) > 1 for word in counts):
        raise TextError("There is nothing to merge in this text: all its words are one character.")
    codes = io.StringIO()
    lines = (f"{word} {counts[word]}" for word in sorted(counts))
    with contextlib.redirect_stderr(io.StringIO()):  # hides the progress bar
        import_optional("subword_nmt.learn_bpe").learn_bpe(lines, codes, merges, is_dict=True)
    return codes.getvalue()


class Bpe:
    """Applies BPE codes to words.

    With a vocabulary, a merge is undone where its result is not an entry, so that a subword
    of the other language is split into known subwords.
    """

    def __init__(self, codes: str, vocabulary: Vocabulary | None = None) -> None:
        self._codes, self._vocabulary = codes, vocabulary

    @cached_property
    def _bpe(self) -> Any:
        package = import_optional("subword_nmt.apply_bpe")
        return package.BPE(io.StringIO(self._codes), separator=JOINER, vocab=self._vocabulary)

    def apply(self, words: list[str]) -> list[str]:
        """The subwords of the words, each but a word's last with `@@` at its end."""
        if len(self._bpe.cache) > CACHE_MAX_WORDS:
            self._bpe.cache.clear()
        subwords: list[str] = self._bpe.segment_tokens(words)
        return subwords


def undo_bpe(subwords: Iterable[str]) -> list[str]:
    """Join subwords into words; a final joiner is dropped."""
    text = " ".join(subwords) + " "
    return text.replace(f"{JOINER} ", "").split()
