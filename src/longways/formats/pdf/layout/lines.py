"""The lines of a column: words on one baseline, and the text that they make."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from longways.formats.pdf.pages.characters import is_unspaced, is_wide
from longways.formats.pdf.pages.words import Word

_BASELINE_SHIFT = 0.5
"""How far words of a line may be from its baseline, in units of their size: raised and lowered."""
_SPACE_GAP, _WIDE_SPACE_GAP = 0.15, 0.7
"""The narrowest space in units of the size; between wide characters."""
_CODE_SHARE, _WIDE_IN_CODE = 0.8, 0.3
"""The smallest share of code in a line of code, and the largest share of Chinese in it."""
_COMMENT = re.compile(r"#|//|/\*|\*|%|--|;|<!--|REM\b")
_RAISED, _SMALLER = 0.15, 0.88
"""A raised word is this far above the baseline and this much smaller, in units of the size."""


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one style."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False
    raised: bool = False
    """Whether it is small and above the line."""
    link: str = ""
    note: str = ""
    """The label of the footnote to which it points."""

    def looks_like(self, other: Run) -> bool:
        """Whether two runs differ in nothing but their text."""
        return (
            self.bold == other.bold
            and self.italic == other.italic
            and self.code == other.code
            and self.raised == other.raised
            and self.link == other.link
            and self.note == other.note
        )


@dataclass(frozen=True)
class Line:
    """Words on one baseline, from left to right."""

    words: Sequence[Word]
    base: float

    @cached_property
    def left(self) -> float:
        """Where its first word begins."""
        return self.words[0].left

    @cached_property
    def right(self) -> float:
        """Where its last word ends."""
        return max(word.right for word in self.words)

    @cached_property
    def size(self) -> float:
        """The size of most of its characters."""
        return main_size(self.words)

    @cached_property
    def text(self) -> str:
        """Its text with spaces."""
        return "".join(space_between(*pair) + pair[1].text for pair in _pairs(self.words))

    def runs(self) -> Iterator[Run]:
        """Its text by style."""
        size = self.size
        for before, word in _pairs(self.words):
            style = word.style
            raised = style.size < _SMALLER * size and word.base < self.base - _RAISED * size
            space = space_between(before, word)
            if space:
                yield Run(space)
            yield Run(word.text, style.bold, style.italic, style.code, raised, word.link)

    def share(self, kind: str) -> float:
        """The share of its characters whose style is of a kind."""
        total = sum(len(word.text) for word in self.words)
        return sum(len(word.text) for word in self.words if getattr(word.style, kind)) / total

    @cached_property
    def heading(self) -> int:
        """The level that the tags of the document give it; 0 if they do not."""
        levels = {word.heading for word in self.words}
        return levels.pop() if len(levels) == 1 else 0

    @cached_property
    def is_code(self) -> bool:
        """Whether it is a line of code; comments in it may be Chinese."""
        wide = sum(is_wide(sign) for word in self.words for sign in word.text)
        narrow = sum(len(word.text) for word in self.words) - wide
        code = sum(
            sum(not is_wide(sign) for sign in word.text) for word in self.words if word.style.code
        )
        if not narrow or code < _CODE_SHARE * narrow or not self.words[0].style.code:
            return False
        return wide <= _WIDE_IN_CODE * code or bool(_COMMENT.match(self.words[0].text))


def main_size(words: Iterable[Word]) -> float:
    """The size of most characters."""
    counts: dict[float, int] = {}
    for word in words:
        size = word.style.size
        counts[size] = counts.get(size, 0) + len(word.text)
    return max(counts, key=lambda size: counts[size])


def read_lines(words: Iterable[Word]) -> list[Line]:
    """The lines of one column, from top to bottom."""
    groups = list[list[Word]]()
    base = size = 0.0
    for word in sorted(words, key=lambda word: (word.base, word.left)):
        if groups and word.base - base <= _BASELINE_SHIFT * max(size, word.size):
            groups[-1].append(word)
            if word.size >= size:
                base, size = word.base, word.size
        else:
            groups.append([word])
            base, size = word.base, word.size
    return [_line(group) for group in groups]


def _line(words: list[Word]) -> Line:
    words.sort(key=lambda word: (word.left, word.place))
    size = main_size(words)
    bases = Counter(round(word.base, 1) for word in words if word.size >= 0.9 * size)
    return Line(words, bases.most_common(1)[0][0])


def _pairs(words: Sequence[Word]) -> Iterator[tuple[Word | None, Word]]:
    return zip([None, *words], words, strict=False)


def space_between(before: Word | None, word: Word) -> str:
    """The space between two words of a line."""
    if before is None:
        return ""
    gap, size = word.left - before.right, min(before.size, word.size)
    if is_unspaced(before.text[-1]) and is_unspaced(word.text[0]):
        return " " if gap > _WIDE_SPACE_GAP * size else ""
    if word.place == before.place + 1 and gap < size:
        return " " if word.spaced else ""
    return " " if gap > _SPACE_GAP * size else ""
