"""One language of a text pipeline: what every kind of pipeline can do with its sentences."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from longways.errors import TextError
from longways.text.special import SPELLINGS, UNK


class Side(ABC):
    """Sentences of one language become ids of its vocabulary, and ids become sentences."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Entries of the vocabulary, special ones included."""

    @abstractmethod
    def encode(self, sentences: list[str]) -> list[list[int]]:
        """The ids of each sentence, without any special token but UNK. Give many at once."""

    @abstractmethod
    def decode(self, ids: list[list[int]]) -> list[str]:
        """Plain text again; special ids are dropped."""

    @abstractmethod
    def normalise(self, sentence: str) -> str:
        """The sentence with everything removed that this side does not tell apart."""

    def unknown(self, ids: Iterable[int]) -> int:
        """How many of the ids stand for something the vocabulary lacks."""
        return sum(i == UNK for i in ids)

    def ordinary(self, ids: list[int]) -> list[int]:
        """The ids without special ones; one that the vocabulary lacks is an error."""
        if ids and (min(ids) < 0 or max(ids) >= self.size):
            wrong = next(i for i in ids if not 0 <= i < self.size)
            raise TextError(
                f"Id {wrong} is not in this vocabulary of {self.size} entries. "
                "The ids come from another pipeline."
            )
        return [i for i in ids if i >= len(SPELLINGS)]


def round_trip_share(side: Side, sentences: list[str]) -> float:
    """The share of sentences that come back from ids as `normalise` has them."""
    assert sentences, "a share of nothing is undefined"
    back = side.decode(side.encode(sentences))
    same = sum(b == side.normalise(s) for b, s in zip(back, sentences, strict=True))
    return same / len(sentences)
