"""Pages of a folder before and after somebody has worked on them, in four formats.

A page is a list of paragraphs, and a paragraph a list of sentences. How a sentence is written
depends on the sentence alone: one that has only moved is the same text in the file.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks.files.generated import WRITERS, sentences

Paragraph = tuple[str, ...]

PARAGRAPHS = 10
"""Paragraphs of a page before it is edited."""
_CHANGED, _ADDED = "请立即", 2


class Page(NamedTuple):
    """A page before and after the edits."""

    before: list[Paragraph]
    after: list[Paragraph]
    new: int
    """Sentences of the edited page that were changed or added."""
    untouched: list[int]
    """Paragraphs of the first version whose sentences are all in the edited one."""


def pages(count: int, seed: int) -> Iterator[Page]:
    """Pages with sentences that are all different."""
    said = iter(sentences(count * (2 * PARAGRAPHS + _ADDED), seed))
    draw = random.Random(seed)
    for _ in range(count):
        before = [(next(said), next(said)) for _ in range(PARAGRAPHS)]
        yield _edited(before, (next(said), next(said)), draw)


def _edited(before: list[Paragraph], added: Paragraph, draw: random.Random) -> Page:
    """A page of which two sentences are changed, and paragraphs moved, removed and added."""
    changed, other, removed, moved = draw.sample(range(len(before)), 4)
    after = dict(enumerate(before))
    for number in (changed, other):
        first, second = before[number]
        after[number] = (first.replace("请", _CHANGED), second)
    order = [number for number in after if number not in (removed, moved)]
    order.insert(draw.randrange(len(order)), moved)
    texts = [after[number] for number in order]
    texts.insert(draw.randrange(len(texts)), added)
    untouched = [n for n in after if n not in (changed, other, removed)]
    return Page(before, texts, 2 + len(added), untouched)


def _markdown(page: list[Paragraph]) -> bytes:
    shown = ("".join(f"{s[:-4]}**{s[-4:-1]}**{s[-1]}" for s in one) for one in page)
    return ("\n\n".join(shown) + "\n").encode()


def _html(page: list[Paragraph]) -> bytes:
    shown = ("".join(f"{s[:-4]}<b>{s[-4:-1]}</b>{s[-1]}" for s in one) for one in page)
    body = "".join(f"<p>{one}</p>\n" for one in shown)
    return f'<!DOCTYPE html>\n<html lang="zh"><body>\n{body}</body></html>\n'.encode()


def _docx(page: list[Paragraph]) -> bytes:
    return WRITERS["docx"][1](["".join(one) for one in page])


def _json(page: list[Paragraph]) -> bytes:
    texts = {f"key{number}": "".join(one) for number, one in enumerate(page)}
    return json.dumps(texts, ensure_ascii=False, indent=2).encode()


FORMATS: dict[str, Callable[[list[Paragraph]], bytes]] = {
    ".md": _markdown,
    ".html": _html,
    ".docx": _docx,
    ".json": _json,
}
