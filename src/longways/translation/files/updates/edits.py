"""Edits: what a person has changed in a translation since it was written.

Three texts are compared: the translation as it was made, as it read once it was written, and as it
is now. A passage that reads differently now was corrected. The correction is kept as text with the
marks of the passage; where a person has added or removed marks, these are placed again. What is in
no passage (code, addresses, paragraphs of the person) is noticed: with the old words in its
passages, the file would be what was written.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from longways.formats.base import FormattedDocument, Mark, Passage
from longways.text.sentences.joiner import one_line
from longways.translation.files.updates.diff import gaps, matches
from longways.translation.files.updates.kept import Kept, KeptPassage, KeptSentence
from longways.translation.markup.passages import unwrap

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|\w+|\s+|.", re.DOTALL)
_LIKE = 0.4
"""The least share of words that an edited passage has in common with the written one."""
_MOST_COMPARED = 2_000
"""The most pairs of passages between two equal ones that are compared word by word."""


@dataclass(frozen=True)
class Edits:
    """The passages of a translation with the corrections of people."""

    passages: Sequence[KeptPassage]
    corrected: int = 0
    """The number of passages that were changed."""
    added: tuple[str, ...] = ()
    """Texts of a person in places that the translation did not have."""
    removed: tuple[str, ...] = ()
    """Texts of the translation that a person has taken out."""
    elsewhere: bool = False
    """Whether anything else was changed: code, addresses, markup, layout."""

    @property
    def is_all_kept(self) -> bool:
        """Whether a new translation can have all changes of the person."""
        return not (self.added or self.removed or self.elsewhere)


def find_edits(kept: Kept, now: FormattedDocument, language: str) -> Edits:
    """The edits in a translation that reads as `now`; `language` is the language of its text."""
    written, current = kept.read_again, now.passages
    old = [_flat(passage, language) for passage in written]
    new = [_flat(passage, language) for passage in current]
    of_passage = {j: i for i, j in _written_places(kept.passages, old, language)}
    same = matches([_shape(one) for one in old], [_shape(one) for one in new])
    pairs = [pair for gap in gaps(same, len(old), len(new)) for pair in _alike(old, new, *gap)]
    passages, lost = list(kept.passages), False
    undone = list(current)
    for j, k in pairs:
        place = of_passage.get(j)
        lost |= place is None or len(written[j].marks) != len(current[k].marks)
        if place is not None:
            undone[k] = _undone(current[k], written[j], passages[place].target)
            passages[place] = _corrected(passages[place], old[j], new[k], language)
    found = {j for j, _ in (*same, *pairs)}, {k for _, k in (*same, *pairs)}
    added = tuple(new[k].text for k in range(len(new)) if k not in found[1])
    removed = tuple(old[j].text for j in range(len(old)) if j not in found[0])
    if not (lost or added or removed):
        lost = _hash(now.write(undone, language)) != kept.head.output
    return Edits(passages, len(pairs), added, removed, lost)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _flat(passage: Passage, language: str) -> Passage:
    """A passage on one line: that a person has wrapped it otherwise changes nothing."""
    return unwrap(passage, language)


def _shape(passage: Passage) -> tuple[str, tuple[tuple[int, int], ...]]:
    return passage.text, tuple((mark.start, mark.end) for mark in passage.marks)


def _written_places(
    passages: Sequence[KeptPassage], written: Sequence[Passage], language: str
) -> Iterator[tuple[int, int]]:
    """Each translated passage with its place in the written file, where it has one."""
    targets = [unwrap(one.target, language) for one in passages]
    texts = [spaced(one.text) for one in targets], [spaced(one.text) for one in written]
    same = matches(*texts)
    others = (
        pair for gap in gaps(same, *map(len, texts)) for pair in _alike(targets, written, *gap)
    )
    yield from same
    yield from others


def spaced(text: str) -> str:
    """A text with single spaces: a file may read without the others."""
    return " ".join(text.split())


def _undone(current: Passage, written: Passage, target: Passage) -> Passage:
    """A passage with the text and the marks that were written, before a person has changed it."""
    tags = sorted(mark.tag for mark in current.marks)
    if len(tags) != len(written.marks):
        return current
    order = {mark.tag: n for n, mark in enumerate(sorted(written.marks, key=lambda m: m.tag))}
    made = target if _mark_the_same(target, written) else written
    pairs = zip(made.marks, written.marks, strict=True)
    marks = tuple(replace(mark, tag=tags[order[there.tag]]) for mark, there in pairs)
    return replace(current, text=made.text, marks=marks)


def _mark_the_same(target: Passage, written: Passage) -> bool:
    """Whether the marks of a written passage are the ones of its translation.

    They may not be: where most of a passage is bold, the rest may be what is marked.
    """
    enclosed = [
        [spaced(one.text[mark.start : mark.end]) for mark in one.marks] for one in (target, written)
    ]
    return enclosed[0] == enclosed[1]


def _alike(
    old: Sequence[Passage], new: Sequence[Passage], before: range, now: range
) -> Iterator[tuple[int, int]]:
    """The passages of a stretch that are corrections of one another."""
    if len(before) == len(now):
        yield from zip(before, now, strict=True)
        return
    if len(before) * len(now) > _MOST_COMPARED:
        return
    place = now.start
    words = {k: Counter(_words(new[k].text)) for k in now}
    for j in before:
        own = Counter(_words(old[j].text))
        likes = [(_likeness(own, words[k]), -k) for k in range(place, now.stop)]
        best, k = max(likes, default=(0.0, 0))
        if best >= _LIKE:
            yield j, -k
            place = -k + 1


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if not word.isspace()]


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def _corrected(before: KeptPassage, old: Passage, new: Passage, language: str) -> KeptPassage:
    """A passage with the text that a person has given it."""
    is_whole = len(old.marks) == len(new.marks) and _mark_the_same(before.target, old)
    marks = with_tags(before.target.marks, old, new) if is_whole else before.target.marks
    base = unwrap(before.target, language).text
    sentences = tuple(_corrected_sentences(before.sentences, base, new.text))
    if not any(one.corrected for one in sentences):  # what is between them has changed
        sentences = tuple(one._replace(corrected=True) for one in sentences)
    target = Passage(new.text, marks)
    return KeptPassage(before.source, target, sentences, is_whole)


def with_tags(own: Sequence[Mark], old: Passage, new: Passage) -> tuple[Mark, ...]:
    """The marks of a corrected passage with the tags of its source.

    Marks are known again by the text that they enclose, if no other encloses it; the rest are in
    the order in which the file has them.
    """
    pairs = sorted(zip(old.marks, own, strict=True), key=lambda pair: pair[0].tag)
    written = {mine.tag: old.text[mark.start : mark.end] for mark, mine in pairs}
    current = {m.tag: new.text[m.start : m.end] for m in sorted(new.marks, key=lambda m: m.tag)}
    known, unique = _once(written), _once(current)
    tags = {unique[text]: known[text] for text in unique if text in known}
    taken = set(tags.values())
    rest = iter(tag for tag in written if tag not in taken)
    tags |= {tag: next(rest) for tag in current if tag not in tags}
    return tuple(replace(mark, tag=tags[mark.tag]) for mark in new.marks)


def _once(texts: Mapping[int, str]) -> dict[str, int]:
    """The tags of the texts that only one mark encloses."""
    counts = Counter(texts.values())
    return {text: tag for tag, text in texts.items() if text and counts[text] == 1}


def _corrected_sentences(
    sentences: Sequence[KeptSentence], before: str, now: str
) -> Iterator[KeptSentence]:
    """The sentences of a passage as they are in its corrected text.

    One whose ends are not found there has no translation of its own any more.
    """
    places = _Places(before, now)
    end = 0
    for sentence in sentences:
        start = before.find(sentence.target, end)
        if start < 0 or not sentence.target:
            yield sentence._replace(target="", corrected=True)
            continue
        end = start + len(sentence.target)
        text = places.between(start, end)
        if text is not None and spaced(text) == spaced(sentence.target):
            yield sentence
        else:
            yield sentence._replace(target=one_line(text or ""), corrected=True)


class _Places:
    """Places in a text that was changed, found by the words that stayed."""

    def __init__(self, before: str, now: str) -> None:
        old, new = _WORD.findall(before), _WORD.findall(now)
        ends = _ends(old), _ends(new)
        self.now, self.size = now, (len(before), len(now))
        self.starts: Mapping[int, int] = {}
        self.stops: Mapping[int, int] = {}
        same = matches(old, new)
        self.starts = {ends[0][i] - len(old[i]): ends[1][j] - len(new[j]) for i, j in same}
        self.stops = {ends[0][i]: ends[1][j] for i, j in same}

    def between(self, start: int, end: int) -> str | None:
        """The changed text for a stretch of the old one; None if its ends are not known."""
        first = 0 if start == 0 else self.starts.get(start, self.stops.get(start))
        last = self.size[1] if end == self.size[0] else self.stops.get(end, self.starts.get(end))
        if first is None or last is None or last < first:
            return None
        return self.now[first:last].strip()


def _ends(words: Sequence[str]) -> list[int]:
    ends, place = list[int](), 0
    for word in words:
        place += len(word)
        ends.append(place)
    return ends
