"""Tags around a sentence of plain text or of a message, which the model never reads.

`<span class="ok">已启用</span>` is the sentence 已启用 between two tags. A tag that the sentence
speaks of, as in `<p> 标签表示段落`, is a part of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longways.text.sentences.gaps import BLOCK_TAGS
from longways.translation.terminology.glossary import Span

_TAG = re.compile(r"<(?P<closes>/?)(?P<name>[A-Za-z][\w:-]*)(?P<attributes>\s[^\n]*?)?/?>")
_BLOCK = re.compile(BLOCK_TAGS, re.IGNORECASE)


class _Tag(NamedTuple):
    start: int
    end: int
    name: str
    closes: bool
    is_block: bool
    has_attributes: bool


def without_outer_tags(text: str, core: Span, keep: Sequence[Span]) -> Span:
    """The span of a text without the tags at its ends; `keep` are its kept parts."""
    start, end = core
    tags = [tag for span in keep if start <= span[0] and span[1] <= end for tag in _tag(text, span)]
    while tags:
        first, last = tags[0], tags[-1]
        if first.start != _first(text, start) and last.end != _last(text, end):
            break
        if _enclose(text, (start, end), tags):
            start, end, tags = first.end, last.start, tags[1:-1]
        elif first.start == _first(text, start) and _opens_block(text, first):
            start, tags = first.end, tags[1:]
        elif last.end == _last(text, end) and _closes_block(text, last):
            end, tags = last.start, tags[:-1]
        else:
            break
    return _first(text, start) if start < end else start, max(start, _last(text, end))


def _tag(text: str, span: Span) -> list[_Tag]:
    match = _TAG.fullmatch(text, *span)
    if match is None:
        return []
    name, closes = match["name"].lower(), bool(match["closes"])
    has_attributes = bool((match["attributes"] or "").strip())
    return [_Tag(*span, name, closes, bool(_BLOCK.fullmatch(name)), has_attributes)]


def _first(text: str, start: int) -> int:
    """The first visible character from a place on."""
    return len(text) - len(text[start:].lstrip())


def _last(text: str, end: int) -> int:
    """The end of the last visible character before a place."""
    return len(text[:end].rstrip())


def _enclose(text: str, span: Span, tags: Sequence[_Tag]) -> bool:
    """Whether the first and the last tag are one element around everything else."""
    first, last = tags[0], tags[-1]
    ends = first.start == _first(text, span[0]) and last.end == _last(text, span[1])
    pair = not first.closes and last.closes and first.name == last.name
    return ends and pair and all(tag.name != first.name for tag in tags[1:-1])


def _opens_block(text: str, tag: _Tag) -> bool:
    """Whether a tag at the start opens a block: it has attributes, or a tag follows directly."""
    is_markup = tag.has_attributes or text[tag.end : tag.end + 1] == "<"
    return tag.is_block and not tag.closes and is_markup


def _closes_block(text: str, tag: _Tag) -> bool:
    """Whether a tag at the end closes a block, directly behind its text."""
    return tag.is_block and tag.closes and not text[tag.start - 1 : tag.start].isspace()
