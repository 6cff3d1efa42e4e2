"""What of a translation is used again for a source that has changed.

A passage that is in the old source too keeps its whole translation with its marks. In any other
passage, each sentence that was in the old source keeps its translation, wherever it was. All other
sentences are translated, with the kept ones as their context.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from longways.formats.base import Mark, Passage
from longways.translation.files.updates.diff import Origin, gaps, matches, origins
from longways.translation.files.updates.kept import KeptPassage, KeptSentence
from longways.translation.files.updates.kept_marks import KeptMarks
from longways.translation.markup.known import KnownPassage
from longways.translation.markup.passages import passage_segments

_MOST_CANDIDATES = 200
"""The most new sentences among which the new form of a sentence is looked for."""
_LIKE = 0.3
"""The least share of pairs of characters that it has in common with the old form."""


class Place(NamedTuple):
    """A sentence of a file."""

    passage: int
    sentence: int
    """Its number in the passage; sentences without text are not counted."""


@dataclass(frozen=True)
class Conflict:
    """A correction whose source sentence is there no more."""

    source: str
    """The sentence that was translated."""
    correction: str
    """What a person had made of its translation."""
    now: Place | None = None
    """The sentence that seems to have taken its place."""


@dataclass(frozen=True)
class Reuse:
    """The kept parts of a new translation, and the counts of its report."""

    known: Sequence[KnownPassage]
    """What is known of each new passage."""
    kept: int = 0
    """Sentences whose translation is used again."""
    corrected: int = 0
    """Kept sentences that a person has corrected."""
    moved: int = 0
    """Kept sentences that are at another place now."""
    new: int = 0
    """Sentences to translate."""
    gone: int = 0
    """Sentences of the old source that are not in the new one."""
    conflicts: list[Conflict] = field(default_factory=list)


def find_reuse(old: Sequence[KeptPassage], new: Sequence[Passage], language: str) -> Reuse:
    """What the new passages have of the old ones; `language` is that of the source."""
    keys = [_key(one.source) for one in old], [_key(passage) for passage in new]
    sentences = [
        [segment.text for segment in passage_segments(passage, language)[1] if segment.text]
        for passage in new
    ]
    found = [_settled(old, *one) for one in zip(origins(*keys), sentences, strict=True)]
    known = list[KnownPassage]()
    for passage, own, origin in zip(new, sentences, found, strict=True):
        known.append(_known(old[origin.old], passage, own) if origin else KnownPassage(own))
    return _Sentences(old, found, known, KeptMarks(old, new, language)).reuse()


class _Sentences:
    """The sentences of passages that are not known as a whole."""

    def __init__(
        self,
        old: Sequence[KeptPassage],
        found: Sequence[Origin | None],
        known: Sequence[KnownPassage],
        marks: KeptMarks,
    ) -> None:
        self.marks = marks
        self.old, self.known, self.found = old, list(known), found
        taken = {origin.old for origin in found if origin}
        self.before = [
            Place(i, k)
            for i, one in enumerate(old)
            if i not in taken
            for k in range(len(one.sentences))
        ]
        self.now = [
            Place(n, k)
            for n, one in enumerate(known)
            if found[n] is None
            for k in range(len(one.sources))
        ]

    def reuse(self) -> Reuse:
        """Fill in the kept sentences, and count."""
        before = [self._old(place) for place in self.before]
        texts = [one.source for one in before]
        new = [self.known[n].sources[k] for n, k in self.now]
        own, used = origins(texts, new), set[int]()
        elsewhere = {s.source: s for one in reversed(self.old) for s in reversed(one.sentences)}
        moved = corrected = 0
        for place, text, origin in zip(self.now, new, own, strict=True):
            sentence = before[origin.old] if origin else elsewhere.get(text)
            if sentence is None or not sentence.target:
                continue
            used |= {origin.old} if origin else set()
            moved += origin is not None and origin.kind == "moved"
            corrected += sentence.corrected
            self._keep(place, sentence)
            if origin:
                self._keep_marks(place, self.before[origin.old])
        gone = [number for number in range(len(before)) if number not in used]
        settled = [(o, self.old[o.old].sentences) for o in self.found if o is not None]
        kept = sum(text is not None for one in self.known for text in one.targets)
        return Reuse(
            self.known,
            kept,
            corrected + sum(s.corrected for _, own in settled for s in own),
            moved + sum(len(own) for origin, own in settled if origin.kind == "moved"),
            sum(text is None for one in self.known for text in one.targets),
            len(gone),
            list(self._conflicts(before, new, gone)),
        )

    def _old(self, place: Place) -> KeptSentence:
        return self.old[place.passage].sentences[place.sentence]

    def _keep(self, place: Place, sentence: KeptSentence) -> None:
        one = self.known[place.passage]
        one.targets[place.sentence] = sentence.target
        one.corrected[place.sentence] = sentence.corrected

    def _keep_marks(self, place: Place, old: Place) -> None:
        """Take over the marks of a kept sentence, if they are known."""
        marks = self.marks.find(*old, *place)
        if marks is not None:
            self.known[place.passage].marks[place.sentence] = marks

    def _conflicts(
        self, before: Sequence[KeptSentence], new: Sequence[str], gone: Sequence[int]
    ) -> Sequence[Conflict]:
        """The corrections of sentences that are gone, with the sentences in their places."""
        lost = list(self._once(before, gone))
        if not lost:
            return []
        texts = [sentence.source for sentence in before]
        stretch = {
            number: now
            for old, now in gaps(matches(texts, new), len(texts), len(new))
            for number in old
        }
        return [
            Conflict(
                *self._correction(before, number),
                self._likely(before[number].source, new, stretch.get(number, range(0))),
            )
            for number in lost
        ]

    def _once(self, before: Sequence[KeptSentence], gone: Sequence[int]) -> Iterator[int]:
        """The corrected sentences; where some were joined together, one of each passage."""
        seen = set[int]()
        for number in gone:
            passage = self.before[number].passage
            if before[number].corrected and (before[number].target or passage not in seen):
                seen |= set() if before[number].target else {passage}
                yield number

    def _correction(self, before: Sequence[KeptSentence], number: int) -> tuple[str, str]:
        """A source and its correction: the whole passage if its sentences have no own ones."""
        whole = self.old[self.before[number].passage]
        sentence = before[number]
        return sentence[:2] if sentence.target else (whole.source.text, whole.target.text)

    def _likely(self, text: str, new: Sequence[str], stretch: range) -> Place | None:
        """The new sentence in a stretch that is most like an old one."""
        own = _pairs(text)
        open_ones = [
            number
            for number in stretch[:_MOST_CANDIDATES]
            if self.known[self.now[number].passage].targets[self.now[number].sentence] is None
        ]
        likes = [(_likeness(own, _pairs(new[number])), -number) for number in open_ones]
        likeness, number = max(likes, default=(0.0, 0))
        return self.now[-number] if likeness >= _LIKE else None


def _pairs(text: str) -> Counter[str]:
    return Counter(text[place : place + 2] for place in range(max(1, len(text) - 1)))


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _key(passage: Passage) -> tuple[str, tuple[tuple[int, int], ...]]:
    return passage.text, tuple((mark.start, mark.end) for mark in passage.marks)


def _settled(
    old: Sequence[KeptPassage], origin: Origin | None, sources: Sequence[str]
) -> Origin | None:
    """The origin of a passage, unless it must be translated sentence by sentence."""
    if origin is None or old[origin.old].is_whole:
        return origin
    sentences = old[origin.old].sentences
    same = [one.source for one in sentences] == list(sources)
    return origin if same and all(one.target for one in sentences) else None


def _known(old: KeptPassage, new: Passage, sources: Sequence[str]) -> KnownPassage:
    """A passage with the translation of the same passage before."""
    tags = {a.tag: b.tag for a, b in zip(old.source.marks, new.marks, strict=True)}
    whole = replace(old.target, marks=_renamed(old.target.marks, tags)) if old.is_whole else None
    if [one.source for one in old.sentences] == list(sources):
        targets: list[str | None] = [one.target or old.target.text for one in old.sentences]
        return KnownPassage(sources, targets, [one.corrected for one in old.sentences], whole=whole)
    corrected = any(one.corrected for one in old.sentences)
    count = len(sources)
    return KnownPassage(sources, [old.target.text] * count, [corrected] * count, whole=whole)


def _renamed(marks: Sequence[Mark], tags: Mapping[int, int]) -> tuple[Mark, ...]:
    return tuple(replace(mark, tag=tags[mark.tag]) for mark in marks if mark.tag in tags)
