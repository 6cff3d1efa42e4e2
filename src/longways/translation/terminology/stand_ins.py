"""Stand-ins: the short names that a model reads and copies in place of kept parts.

A model copies `XA` far better than `{{+docx}}`, a formula or an emoji. Spans of a sentence go in
(`mask`); out come the text that the model reads, the constraints on its translation, and the way
back (`restore`). Kept parts without a word between them share one stand-in. A part of plain words
keeps its words, since they help the model; it gets a stand-in only when a translation lacks it, or
when one part is in another: `el-radio` would be found in `el-radio-group`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, count, islice, pairwise
from typing import NamedTuple

from longways.translation.terminology.glossary import Constraint, Span

Names = Callable[[], Iterator[str]]
"""An endless supply of names."""


def letter_names() -> Iterator[str]:
    """XA, XB, ... without real words: of 887 names in the dev split, 98.9% were copied once."""
    return (f"{first}{second}" for first in "XQZJ" for second in "ABCDEFGHKMNPQRTVW")


def numbered_names(first: str) -> Names:
    """V1, V2, ... for a given first letter."""
    return lambda: (f"{first}{number}" for number in count(1))


SCHEMES: tuple[Names, ...] = (
    letter_names,
    numbered_names("T"),
    numbered_names("V"),
    numbered_names("X"),
)
"""Names to try in turn until a translation has each of them once."""

MIN_LETTERS_OUTSIDE = 2
"""Letters beside kept parts that a translation cannot leave out."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+){0,3}")
"""Words that a model reads and copies as they are."""
_GLUE = re.compile(r"[ \t]*|[!-/:-@\[-`{-~]{1,3}")
"""What may stand between two kept parts with one stand-in."""
_BEFORE, _AFTER = re.compile(r"[A-Za-z0-9_]{1,20}\Z"), re.compile(r"[A-Za-z0-9_]{1,20}")


class KeptPart(NamedTuple):
    """Characters that a translation contains unchanged, and their name for the model."""

    text: str
    name: str
    """The stand-in, or the text itself."""
    span: Span
    """The place of the name in the text that the model reads."""
    source: Span
    """The place of the text in the sentence."""
    padding: int = 0
    """The number of spaces that are added after the name."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches the name as a whole word."""
        left = r"(?<![A-Za-z0-9])" if self.name[0].isalnum() else ""
        right = r"(?![A-Za-z0-9])" if self.name[-1].isalnum() else ""
        return re.compile(left + re.escape(self.name) + right)

    @property
    def is_plain(self) -> bool:
        """Whether the model reads the text itself."""
        return self.text == self.name


@dataclass(frozen=True)
class Masked:
    """A sentence as the model reads it."""

    text: str
    parts: tuple[KeptPart, ...] = ()

    @property
    def outside(self) -> str:
        """The text without its kept parts."""
        ends = [0, *(place for part in self.parts for place in part.span), len(self.text)]
        return " ".join(self.text[a:b] for a, b in zip(ends[::2], ends[1::2], strict=True))

    def restore(self, translation: str) -> str:
        """A text of the model with the kept parts in place of their stand-ins."""
        return self.rename(translation, {part.name: part.text for part in self.parts})

    def rename(self, translation: str, new: dict[str, str]) -> str:
        """A text of the model with other names for the kept parts."""
        if not self.parts:
            return translation
        pattern = "|".join(part.pattern.pattern for part in self.parts)
        return re.sub(pattern, lambda match: new[match[0]], translation)

    def damaged(self, translation: str) -> bool:
        """Whether a kept part is missing or too often there, or the words beside it are lost."""
        return self.lacks_words(translation) or any(
            found < wanted or (found > wanted and not (part.is_plain and part.name.islower()))
            for part, found, wanted in self._counts(translation)
        )

    def lacks_words(self, translation: str) -> bool:
        """Whether a translation has kept parts only, unlike its source."""
        if not self.parts or sum(map(str.isalpha, self.outside)) < MIN_LETTERS_OUTSIDE:
            return False
        kept = "|".join(f"{part.pattern.pattern}|{re.escape(part.text)}" for part in self.parts)
        return not any(map(str.isalnum, re.sub(kept, " ", translation)))

    def split_source(self, sentence: str, split: Sequence[str]) -> list[str]:
        """The sentence, split where the masked text is split, but never inside a kept part."""
        ends = dict.fromkeys(self._source_place(end) for end in accumulate(map(len, split)))
        return [sentence[a:b] for a, b in pairwise([0, *ends]) if a < b]

    def _source_place(self, place: int) -> int:
        """The place in the sentence for a place in the masked text."""
        start = source = 0
        for part in self.parts:
            if place <= part.span[0]:
                return min(source + max(0, place - start), part.source[0])
            if place <= part.span[1]:
                return part.source[1]
            start, source = part.span[1] + part.padding, part.source[1]
        return source + max(0, place - start)

    def constraints(self) -> list[Constraint]:
        """Constraints on a translation of the masked text: each name as often as in the text."""
        places: dict[str, list[Span]] = {}
        for part in self.parts:
            places.setdefault(part.name, []).append(part.span)
        patterns = {part.name: part.pattern for part in self.parts}
        return [
            Constraint(name, name, patterns[name], tuple(spans), len(spans), False)
            for name, spans in places.items()
        ]

    def _counts(self, translation: str) -> Iterator[tuple[KeptPart, int, int]]:
        """Each part with the number of times its name occurs, and the wanted number."""
        for part in {part.name: part for part in self.parts}.values():
            wanted = sum(other.name == part.name for other in self.parts)
            yield part, len(part.pattern.findall(translation)), wanted


def mask(
    sentence: str, keep: Iterable[Span], names: Names = letter_names, *, plain: bool = True
) -> Masked:
    """The sentence with stand-ins for these spans; without `plain` also for plain words.

    A stand-in has a space beside letters. Without enough names the text itself stays.
    """
    groups = _grouped(sentence, sorted(keep))
    nested = _nested({sentence[start:end] for start, end in groups})
    free = (name for name in islice(names(), 400) if name not in sentence)
    text, parts, place = "", list[KeptPart](), 0
    for start, end in groups:
        part, before = sentence[start:end], sentence[place:start]
        keeps_words = plain and part not in nested and _PLAIN.fullmatch(part)
        name = part if keeps_words else next(free, part)
        text += before + " " * (name != part and before[-1:].isalpha())
        padding = int(name != part and sentence[end : end + 1].isalpha())
        span = len(text), len(text) + len(name)
        parts.append(KeptPart(part, name, span, (start, end), padding))
        text += name + " " * padding
        place = end
    return Masked(text + sentence[place:], tuple(parts))


def _nested(parts: Collection[str]) -> set[str]:
    """The parts that are joined by a hyphen to other words in another part, and these others."""
    if not any("-" in part for part in parts):
        return set()
    pairs = ((a, b) for a in parts for b in parts if f"{a}-" in b or f"-{a}" in b)
    return {part for a, b in pairs if re.search(_whole_words(a), b) for part in (a, b)}


def _whole_words(part: str) -> str:
    return rf"(?<![A-Za-z0-9]){re.escape(part)}(?![A-Za-z0-9])"


def _grouped(sentence: str, spans: Sequence[Span]) -> list[Span]:
    """Spans that no word separates are joined; letters and digits that touch one belong to it."""
    groups: list[Span] = []
    for start, end in spans:
        before = _BEFORE.search(sentence, max(0, start - 20), start)
        start = before.start() if before else start
        if groups and (start <= groups[-1][1] or _GLUE.fullmatch(sentence, groups[-1][1], start)):
            start = groups.pop()[0]
        after = _AFTER.match(sentence, end)
        groups.append((start, after.end() if after else end))
    return groups
