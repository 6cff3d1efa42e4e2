"""A translated passage as runs of plain text and of marked text, none of which is inside another.

Inline markup of reStructuredText does not nest. Where marks of a translation overlap, the inner one
is kept, and the outer one is around what is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from longways.formats.base import Mark, Passage
from longways.formats.rst.text.passages import Markup

PLAIN = -1
WORD = -2
"""Tags of text without a mark, and of markup that is a word."""


class Run(NamedTuple):
    """Text under a mark, or a standalone mark without text."""

    text: str
    tag: int = PLAIN


def runs(passage: Passage, markups: Mapping[int, Markup], words: Sequence[str]) -> list[Run]:
    """The runs of a passage in order; marked runs have no whitespace at their ends."""
    owners = _owners(passage, markups, words)
    alone = sorted(
        ((m.start, m.tag) for m in passage.marks if markups[m.tag].kind == "note"), reverse=True
    )
    found, place = list[Run](), 0
    for owner, group in groupby(owners):
        end = place + sum(1 for _ in group)
        while alone and alone[-1][0] < end:
            at, tag = alone.pop()
            at = place if owner != PLAIN else max(at, place)  # no note inside of other markup
            found += [Run(passage.text[place:at], owner)] if at > place else []
            found.append(Run("", tag))
            place = at
        found.append(Run(passage.text[place:end], owner))
        place = end
    found += [Run("", tag) for _, tag in reversed(alone)]
    return _tight(_complete(found, passage.marks, markups))


def _owners(passage: Passage, markups: Mapping[int, Markup], words: Sequence[str]) -> list[int]:
    """For each character the tag of the innermost mark around it."""
    owners = [PLAIN] * len(passage.text)
    for mark in passage.marks:
        if markups[mark.tag].kind != "note":
            owners[mark.start : mark.end] = [mark.tag] * (mark.end - mark.start)
    for start, end in found_words(passage.text, words):
        owners[start:end] = [WORD - (start + 1)] * (end - start)  # two words are two runs
    return owners


def found_words(text: str, words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The places of markup that is a word."""
    if words:
        longest = sorted(words, key=len, reverse=True)
        yield from (m.span() for m in re.finditer("|".join(map(re.escape, longest)), text))


def _complete(found: list[Run], marks: Iterable[Mark], markups: Mapping[int, Markup]) -> list[Run]:
    """Every mark once, but emphasis as often as it is left; a mark without text gets its own."""
    best: dict[int, int] = {}
    for at, run in enumerate(found):
        if run.tag >= 0 and (run.tag not in best or len(run.text) > len(found[best[run.tag]].text)):
            best[run.tag] = at
    often = [
        run
        if run.tag < 0 or best[run.tag] == at or markups[run.tag].kind in ("em", "strong")
        else Run(run.text)
        for at, run in enumerate(found)
    ]
    lost = [
        m.tag for m in marks if m.tag not in best and markups[m.tag].kind not in ("em", "strong")
    ]
    for tag in lost:
        often += [Run(" "), Run("", tag)]
    return often


def _tight(found: list[Run]) -> list[Run]:
    """Runs whose whitespace at the ends of marks is beside them."""
    tight = list[Run]()
    for run in found:
        bare = run.text.strip()
        if run.tag == PLAIN or bare == run.text:
            tight.append(run)
            continue
        lead = len(run.text) - len(run.text.lstrip())
        tight += [Run(run.text[:lead]), Run(bare, run.tag), Run(run.text[lead + len(bare) :])]
    return _merged(run for run in tight if run.text or run.tag >= 0)


def _merged(found: Iterable[Run]) -> list[Run]:
    """Runs with neighbours without a mark joined."""
    merged = list[Run]()
    for run in found:
        if run.tag == PLAIN and merged and merged[-1].tag == PLAIN:
            merged[-1] = Run(merged[-1].text + run.text)
        else:
            merged.append(run)
    return merged
