"""A set of 64-bit hashes in 16 to 32 bytes for each, a quarter of the memory of a Python set."""

from __future__ import annotations

from array import array
from hashlib import blake2b

_EMPTY = 0
MIN_PLACES = 1024


def text_hash(texts: list[str]) -> int:
    """A hash of a list of texts that is the same in every process; never 0."""
    digest = blake2b(digest_size=8)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return int.from_bytes(digest.digest(), "big") or 1


class HashSet:
    """Hashes that were added, with linear probing."""

    def __init__(self) -> None:
        self._places, self._count = array("Q", bytes(8 * MIN_PLACES)), 0

    def add(self, value: int) -> bool:
        """Add a hash; whether it is new."""
        if 2 * self._count >= len(self._places):
            self._grow()
        place = self._place(value)
        if self._places[place] == value:
            return False
        self._places[place] = value
        self._count += 1
        return True

    def _place(self, value: int) -> int:
        """The place of a hash, or the empty one where it belongs."""
        mask = len(self._places) - 1
        place = value & mask
        while self._places[place] not in (_EMPTY, value):
            place = (place + 1) & mask
        return place

    def _grow(self) -> None:
        before = self._places
        self._places = array("Q", bytes(16 * len(before)))
        for value in before:
            if value != _EMPTY:
                self._places[self._place(value)] = value

    def __len__(self) -> int:
        return self._count
