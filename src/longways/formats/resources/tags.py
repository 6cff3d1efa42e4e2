"""Tags: marks of a new passage as tags that are properly nested, and attributes that are set."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from longways.formats.base import Mark, Passage

_AT_LINE_END = re.compile(r"(?<!\s)\s*\n\s*")


@dataclass(frozen=True, slots=True)
class Markup:
    """What a mark stands for."""

    open: str
    """A start tag, or a whole item."""
    close: str
    """An end tag; empty for an item."""
    parent: int
    """The tag of the mark around it in the file; -1 without one."""
    is_break: bool = False
    """Whether it is a line end."""


def with_tags(passage: Passage, markup: Sequence[Markup], escape: Callable[[str], str]) -> str:
    """A passage with its marks as tags. Line ends are only where their marks are."""
    tokens = [token for token in in_order(passage, markup) if token[0]]
    parts = list[str]()
    for number, (text, kind) in enumerate(tokens):
        if kind == "text":
            around = [near[1] == "break" for near in tokens[max(0, number - 1) : number + 2]]
            start = around[0] if number else False
            end = number + 1 < len(tokens) and around[-1]
            flat = _AT_LINE_END.sub(" ", text)
            flat = flat.lstrip() if start else flat
            parts.append(escape(flat.rstrip() if end else flat))
        else:
            parts.append(escape(text) if kind == "break" else text)
    return "".join(parts)


def in_order(passage: Passage, markup: Sequence[Markup]) -> Iterator[tuple[str, str]]:
    """Texts, tags and line ends in order, each with its kind."""
    opened, place, text = list[Mark](), 0, passage.text
    for mark in passage.marks:
        while opened and _ends_before(opened[-1], mark, markup):
            top = opened.pop()
            end = max(place, min(top.end, mark.start))
            yield text[place:end], "text"
            yield markup[top.tag].close, "tag"
            place = end
        start = max(place, mark.start)
        yield text[place:start], "text"
        place, own = start, markup[mark.tag]
        yield own.open, "break" if own.is_break else "tag"
        opened += [mark] if own.close else []
    for mark in reversed(opened):
        end = max(place, mark.end)
        yield text[place:end], "text"
        yield markup[mark.tag].close, "tag"
        place = end
    yield text[place:], "text"


def _ends_before(top: Mark, mark: Mark, markup: Sequence[Markup]) -> bool:
    """Whether an open mark must be closed before another one begins."""
    if top.end == mark.start:
        return not _is_in(mark.tag, top.tag, markup)
    return top.end < mark.start or top.end < mark.end


def _is_in(tag: int, other: int, markup: Sequence[Markup]) -> bool:
    """Whether a mark was inside of another one in the file."""
    while tag >= 0 and tag != other:
        tag = markup[tag].parent
    return tag == other


def with_attributes(tag: str, attributes: dict[str, str]) -> str:
    """A start tag with attributes set; missing ones are added at its end."""
    for name, value in attributes.items():
        pattern = re.compile(rf"(\s{name}\s*=\s*)(?:\"[^\"]*\"|'[^']*')")
        if found := pattern.search(tag):
            tag = f'{tag[: found.end(1)]}"{value}"{tag[found.end() :]}'
        else:
            end = "/>" if tag.endswith("/>") else ">"
            tag = f'{tag.removesuffix(end).rstrip()} {name}="{value}"{end}'
    return tag


def opened(tag: str) -> str:
    """A start tag that is not also the end of its element."""
    return tag.removesuffix(">").removesuffix("/").rstrip() + ">"
