"""The marks of a kept sentence in a passage that has changed: where they were in its translation.

They are taken over if the sentence has the same marks in both sources, and all of them were inside
its translation. Otherwise they are placed anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longways.formats.base import Mark, Passage
from longways.text.sentences.joiner import one_line
from longways.translation.files.updates.kept import KeptPassage
from longways.translation.markup.passages import marks_inside, passage_segments
from longways.translation.terminology.glossary import Span


class KeptMarks:
    """Finds the marks of sentences; what it finds of a passage is computed once."""

    def __init__(self, old: Sequence[KeptPassage], new: Sequence[Passage], language: str) -> None:
        """`language` is that of the sources."""
        self.old, self.new, self.language = old, new, language
        self.old_sources: dict[int, list[list[Mark]]] = {}
        self.new_sources: dict[int, list[list[Mark]]] = {}
        self.targets: dict[int, list[Span | None]] = {}

    def find(self, passage: int, sentence: int, new: int, place: int) -> tuple[Mark, ...] | None:
        """The marks of a sentence of an old passage in a new one; None if they are not known."""
        one = self.old[passage]
        if not one.is_whole or not (one.source.marks or self.new[new].marks):
            return None
        before = self._inside(self.old_sources, passage, one.source)
        now = self._inside(self.new_sources, new, self.new[new])
        span = self._spans(passage)[sentence]
        if span is None or sentence >= len(before) or place >= len(now):
            return None
        tags = _same(before[sentence], now[place])
        return None if tags is None else _taken(one.target, span, tags)

    def _inside(
        self, known: dict[int, list[list[Mark]]], number: int, passage: Passage
    ) -> list[list[Mark]]:
        """The marks of each sentence of a source."""
        if number not in known:
            known[number] = list(_sentence_marks(passage, self.language))
        return known[number]

    def _spans(self, number: int) -> list[Span | None]:
        """The place of each sentence in the translation of an old passage."""
        if number not in self.targets:
            self.targets[number] = list(_places(self.old[number]))
        return self.targets[number]


def _sentence_marks(passage: Passage, language: str) -> Iterator[list[Mark]]:
    flow, segments = passage_segments(passage, language)
    place = 0
    for segment in segments:
        end = place + len(segment.text)
        if segment.text:
            yield marks_inside(flow, (place, end))
        place = end + len(segment.after)


def _places(passage: KeptPassage) -> Iterator[Span | None]:
    end = 0
    for sentence in passage.sentences:
        start = passage.target.text.find(sentence.target, end) if sentence.target else -1
        if start < 0 or one_line(sentence.target) != sentence.target:
            yield None
            continue
        end = start + len(sentence.target)
        yield start, end


def _same(before: Sequence[Mark], now: Sequence[Mark]) -> dict[int, int] | None:
    """The new tags by the old ones, if a sentence has the same marks; None if it has not."""
    spans = [[(mark.start, mark.end) for mark in marks] for marks in (before, now)]
    if spans[0] != spans[1]:
        return None
    return {a.tag: b.tag for a, b in zip(before, now, strict=True)}


def _taken(target: Passage, span: Span, tags: dict[int, int]) -> tuple[Mark, ...] | None:
    """The marks with these tags inside a span, with their new tags; None if one is missing."""
    start, end = span
    found = [mark for mark in target.marks if mark.tag in tags]
    if len(found) != len(tags) or any(m.start < start or m.end > end for m in found):
        return None
    return tuple(
        replace(m, start=m.start - start, end=m.end - start, tag=tags[m.tag]) for m in found
    )
