"""Vocabulary: subwords and their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from longways.text.tokenizers.special_tokens import SPELLINGS, UNK


@dataclass(frozen=True)
class Vocabulary:
    """Subwords in the order of their ids, special tokens first."""

    entries: tuple[str, ...]

    @classmethod
    def from_counts(cls, counts: Mapping[str, int]) -> Vocabulary:
        """Every subword, the most frequent first; ties are alphabetical."""
        subwords = (word for word in counts if word not in SPELLINGS)
        return cls(SPELLINGS + tuple(sorted(subwords, key=lambda word: (-counts[word], word))))

    @classmethod
    def from_bytes(cls, content: bytes) -> Vocabulary:
        """Read one entry per line."""
        return cls(tuple(content.decode().rstrip("\n").split("\n")))

    def to_bytes(self) -> bytes:
        """One entry per line; the id is the line's number, counted from 0."""
        return "".join(f"{entry}\n" for entry in self.entries).encode()

    @cached_property
    def _ids(self) -> dict[str, int]:
        ordinary = enumerate(self.entries[len(SPELLINGS) :], len(SPELLINGS))
        return {entry: i for i, entry in ordinary}  # text that spells a special token is only text

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, subword: str) -> bool:
        return subword in self._ids

    def ids(self, subwords: Iterable[str]) -> list[int]:
        """The id of each subword, UNK for an unknown subword."""
        return [self._ids.get(subword, UNK) for subword in subwords]
