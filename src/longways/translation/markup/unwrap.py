"""Soft line breaks of a passage are removed before translation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from longways.formats.base import Mark, Passage
from longways.text.sentences.joiner import has_spaces
from longways.text.sentences.splitter import LINE_END, Segment
from longways.translation.terminology.glossary import Span, spans_inside

_BREAK = re.compile(rf"[ \t]*(?:{LINE_END.pattern})[ \t]*")


def unwrap(passage: Passage, language: str) -> Passage:
    """The passage on one line, with its marks and placeholders.

    A line break becomes a space; in a language without spaces it is removed.
    """
    if not LINE_END.search(passage.text):
        return passage
    text, places = _joined(passage.text, not has_spaces(language))
    marks = tuple(Mark(places[m.start], places[m.end], m.tag) for m in passage.marks)
    return Passage(text, marks, tuple((places[a], places[b]) for a, b in passage.keep))


def keep_whole(segments: Iterable[Segment], keep: Sequence[Span]) -> Iterator[Segment]:
    """Segments with their placeholders; segments are joined where one would cut a placeholder."""
    start, open_one = 0, Segment("", "")
    for segment in segments:
        text = open_one.text + open_one.after + segment.text
        open_one, end = Segment(text, segment.after, segment.ends), start + len(text)
        if not any(a < end < b for a, b in keep):
            yield open_one._replace(keep=tuple(spans_inside(keep, (start, end))))
            start, open_one = end + len(segment.after), Segment("", "")


def _joined(text: str, spaceless: bool) -> tuple[str, list[int]]:
    """The text on one line, and the new place of each old character."""
    parts, places, start, length = list[str](), list[int](), 0, 0
    for gap in _BREAK.finditer(text):
        places += range(length, length + gap.start() - start)
        length += gap.start() - start
        around = text[gap.start() - 1 : gap.start()] + text[gap.end() : gap.end() + 1]
        between = "" if spaceless and around and not around.isascii() else " "
        parts += [text[start : gap.start()], between]
        places += [length] * (gap.end() - gap.start())
        length += len(between)
        start = gap.end()
    places += range(length, length + len(text) - start + 1)
    return "".join([*parts, text[start:]]), places
