"""An index of pairs of characters, by which sentences like a given one are found.

Built once for N sentences in a few array operations; a lookup reads only the sentences that share a
rare pair with the query, not all N.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from longways.translation.memory.similarity import MAX_CHARACTERS, folded

_PLANES = 1 << 21
"""More than the largest code point."""


class GramIndex:
    """Sentences by the pairs of characters in them."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self.sentences = list(dict.fromkeys(sentences))
        text = [folded(sentence[:MAX_CHARACTERS]) for sentence in self.sentences]
        self.lengths = np.array([len(one) for one in text], np.int64)
        grams, owners = _sorted(*_grams(text, self.lengths))
        first = np.flatnonzero(np.diff(grams, prepend=-1))
        self.grams = grams[first]
        self.starts = np.append(first, len(grams))
        self.owners = owners.astype(np.int32)

    def like(self, sentence: str, least: int, most: int) -> list[str]:
        """At most `most` sentences that may score `least` or more, the likeliest first.

        An edit changes at most two pairs. So every sentence that is near enough has one of the
        rarest pairs of the query, if these are more than the edits can change.
        """
        text = folded(sentence[:MAX_CHARACTERS])
        edits = len(text) * (100 - least) // least + 1
        lists = self._owners_of(text)
        found = lists[: 2 * edits + 1]
        if not found:
            return []
        numbers, counts = np.unique(np.concatenate(found), return_counts=True)
        lengths = self.lengths[numbers]
        near = np.abs(lengths - len(text)) * 100 <= np.maximum(lengths, len(text)) * (100 - least)
        numbers, counts = numbers[near], counts[near]
        gap = np.abs(self.lengths[numbers] - len(text))
        best = np.lexsort((numbers, gap, -counts))[:most]
        return [self.sentences[number] for number in numbers[best].tolist()]

    def _owners_of(self, text: str) -> list[NDArray[np.int32]]:
        """The sentences with each pair of a text, the rarest pair first."""
        wanted = np.unique(_grams([text], np.array([len(text)]))[0])
        places = np.searchsorted(self.grams, wanted)
        inside = places < len(self.grams)
        known = np.zeros(len(wanted), bool)
        known[inside] = self.grams[places[inside]] == wanted[inside]
        lists = [self.owners[self.starts[p] : self.starts[p + 1]] for p in places[known].tolist()]
        unknown = [np.zeros(0, np.int32)] * int((~known).sum())
        return [*unknown, *sorted(lists, key=len)]


def _grams(
    text: list[str], lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of each sentence, and the number of the sentence of each.

    A sentence of one character has a pair with itself.
    """
    points = np.frombuffer("".join(text).encode("utf-32-le", "surrogatepass"), "<u4").astype(int)
    owners = np.repeat(np.arange(len(text)), lengths)
    inside = owners[1:] == owners[:-1]
    pairs = points[:-1][inside] * _PLANES + points[1:][inside]
    alone = np.flatnonzero(lengths == 1)
    single = points[(np.cumsum(lengths) - 1)[alone]]
    grams = np.concatenate([pairs, single * _PLANES + single])
    return grams, np.concatenate([owners[1:][inside], alone])


def _sorted(
    grams: NDArray[np.int64], owners: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs in order, each once for each sentence."""
    order = np.lexsort((owners, grams))
    grams, owners = grams[order], owners[order]
    new = np.ones(len(grams), bool)
    new[1:] = (np.diff(grams) != 0) | (np.diff(owners) != 0)
    return grams[new], owners[new]
