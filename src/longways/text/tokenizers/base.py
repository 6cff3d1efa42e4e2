"""Tokenizer interface: sentences of one language to token ids and back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from longways.errors import TextError
from longways.text.tokenizers.special_tokens import SPELLINGS, UNK


class Tokenizer(ABC):
    """Sentences of one language become ids of its vocabulary, and ids become sentences."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Vocabulary size, special tokens included."""

    @abstractmethod
    def encode(self, sentences: list[str]) -> list[list[int]]:
        """The ids of each sentence, without special tokens except UNK. Large batches are faster."""

    def encode_split(self, sentence: str, breaks: Iterable[int]) -> list[int]:
        """The ids of a sentence in which no token crosses a break, where the tokenizer can do so.

        A break is a place between two characters. The ids spell the same sentence.
        """
        return self.encode([sentence])[0]

    def ends(self, text: str, ids: list[int]) -> list[int]:
        """The place in an encoded text where each of its tokens ends.

        A token starts where the one before it ends, and may have no characters of its own.
        """
        prefixes = self.decode([ids[: count + 1] for count in range(len(ids))])
        return [min(len(prefix), len(text)) for prefix in prefixes]

    @abstractmethod
    def decode(self, ids: list[list[int]]) -> list[str]:
        """The text of each row of ids; special ids are dropped."""

    @abstractmethod
    def normalise(self, sentence: str) -> str:
        """The sentence with everything removed that this tokenizer does not distinguish."""

    @property
    @abstractmethod
    def characters(self) -> frozenset[str]:
        """The characters that have an entry in the vocabulary."""

    def unknown(self, ids: Iterable[int]) -> int:
        """Number of unknown tokens among the ids."""
        return sum(i == UNK for i in ids)

    def ordinary(self, ids: list[int]) -> list[int]:
        """The ids without special ids; raises `TextError` for an id outside the vocabulary."""
        if ids and (min(ids) < 0 or max(ids) >= self.size):
            wrong = next(i for i in ids if not 0 <= i < self.size)
            raise TextError(
                f"Id {wrong} is not in this vocabulary of {self.size} entries. "
                "The ids come from another pipeline."
            )
        return [i for i in ids if i >= len(SPELLINGS)]


def round_trip_share(tokenizer: Tokenizer, sentences: list[str]) -> float:
    """Share of sentences whose decoded ids equal the normalised sentence."""
    assert sentences, "a share of nothing is undefined"
    back = tokenizer.decode(tokenizer.encode(sentences))
    same = sum(b == tokenizer.normalise(s) for b, s in zip(back, sentences, strict=True))
    return same / len(sentences)
