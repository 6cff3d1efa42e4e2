"""Chinese word segmentation by jieba, and its inverse.

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

from longways.text.optional_import import import_optional

_SPACED = re.compile(
    r"[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]"
)


@functools.cache
def _jieba() -> Any:
    """A segmenter with its dictionary loaded.

    jieba caches the dictionary under a fixed name in the shared temporary folder and trusts
    whatever lies there. A private folder, deleted after loading, keeps foreign files out.
    """
    package = import_optional("jieba")
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
        """Join words, with a space between two words of scripts that use spaces."""
        text = words[:1]
        for before, word in pairwise(words):
            text.append(f" {word}" if _needs_space(before, word) else word)
        return "".join(text)

    def normalise(self, sentence: str) -> str:
        """The sentence without the spaces that `join` would not write."""
        return self.join(sentence.split())


def _whole_words(chunks: Any) -> list[str]:
    """jieba's chunks, with words of other scripts (café, Привет) joined again."""
    words: list[str] = []
    for chunk in chunks:
        if words and _needs_space(words[-1], chunk):
            words[-1] += chunk
        else:
            words.append(chunk)
    return words


def _needs_space(before: str, after: str) -> bool:
    return bool(_SPACED.match(before[-1]) and _SPACED.match(after[0]))
