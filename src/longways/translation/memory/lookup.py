"""A translation memory of one or several files, in which sentences are looked up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from longways.text.sentences.joiner import one_line
from longways.text.sentences.splitter import Segment
from longways.translation.markup.alignment import find_kept
from longways.translation.memory.gram_index import GramIndex
from longways.translation.memory.similarity import score
from longways.translation.memory.store import Store
from longways.translation.memory.units import Match, Unit
from longways.translation.terminology.glossary import Span

MIN_FUZZY_SCORE = 75
"""The lowest score of a fuzzy match, as in most translators' tools."""
FUZZY_CANDIDATES = 20
"""The most sentences that are compared with one."""


class TranslationMemory:
    """Files in the order in which they are asked; new translations go to one of them."""

    def __init__(
        self, stores: Sequence[Store], written: Store | None = None, identity: str = ""
    ) -> None:
        """`identity` stays the same while a store grows, and differs between other memories."""
        self.stores, self.written, self.identity = stores, written, identity
        self._of_paragraphs = dict[tuple[str, str], Match]()

    def find(self, text: str, before: str = "", keep: Sequence[Span] = ()) -> Match | None:
        """An exact match whose translation has all kept parts of the text.

        `before` is the sentence before it. The first file that has a match counts.
        """

        def fits(target: str) -> bool:
            return not find_kept(text, target, keep)[1]

        for store in self.stores:
            if match := store.find(text, before, fits):
                return match._replace(target=one_line(match.target))
        return None

    def like(self, text: str) -> Match | None:
        """The best fuzzy match."""
        candidates = self._index.like(text, MIN_FUZZY_SCORE, FUZZY_CANDIDATES)
        scored = [(min(score(text, one), 99), one) for one in candidates]
        best = max(scored, key=lambda pair: pair[0], default=(0, ""))
        if best[0] < MIN_FUZZY_SCORE:
            return None
        found = (store.find(best[1], None, lambda _: True) for store in self.stores)
        match = next(filter(None, found))
        target = one_line(match.target)
        return match._replace(kind="fuzzy", score=best[0], target=target, has_conflict=False)

    def give(self, segment: Segment, paragraph: Match, given: str) -> Segment:
        """A sentence of a paragraph that was found, with its own part of the translation."""
        match = paragraph._replace(source=segment.text, target=given)
        self._of_paragraphs[segment.text, given] = match
        return segment._replace(given=given)

    def taken(self, segment: Segment) -> Match | None:
        """The match of a sentence in a paragraph; None if its translation is from elsewhere."""
        return self._of_paragraphs.pop((segment.text, segment.given or ""), None)

    def begin(self, job: str, *, resumed: bool) -> None:
        """See the units that were there when this job began, however the file grows."""
        self.__dict__.pop("_index", None)
        for store in self._files:
            store.begin(job, resumed=resumed)

    def end(self, job: str) -> None:
        """Forget a finished job."""
        for store in self._files:
            store.end(job)

    def add(self, units: Iterable[Unit]) -> None:
        """Store new units for later jobs; this one does not see them."""
        if self.written:
            self.written.add(units)

    @property
    def _files(self) -> list[Store]:
        """The stores that may grow."""
        return [store for store in self.stores if store.path]

    @cached_property
    def _index(self) -> GramIndex:
        """Built for the first sentence without an exact match."""
        return GramIndex(source for store in self.stores for source in store.sources())
