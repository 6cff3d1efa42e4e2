"""The words of a text by which terms are found, and the stems that count as one translation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from longways.errors import ConfigError
from longways.text.optional_import import import_optional
from longways.text.tokenizers.words import words_of

Split = Callable[[str], list[str]]
"""The stems of a sentence's words, in order."""

COMMON_SHARE, COMMON_SENTENCES = 0.05, 20
"""A word in more than this share of the sentences and in more than 20 sentences is no term."""

UNSEGMENTED = ("ja", "th", "lo", "km", "my")
"""Languages written without spaces for which there is no segmenter here."""

_SNOWBALL = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "fi": "finnish", "fr": "french", "hi": "hindi", "hu": "hungarian",
    "it": "italian", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip


def split_stems(language: str) -> Split:
    """A function that splits a sentence into stems: jieba or Moses, then Snowball if it can."""
    base = language.lower().replace("_", "-").split("-")[0]
    if base in UNSEGMENTED:
        raise ConfigError(
            f"Terms cannot be found in {language}, which is written without spaces. Leave out "
            "--terms."
        )
    words, stem = words_of(base), _stemmer(base)
    return lambda sentence: [stem(word.lower()) for word in words.split(sentence)]


def _stemmer(language: str) -> Callable[[str], str]:
    if language not in _SNOWBALL:
        return lambda word: word
    stemmer = import_optional("snowballstemmer").stemmer(_SNOWBALL[language])

    @lru_cache(maxsize=100_000)
    def stem(word: str) -> str:
        return str(stemmer.stemWord(word))

    return stem


def is_content(word: str) -> bool:
    """Whether a word can be a term: two letters or more, and in Latin script at least three."""
    letters = sum(map(str.isalpha, word))
    return letters == len(word) and letters >= (3 if word.isascii() else 2)


def common_words(sentences: Sequence[Sequence[str]]) -> set[str]:
    """The most frequent words, which are mostly function words and never terms."""
    counts: dict[str, int] = {}
    for sentence in sentences:
        for word in set(sentence):
            counts[word] = counts.get(word, 0) + 1
    most = max(COMMON_SENTENCES, COMMON_SHARE * len(sentences))
    return {word for word, count in counts.items() if count > most}
