"""Whole paragraphs in a translation memory, whose units may be longer than a sentence.

A paragraph is looked up before its sentences. If its translation has as many sentences, each takes
its own; otherwise the paragraph is taken as one segment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from longways.text.sentences.splitter import BLOCK, LINE_END, Segment, split_text
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.terminology.glossary import Span


def take_paragraphs(
    segments: Iterable[Segment], memory: TranslationMemory | None, language: str
) -> Iterator[Segment]:
    """The segments of a text; `language` is that of its translation."""
    if memory is None:
        yield from segments
        return
    line, length = list[Segment](), 0
    for segment in segments:
        line.append(segment)
        length += len(segment.text) + len(segment.after)
        if length > BLOCK or LINE_END.search(segment.after):
            yield from _take(line, memory, language)
            line, length = [], 0
    yield from _take(line, memory, language)


def _take(line: list[Segment], memory: TranslationMemory, language: str) -> list[Segment]:
    """The segments of one line, with their translations if the memory has all of it."""
    places = [place for place, segment in enumerate(line) if segment.text]
    if len(places) < 2 or any(segment.after.strip() for segment in line):
        return line
    whole = _joined(line[places[0] : places[-1] + 1])
    match = memory.find(whole.text, keep=whole.keep)
    if match is None:
        return line
    given = [one.text for one in split_text(match.target, language) if one.text]
    if len(given) != len(places) or not all(one.ends for one in line):
        taken = memory.give(whole, match, match.target)
        return [*line[: places[0]], taken, *line[places[-1] + 1 :]]
    for place, text in zip(places, given, strict=True):
        line[place] = memory.give(line[place], match, text)
    return line


def _joined(segments: Sequence[Segment]) -> Segment:
    """Segments as one."""
    text, keep = "", list[Span]()
    for segment in segments:
        keep += [(start + len(text), end + len(text)) for start, end in segment.keep]
        text += segment.text + segment.after
    after = segments[-1].after
    return Segment(text[: len(text) - len(after)], after, segments[-1].ends, tuple(keep))
