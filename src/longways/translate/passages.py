"""The passages of a file translated, each sentence with those before it in view, marks in place.

Context runs through the whole file: the sentences of all passages are one document. What must be
kept is in the translation, each part as it was, and every mark of a passage is in its translation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Unpack

from longways.text.sentences import split_text
from longways.translate.aligning import Aligner, find_kept
from longways.translate.flow import flowing
from longways.translate.formats.protocol import Mark, Passage
from longways.translate.joining import Joiner
from longways.translate.pieces import Piece
from longways.translate.placing import Span, place_marks
from longways.translate.telling import told
from longways.translate.translator import Options, Translator


def translate_passages(
    translator: Translator,
    passages: Sequence[Passage],
    advance: Callable[[Piece], None] = lambda _: None,
    **options: Unpack[Options],
) -> Iterator[Passage]:
    """Every passage as it is ready, in order. `advance` is called after each sentence."""
    flow = [flowing(passage, translator.source_language) for passage in passages]
    segments = [split_text(passage.text, translator.source_language) for passage in flow]
    pieces = told(translator.pieces([(s for p in segments for s in p)], **options), advance)
    aligner = Aligner(translator.runtime, translator.model.text)
    for given, passage in zip(passages, flow, strict=True):
        yield _translated(given, passage, pieces, aligner, translator.target_language)


class _Placed(NamedTuple):
    """A sentence of a passage and where its translation is."""

    source: Span
    target: Span
    marks: list[Mark]


def _translated(
    given: Passage, passage: Passage, pieces: Iterator[Piece], aligner: Aligner, language: str
) -> Passage:
    joiner, text, place, sentences = Joiner(language), "", 0, list[_Placed]()
    while place < len(passage.text):
        piece = next(pieces)
        source = place, place + len(piece.segment.text)
        place = source[1] + len(piece.segment.after)
        translation, marks = _sentence(piece, source, passage, aligner)
        text += joiner.add(piece.segment, translation)
        start = len(text) - len(translation)
        if piece.segment.text:
            sentences.append(_Placed(source, (start, len(text)), marks))
    if all(passage.text[a:b] == text[c:d] for (a, b), (c, d), _ in sentences):
        return given  # nothing in it could be translated
    return Passage(text, _whole_marks(passage, sentences))


def _sentence(
    piece: Piece, source: Span, passage: Passage, aligner: Aligner
) -> tuple[str, list[Mark]]:
    """A sentence's translation with all that is to be kept, and its marks in it."""
    if piece.score is None:
        return piece.translation, _inside(passage.marks, source)
    marks, keep = _inside(passage.marks, source), _parts(passage.keep, source)
    _, missing = find_kept(piece.segment.text, piece.translation, keep)
    if not marks and not missing:
        return piece.translation, []
    aligned = aligner.align(piece.segment.text, piece.translation, keep)
    return aligned.translation, place_marks(marks, aligned)


def _inside(marks: Sequence[Mark], span: Span) -> list[Mark]:
    """What of the marks is in a sentence, counted from its beginning."""
    start, end = span
    touching = [
        mark
        for mark in marks
        if (mark.start < end and start < mark.end)
        or (mark.start == mark.end and start <= mark.start < end)
    ]
    return [Mark(max(m.start - start, 0), min(m.end, end) - start, m.tag) for m in touching]


def _parts(keep: Sequence[Span], span: Span) -> list[Span]:
    start, end = span
    return [(a - start, b - start) for a, b in keep if start <= a and b <= end]


def _whole_marks(passage: Passage, sentences: list[_Placed]) -> tuple[Mark, ...]:
    """The marks of all sentences together: one that goes over several is whole again."""
    spans: dict[int, list[Span]] = {mark.tag: [] for mark in passage.marks}
    for sentence in sentences:
        for mark in sentence.marks:
            offset = sentence.target[0]
            spans[mark.tag].append((mark.start + offset, mark.end + offset))
    found = [Mark(*_around(spans[m.tag], m, sentences), m.tag) for m in passage.marks]
    return _nested(found)


def _around(spans: list[Span], mark: Mark, sentences: list[_Placed]) -> Span:
    if spans:
        return min(start for start, _ in spans), max(end for _, end in spans)
    behind = [s.target[1] for s in sentences if s.source[1] <= mark.start]
    place = behind[-1] if behind else 0
    return place, place


def _nested(marks: Sequence[Mark]) -> tuple[Mark, ...]:
    """In the order in which they begin; one that would end behind its outer one ends with it."""
    found, opened = list[Mark](), list[Mark]()
    for mark in sorted(marks, key=lambda m: (m.start, -m.end)):
        while opened and opened[-1].end <= mark.start:
            opened.pop()
        end = min(mark.end, opened[-1].end) if opened else mark.end
        found.append(Mark(mark.start, end, mark.tag))
        opened += [found[-1]] if mark.start < end else []
    return tuple(found)
