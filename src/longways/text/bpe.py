"""Byte pair encoding of words, by subword-nmt: codes learned jointly, applied side by side."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from longways.errors import TextError
from longways.text.package import load_package
from longways.text.vocabulary import Vocabulary

JOINER = "@@"
"""The end of a subword that another one of the same word follows."""

REMEMBERED = 500_000
"""Words whose subwords are kept at hand; beyond, memory would grow with the corpus."""


def learn_codes(counts: Mapping[str, int], merges: int) -> str:
    """The merges of the most frequent pairs, one a line, as subword-nmt writes them."""
    if not counts:
        raise TextError("There is no text to learn from: all sentences are empty.")
    if not any(len(word) > 1 for word in counts):
        raise TextError("There is nothing to merge in this text: all its words are one character.")
    codes = io.StringIO()
    lines = (f"{word} {counts[word]}" for word in sorted(counts))
    with contextlib.redirect_stderr(io.StringIO()):  # a progress bar, and news of stopping early
        load_package("subword_nmt.learn_bpe").learn_bpe(lines, codes, merges, is_dict=True)
    return codes.getvalue()


class Bpe:
    """Codes applied to words.

    With a vocabulary, a merge is undone where its result is not an entry, so that a subword known
    only from the other side becomes smaller known ones.
    """

    def __init__(self, codes: str, vocabulary: Vocabulary | None = None) -> None:
        self._codes, self._vocabulary = codes, vocabulary

    @cached_property
    def _bpe(self) -> Any:
        package = load_package("subword_nmt.apply_bpe")
        return package.BPE(io.StringIO(self._codes), separator=JOINER, vocab=self._vocabulary)

    def apply(self, words: list[str]) -> list[str]:
        """The subwords of the words, each but a word's last with `@@` at its end."""
        if len(self._bpe.cache) > REMEMBERED:
            self._bpe.cache.clear()
        subwords: list[str] = self._bpe.segment_tokens(words)
        return subwords


def undo_bpe(subwords: Iterable[str]) -> list[str]:
    """Words again; a joiner with nothing after it is dropped."""
    text = " ".join(subwords) + " "
    return text.replace(f"{JOINER} ", "").split()
