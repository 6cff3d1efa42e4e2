"""The paper's tokenizer: Moses or jieba, truecasing, joint BPE, one vocabulary per language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from longways.text.config import TextConfig
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.bpe import Bpe, learn_codes, undo_bpe
from longways.text.tokenizers.truecase import Truecaser, detruecase, openings
from longways.text.tokenizers.vocabulary import Vocabulary
from longways.text.tokenizers.words import Words, words_of
from longways.text.worker_processes import BATCH, spread

REPORT_EVERY = 50 * BATCH


@dataclass(frozen=True)
class MosesBpeTokenizer(Tokenizer):
    """The paper's tokenizer of one language. Languages without capitals have no truecaser."""

    language: str
    truecaser: Truecaser | None = field(repr=False)
    codes: str = field(repr=False)
    vocabulary: Vocabulary = field(repr=False)

    def __reduce__(self) -> tuple[type[MosesBpeTokenizer], tuple[object, ...]]:
        """Pickle only the learned parameters for worker processes, not the caches."""
        return MosesBpeTokenizer, (self.language, self.truecaser, self.codes, self.vocabulary)

    @cached_property
    def _words(self) -> Words:
        return words_of(self.language)

    @cached_property
    def _bpe(self) -> Bpe:
        return Bpe(self.codes, self.vocabulary)

    @property
    def size(self) -> int:
        """Vocabulary size, special tokens included."""
        return len(self.vocabulary)

    @cached_property
    def characters(self) -> frozenset[str]:
        """The characters of all subwords."""
        return frozenset({" ", *(c for entry in self.vocabulary.entries for c in entry)})

    def encode(self, sentences: list[str]) -> list[list[int]]:
        """The ids of each sentence; worker processes share a long list."""
        return [ids for batch in spread(self._encode_batch, sentences) for ids in batch]

    def _encode_batch(self, sentences: list[str]) -> list[list[int]]:
        return [self.vocabulary.ids(self._subwords(sentence)) for sentence in sentences]

    def _subwords(self, sentence: str) -> list[str]:
        words = self._words.split(sentence)
        return self._bpe.apply(self.truecaser.truecase(words) if self.truecaser else words)

    def decode(self, ids: list[list[int]]) -> list[str]:
        """Plain text again: subwords joined, sentences opened with a capital, words joined."""
        return [self._text(self.ordinary(row)) for row in ids]

    def _text(self, ids: list[int]) -> str:
        words = undo_bpe(self.vocabulary.entries[i] for i in ids)
        return self._words.join(detruecase(words) if self.truecaser else words)

    def normalise(self, sentence: str) -> str:
        """The sentence with punctuation or spaces normalised, before anything else is done."""
        return self._words.normalise(sentence)


@dataclass(frozen=True)
class WordCounts:
    """Word counts, separate for words that open a sentence."""

    opening: Counter[str] = field(default_factory=Counter)
    inner: Counter[str] = field(default_factory=Counter)

    def add(self, words: list[str], cased: bool) -> None:
        """Count the words of one line; without capitals none counts as opening."""
        for word, opens in openings(words):
            (self.opening if opens and cased else self.inner)[word] += 1

    def update(self, other: WordCounts) -> None:
        """Add the counts of another object."""
        self.opening.update(other.opening)
        self.inner.update(other.inner)

    def truecased(self, truecaser: Truecaser | None) -> Counter[str]:
        """The counts that the same text has after truecasing."""
        counts: Counter[str] = Counter()
        for words, opens in ((self.opening, True), (self.inner, False)):
            for word, count in words.items():
                counts[truecaser.word(word, opens) if truecaser else word] += count
        return counts


@dataclass(frozen=True)
class _CountPairs:
    """Counts the words of both languages in a batch of pairs."""

    languages: tuple[str, str]

    @cached_property
    def _words(self) -> tuple[Words, Words]:
        return words_of(self.languages[0]), words_of(self.languages[1])

    def __call__(self, pairs: list[tuple[str, str]]) -> tuple[WordCounts, WordCounts]:
        counts = WordCounts(), WordCounts()
        for pair in pairs:
            for sentence, words, side in zip(pair, self._words, counts, strict=True):
                side.add(words.split(sentence), words.cased)
        return counts


def learn_moses_bpe(
    config: TextConfig,
    languages: tuple[str, str],
    pairs: Iterator[tuple[str, str]],
    say: Callable[[str], None],
) -> tuple[MosesBpeTokenizer, MosesBpeTokenizer]:
    """Learn both tokenizers from one pass that counts words.

    Truecasing, merges and vocabularies depend on the text only through these counts.
    """
    counts = _count(languages, pairs, say)
    cased = [words_of(language).cased for language in languages]
    casers = [
        Truecaser.from_counts(c.inner) if has else None
        for c, has in zip(counts, cased, strict=True)
    ]
    words = [c.truecased(caser) for c, caser in zip(counts, casers, strict=True)]
    say(f"Learning {config.merges} merges from {len(words[0] | words[1])} different words.")
    codes = learn_codes(words[0] + words[1], config.merges)
    tokenizers = [
        MosesBpeTokenizer(language, caser, codes, _vocabulary(codes, side))
        for language, caser, side in zip(languages, casers, words, strict=True)
    ]
    say(f"The vocabularies have {tokenizers[0].size} and {tokenizers[1].size} entries.")
    return tokenizers[0], tokenizers[1]


def _count(
    languages: tuple[str, str], pairs: Iterator[tuple[str, str]], say: Callable[[str], None]
) -> tuple[WordCounts, WordCounts]:
    total = WordCounts(), WordCounts()
    for number, batch in enumerate(spread(_CountPairs(languages), pairs), 1):
        for side, counts in zip(total, batch, strict=True):
            side.update(counts)
        if number * BATCH % REPORT_EVERY == 0:
            say(f"Counted the words of {number * BATCH} pairs.")
    return total


def _vocabulary(codes: str, counts: Counter[str]) -> Vocabulary:
    bpe, subwords = Bpe(codes), Counter[str]()
    for word, count in counts.items():
        for subword in bpe.apply([word]):
            subwords[subword] += count
    return Vocabulary.from_counts(subwords)
