"""Tag projection: marks of the source sentence are placed around the aligned target words.

T target words, N source characters.

Each mark is placed by itself. A mark whose text stands in the translation encloses that text, of
several occurrences the one with the highest attention to its source. Any other mark encloses the
run of free target words with the highest attention to its source, never punctuation alone; if no
word attends enough, the nearest content word. An empty mark stands after the word that is aligned
with the character before it. Marks stay nested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from longways.formats.base import Mark
from longways.translation.terminology.glossary import Span

MIN_ATTENTION_SHARE = 0.15
"""A mark is placed by alignment only if some word gives its source at least this attention."""

RUN_RELATIVE_SHARE, RUN_SHARE = 0.7, 0.4
"""A word joins a run if its attention is at least 0.7 of the highest, or 0.4: with good alignment
heads a word gives nearly all of its attention to one place."""

FUNCTION_WORD = re.compile(
    "a|an|the|of|to|in|on|for|with|by|at|and|or|is|are|be|as|its|this|that|from|your", re.IGNORECASE
)
"""Words that an alignment often adds at either end of a run."""
ARTICLE = re.compile("an?|the", re.IGNORECASE)
"""Words without a source in a language without articles; no mark is for one alone."""
SHORT_RUN_WORDS = 2
"""Function words at the ends of a run with no more content words than this are removed. In longer
runs they mostly belong to the mark: for example, in a cloud."""


_PUNCTUATION = " \t\n.,:;!?。，：；！？"  # noqa: RUF001 - full-width signs are meant


@dataclass(frozen=True)
class Aligned:
    """A sentence, its translation, and the alignment of target words with source characters."""

    source: str
    translation: str
    words: tuple[Span, ...]
    """The spans of the target words, disjoint and in order."""
    shares: NDArray[np.float64]  # (T, N)  rows sum to 1 or 0


@dataclass(frozen=True)
class _Node:
    """A mark with the marks directly inside it."""

    mark: Mark
    inner: list[_Node] = field(default_factory=list)


def place_marks(marks: Sequence[Mark], aligned: Aligned) -> list[Mark]:
    """Project the marks of a sentence onto its translation; outer marks come before inner ones."""
    return _place_all(_forest(marks), aligned, (0, len(aligned.translation)))


def place_verbatim(marks: Sequence[Mark], source: str, translation: str) -> list[Mark] | None:
    """Project marks without alignment, where the text of every mark occurs once in both texts.

    A mark around the whole sentence, or at one of its ends, also needs no alignment. Returns None
    if any mark needs alignment.
    """
    placed = list[Mark]()
    for mark in marks:
        span = _verbatim(mark, source, translation)
        if span is None:
            return None
        placed.append(Mark(*span, mark.tag))
    return placed


def _verbatim(mark: Mark, source: str, translation: str) -> Span | None:
    part = source[mark.start : mark.end]
    if part == source:
        return 0, len(translation)
    if not part:
        ends = {0: 0, len(source): len(translation)}
        return (ends[mark.start],) * 2 if mark.start in ends else None
    places = [m.span() for m in re.finditer(rf"(?<!\w){re.escape(part)}(?!\w)", translation)]
    return places[0] if source.count(part) == len(places) == 1 else None


def best_run(
    aligned: Aligned, start: int, end: int, free: NDArray[np.bool_] | None = None
) -> Span | None:
    """The run of words with the highest attention to a span of source characters; None if low.

    `RUN_RELATIVE_SHARE` and `RUN_SHARE` decide which words belong to the run. It has only words
    that are `free` (T), all by default.
    """
    free = np.ones(len(aligned.words), bool) if free is None else free
    shares = aligned.shares[:, start:end].sum(1) * free
    most = shares.max(initial=0)
    if most < MIN_ATTENTION_SHARE:
        return None
    gains = np.where(free, shares - min(most * RUN_RELATIVE_SHARE, RUN_SHARE), -np.inf)
    best, total, begun, found = 0.0, 0.0, 0, None
    for place, gain in enumerate(gains.tolist()):
        if total <= 0:
            begun, total = place, 0.0
        total += gain
        if total > best:
            best, found = total, (begun, place + 1)
    return found


def content_run(aligned: Aligned, run: Span) -> Span:
    """The first and last word of a run, without punctuation and function words at its ends."""
    first, last = run[0], run[1] - 1
    words = [aligned.translation[a:b] for a, b in aligned.words]
    while first < last and not _is_content(words[first]):
        first += 1
    while first < last and not _is_content(words[last]):
        last -= 1
    return first, last


def word_before(aligned: Aligned, place: int) -> int | None:
    """The word with the highest attention to the character before a place.

    Without attention the word is chosen by relative position. None at the beginning of the
    sentence, and for a translation without words.
    """
    if place == 0 or not aligned.words:
        return None
    column = aligned.shares[:, place - 1]
    if column.any():
        return int(column.argmax())
    return min(len(aligned.words) - 1, len(aligned.words) * place // len(aligned.source))


def _forest(marks: Sequence[Mark]) -> list[_Node]:
    roots, opened = list[_Node](), list[_Node]()
    for mark in marks:
        while opened and not _encloses(opened[-1].mark, mark):
            opened.pop()
        node = _Node(mark)
        (opened[-1].inner if opened else roots).append(node)
        opened.append(node)
    return roots


def _encloses(outer: Mark, inner: Mark) -> bool:
    return outer.start < outer.end and outer.start <= inner.start and inner.end <= outer.end


def _place_all(nodes: list[_Node], aligned: Aligned, inside: Span) -> list[Mark]:
    """Place sibling marks without overlap; a mark of the whole sentence encloses its siblings."""
    for whole in nodes:
        if _is_whole(whole.mark, aligned) or not _content(aligned, inside):
            inner = [*whole.inner, *(node for node in nodes if node is not whole)]
            return [Mark(*inside, whole.mark.tag), *_place_all(inner, aligned, inside)]
    placed, free = list[Mark](), inside[0]
    for span, node in sorted(_siblings(nodes, aligned, inside), key=lambda pair: pair[0]):
        start = max(span[0], free)
        end = free = max(span[1], start)
        placed.append(Mark(start, end, node.mark.tag))
        placed += _place_all(node.inner, aligned, (start, end))
    return placed


def _siblings(
    nodes: Sequence[_Node], aligned: Aligned, inside: Span
) -> Iterator[tuple[Span, _Node]]:
    """The target spans of sibling marks: first verbatim ones, then by attention to free words."""
    taken, rest = list[Span](), list[_Node]()
    for node in nodes:
        if node.mark.start == node.mark.end:
            point = min(max(_point(node.mark.start, aligned), inside[0]), inside[1])
            yield (point, point), node
        elif found := _occurrence(node.mark, aligned, inside, taken):
            taken.append(found)
            yield found, node
        else:
            rest.append(node)
    for node in sorted(rest, key=lambda one: -_trust(one.mark, aligned)):
        found = _by_attention(node.mark, aligned, inside, taken)
        taken.append(found)
        yield found, node


def _is_whole(mark: Mark, aligned: Aligned) -> bool:
    return mark.start < mark.end and (mark.start, mark.end) == (0, len(aligned.source))


def _content(aligned: Aligned, inside: Span, taken: Sequence[Span] = ()) -> list[int]:
    """The numbers of the words inside a span and outside of others, without signs and articles."""
    return [
        number
        for number, (start, end) in enumerate(aligned.words)
        if inside[0] <= start
        and end <= inside[1]
        and all(end <= a or b <= start for a, b in taken)
        and any(map(str.isalnum, aligned.translation[start:end]))
        and not ARTICLE.fullmatch(aligned.translation, start, end)
    ]


def _occurrence(mark: Mark, aligned: Aligned, inside: Span, taken: Sequence[Span]) -> Span | None:
    """The free occurrence of a mark's text with the highest attention to the mark."""
    part = aligned.source[mark.start : mark.end].strip()
    free = [
        (start, end)
        for start, end in _occurrences(part, aligned, inside)
        if all(end <= a or b <= start for a, b in taken)
    ]
    return max(free, key=lambda span: _attention(mark, aligned, span), default=None)


def _occurrences(part: str, aligned: Aligned, inside: Span) -> Iterator[Span]:
    """The occurrences of a text as words; a text of signs, such as `{}`, is one word."""
    if any(map(str.isalnum, part)):
        pattern = re.compile(rf"(?<![A-Za-z0-9]){re.escape(part)}(?![A-Za-z0-9])")
        yield from (match.span() for match in pattern.finditer(aligned.translation, *inside))
        return
    for start, end in aligned.words:
        if inside[0] <= start and end <= inside[1] and aligned.translation[start:end] == part:
            yield start, end


def _attention(mark: Mark, aligned: Aligned, span: Span) -> float:
    """The attention of the words that overlap a target span to a mark."""
    words = [n for n, (a, b) in enumerate(aligned.words) if a < span[1] and span[0] < b]
    return float(aligned.shares[words, mark.start : mark.end].sum())


def _trust(mark: Mark, aligned: Aligned) -> float:
    return float(aligned.shares[:, mark.start : mark.end].sum(1).max(initial=0))


def _by_attention(mark: Mark, aligned: Aligned, inside: Span, taken: Sequence[Span]) -> Span:
    """The best run of free words of a mark, or its nearest content word."""
    free = _content(aligned, inside, taken)
    if not free:
        return inside[1], inside[1]
    allowed = np.zeros(len(aligned.words), bool)
    for number, (start, end) in enumerate(aligned.words):
        clear = all(end <= a or b <= start for a, b in taken)
        allowed[number] = clear and inside[0] <= start and end <= inside[1]
    run = best_run(aligned, mark.start, mark.end, allowed)
    if run is not None:
        first, last = _trimmed(aligned, run, mark)
        if any(first <= number <= last for number in free):
            return aligned.words[first][0], aligned.words[last][1]
    return aligned.words[_nearest(mark, aligned, free)]


def _nearest(mark: Mark, aligned: Aligned, free: Sequence[int]) -> int:
    """The free content word with the highest attention to a mark, or else at its relative place."""
    words = [aligned.translation[slice(*aligned.words[number])] for number in free]
    free = [n for n, word in zip(free, words, strict=True) if _is_content(word)] or free
    shares = aligned.shares[free, mark.start : mark.end].sum(1)
    if shares.any():
        return free[int(shares.argmax())]
    place = (mark.start + mark.end) / 2 / len(aligned.source) * len(aligned.words)
    return min(free, key=lambda number: abs(number + 0.5 - place))


def _trimmed(aligned: Aligned, run: Span, mark: Mark) -> Span:
    """The first and last word of a run, without punctuation and function words at its ends.

    Punctuation stays that the mark itself has there.
    """
    first, last = run[0], run[1] - 1
    enclosed = aligned.source[mark.start : mark.end]
    words = [aligned.translation[a:b] for a, b in aligned.words]
    is_short = sum(map(_is_content, words[run[0] : run[1]])) <= SHORT_RUN_WORDS

    def is_loose(number: int, edge: str) -> bool:
        if not words[number][0].isalnum():
            return edge.isalnum()
        return is_short and not _is_content(words[number])

    while first < last and is_loose(last, enclosed[-1:]):
        last -= 1
    while first < last and is_loose(first, enclosed[:1]):
        first += 1
    return first, last


def _is_content(word: str) -> bool:
    return word[0].isalnum() and not FUNCTION_WORD.fullmatch(word)


def _point(place: int, aligned: Aligned) -> int:
    """The place of an empty mark; at the ends of a sentence it stays there.

    Before the last punctuation of the source it is before that of the translation, since the word
    before it may stand elsewhere: the number of replicas[1].
    """
    if place == len(aligned.source):
        return len(aligned.translation)
    if place and not aligned.source[place:].strip(_PUNCTUATION):
        return len(aligned.translation.rstrip(_PUNCTUATION))
    word = word_before(aligned, place)
    return 0 if word is None else aligned.words[word][1]
