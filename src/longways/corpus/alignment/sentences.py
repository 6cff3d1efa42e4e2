"""The sentence pairs of a text and its translation.

Both are split into sentences, which are aligned by length and anchors. Sentences that a translator
has joined or divided become one pair.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from longways.corpus.alignment.lengths import joined, length_ratio, match_cost, measured
from longways.corpus.alignment.search import best_beads
from longways.text.sentences.languages import has_spaces
from longways.text.sentences.splitter import split_text

_SPACES = re.compile(r"[ \t\r\n\x0b\x0c\x1c-\x1f\x85\u2028\u2029]+")
_PARAGRAPH = re.compile(r"\n[ \t]*(?:\r?\n[ \t]*)+")


class AlignedText(NamedTuple):
    """A run of sentences and its translation; one side is empty where it has no counterpart."""

    source: str
    target: str

    @property
    def is_pair(self) -> bool:
        """Whether both sides have text."""
        return bool(self.source and self.target)


def aligned_sentences(
    source: str, target: str, languages: tuple[str, str], ratio: float | None = None
) -> list[AlignedText]:
    """The sentences of two texts with their counterparts, in order.

    `ratio` is the length of translations by the length of their sources, if the two texts are parts
    of longer ones.
    """
    sides = [
        sentences_of(text, code) for text, code in zip((source, target), languages, strict=True)
    ]
    if len(sides[0]) == len(sides[1]) == 1:
        return [AlignedText(sides[0][0], sides[1][0])]
    sizes = [[measured(sentence) for sentence in side] for side in sides]
    ratio = length_ratio(*sizes) if ratio is None else ratio

    def cost(i: int, j: int, k: int, last: int) -> float:
        return match_cost(joined(sizes[0][i:j]), joined(sizes[1][k:last]), ratio)

    beads = best_beads(len(sides[0]), len(sides[1]), cost)
    return [
        AlignedText(
            join(sides[0][slice(*bead.source)], languages[0]),
            join(sides[1][slice(*bead.target)], languages[1]),
        )
        for bead in beads
    ]


def sentence_pairs(source: str, target: str, languages: tuple[str, str]) -> list[AlignedText]:
    """The sentence pairs of a unit that a person has translated: nothing of it is left out.

    Where a sentence has no counterpart, the unit stays whole.
    """
    found = aligned_sentences(source, target, languages)
    if all(pair.is_pair for pair in found):
        return found
    return [AlignedText(one_line(source, languages[0]), one_line(target, languages[1]))]


def sentences_of(text: str, language: str) -> list[str]:
    """The sentences of a text; a line end in it is a space, a blank line ends a sentence."""
    return [sentence for part in _PARAGRAPH.split(text) for sentence in _split(part, language)]


def _split(text: str, language: str) -> Iterator[str]:
    waiting = list[str]()
    for segment in split_text(one_line(text, language), language):
        waiting += [segment.text] if segment.text else []
        if segment.ends and waiting:
            yield join(waiting, language)
            waiting = []
    if waiting:
        yield join(waiting, language)


def join(sentences: list[str], language: str) -> str:
    """Sentences as one text, with a space between them where the language writes one."""
    return (" " if has_spaces(language) else "").join(sentences)


def one_line(text: str, language: str) -> str:
    """A text on one line; between Chinese or Japanese characters a line end is no space."""
    if not has_spaces(language):
        lines = _SPACES.sub(_space, text)
        return lines.strip()
    return _SPACES.sub(" ", text).strip()


def _space(match: re.Match[str]) -> str:
    """What a run of whitespace is in a text without spaces between words."""
    if "\n" not in match[0] and "\r" not in match[0]:
        return " "
    text, start, end = match.string, match.start(), match.end()
    around = text[max(0, start - 1) : start] + text[end : end + 1]
    return "" if len(around) == 2 and min(around) > "\u2e80" else " "
