"""Chinese words by jieba, and text again.

Chinese is written without spaces, so `join` puts one only between two letters or digits of other
scripts. `split` never divides such a run, hence `join(split(s)) == normalise(s)` for every s.
"""

from __future__ import annotations

import functools
import logging
import re
import tempfile
from itertools import pairwise
from typing import Any

from longways.text.package import load_package

_SPACED = re.compile(
    r"[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


@functools.cache
def _jieba() -> Any:
    """A segmenter with its dictionary loaded.

    jieba caches the dictionary under a fixed name in the shared temporary folder and trusts
    whatever lies there. A folder of our own, gone after loading, keeps strangers' files out.
    """
    package = load_package("jieba")
    package.setLogLevel(logging.ERROR)
    segmenter = package.Tokenizer()
    with tempfile.TemporaryDirectory(prefix="longways-jieba-") as folder:
        segmenter.tmp_dir = folder
        segmenter.initialize()
    return segmenter


class Chinese:
    """Words of Chinese text, in which words of other scripts may stand."""

    cased = False

    def split(self, sentence: str) -> list[str]:
        """jieba's words, punctuation marks, and words of other scripts."""
        words: list[str] = []
        for run in sentence.split():
            words += _whole_words(_jieba().cut(run))
        return words

    def join(self, words: list[str]) -> str:
        """Words put together, with a space between two that other scripts would keep apart."""
        text = words[:1]
        for before, word in pairwise(words):
            text.append(f" {word}" if _needs_space(before, word) else word)
        return "".join(text)

    def normalise(self, sentence: str) -> str:
        """The sentence without the spaces that `join` would not write."""
        return self.join(sentence.split())


def _whole_words(pieces: Any) -> list[str]:
    """jieba's pieces, with words of scripts it does not know (café, Привет) put together again."""
    words: list[str] = []
    for piece in pieces:
        if words and _needs_space(words[-1], piece):
            words[-1] += piece
        else:
            words.append(piece)
    return words


def _needs_space(before: str, after: str) -> bool:
    return bool(_SPACED.match(before[-1]) and _SPACED.match(after[0]))
