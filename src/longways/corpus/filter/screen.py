"""The filter step: documents without the pairs that it drops, and the count of each reason.

A corpus is read several times, first to learn subwords. The decisions of the first time are stored
in a byte for each pair and used again, so the filter step costs its time once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from longways.corpus.document import Document
from longways.corpus.filter.config import FilterConfig
from longways.corpus.filter.hashes import HashSet, text_hash
from longways.corpus.filter.pairs import REASONS, reason
from longways.corpus.gaps import between_gaps

_KEPT, _REPEATED, _SEEN = (
    REASONS.index(name) for name in ("kept", "repeated pair", "repeated document")
)


class Screen:
    """The filter of one split of a corpus."""

    def __init__(self, config: FilterConfig, languages: tuple[str, str]) -> None:
        self._config, self._languages = config, languages
        self._decisions, self._is_whole = bytearray(), False
        """A number of `REASONS` for each pair; whether all of them are there."""

    def filtered(self, documents: Iterable[Document], dropped: Counter[str]) -> Iterator[Document]:
        """The documents without dropped pairs; `dropped` gets the counts of the reasons.

        A pair that repeats the one before it leaves its document whole. Where other pairs are
        dropped, see `longways.corpus.gaps`.
        """
        if not self._is_whole:
            self._decisions.clear()
        seen, start = HashSet(), 0
        for document in documents:
            end = start + len(document)
            if not self._is_whole:
                self._decisions += self._decide(document, seen)
            decisions = self._decisions[start:end]
            counts = Counter(decisions)
            dropped.update({REASONS[n]: count for n, count in counts.items() if n != _KEPT})
            yield from _kept(document, decisions)
            start = end
        self._is_whole = True

    def _decide(self, document: Document, seen: HashSet) -> bytes:
        """The decision about each pair of a document."""
        pairs = list(zip(document.source, document.target, strict=True))
        if self._config.duplicates and not seen.add(
            text_hash([*document.source, *document.target])
        ):
            return bytes([_SEEN]) * len(pairs)
        decisions = bytearray()
        for number, pair in enumerate(pairs):
            if self._config.duplicates and number and pair == pairs[number - 1]:
                decisions.append(_REPEATED)
            else:
                decisions.append(REASONS.index(reason(*pair, self._languages, self._config)))
        return bytes(decisions)


def _kept(document: Document, decisions: bytearray) -> Iterator[Document]:
    if not any(decisions):
        yield document
        return
    pairs = zip(document.source, document.target, decisions, strict=True)
    kept = (
        (source, target) if decision == _KEPT else None
        for source, target, decision in pairs
        if decision != _REPEATED
    )
    yield from between_gaps(document.name, kept)
