"""Word tokenization by language: Moses or jieba."""

from __future__ import annotations

from typing import Protocol

from longways.text.tokenizers.jieba import Chinese
from longways.text.tokenizers.moses import Moses


class Words(Protocol):
    """Word tokenizer of one language."""

    cased: bool
    """Whether the language has capitals, so that truecasing means something."""

    def split(self, sentence: str) -> list[str]:
        """The words and punctuation marks of a sentence; none of them holds a space."""

    def join(self, words: list[str]) -> str:
        """Plain text; the inverse of `split` as far as the language's rules allow."""

    def normalise(self, sentence: str) -> str:
        """The sentence with everything removed that `split` does not distinguish."""


def words_of(language: str) -> Words:
    """jieba for Chinese, Moses with the language's own rules for every other."""
    return (
        Chinese() if language.lower().replace("_", "-").split("-")[0] == "zh" else Moses(language)
    )
