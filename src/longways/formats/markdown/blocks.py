"""Blocks of a Markdown file with readable text, and the positions of their characters.

markdown-it finds paragraphs, headings and table cells, in lists, quotes and footnotes; line
prefixes are recorded while it parses. Code, rules and link definitions are in no block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import cast

from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.formats.markdown.hidden.masks import TAG
from longways.formats.markdown.inline import Range
from longways.formats.markdown.lines import NOTE, TERM, line_groups, title_of_container
from longways.formats.markdown.rules import Kind, Line, cell_ranges, read_tokens

_BOX = re.compile(r"\[[ xX]\][ \t]+")
_FIRST_PLACE = (0,)
"""The places of a block of one line, as most are; one tuple for all saves memory."""


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """Text of a block without the prefixes of its lines."""

    kind: Kind
    places: tuple[int, ...]
    """Where each of its lines starts in `text`."""
    starts: tuple[int, ...]
    """Where each of them starts in the file."""
    text: str
    hidden: str
    """The text with masked template tags."""
    prefix: str
    """Prefix of further lines; for a cell, the pipe before it in its row, if any; for the title of
    a container, the bracket before it, if any."""
    in_list: bool
    follows: bool = False
    """Whether the line above has text."""

    @property
    def begins_line(self) -> bool:
        """Whether the text begins a line, where block markers are recognised."""
        return self.kind not in ("heading", "title", "container") and not (
            self.kind == "cell" and self.prefix
        )

    def source_start(self, place: int) -> int:
        """Offset in the file of a character of the text, or of the backslash before it."""
        escaped = self.kind == "cell" and self.text.startswith("|", place)
        return self._source(place) - escaped

    def _source(self, place: int) -> int:
        line = bisect_right(self.places, place) - 1
        return self.starts[line] + place - self.places[line]

    def source_end(self, place: int) -> int:
        """Offset in the file right after the previous character of the text."""
        return self._source(place - 1) + 1 if place else self._source(0)


def read_blocks(text: str, hidden: str, env: EnvType, deep: list[int]) -> Iterator[MarkdownBlock]:
    r"""Parse the blocks of a text with line ends `\n`; `deep` gets the lines nested too deep."""
    depth, before = 0, ""
    for token in read_tokens(hidden, env, deep):
        if token.type in ("list_item_open", "footnote_open"):
            depth += 1
        elif token.type in ("list_item_close", "footnote_close"):
            depth -= 1
        elif token.type in ("inline", "html_block"):
            yield from _blocks_of(token, text, hidden, depth, before)
        before = before if token.type == "paragraph_open" else token.type


def _blocks_of(
    token: Token, text: str, hidden: str, depth: int, before: str
) -> Iterator[MarkdownBlock]:
    """The blocks of an inline token, which machine-readable lines may separate."""
    kind, lines = cast(Kind, token.meta["kind"]), cast("list[Line]", token.meta["lines"])
    if not token.content or not lines:
        return
    if kind == "cell":
        parts = cast("list[Range]", token.meta["cell"])
        prefix = "|" if "|" in hidden[lines[0][1] : parts[0][0]] else ""
        yield _block(kind, parts, text, hidden, prefix, depth > 0)
        return
    if kind == "title":
        yield _block(kind, [lines[0][1:]], text, hidden, "", depth > 0)
        return
    if kind == "html":
        yield from _html_block(lines, text, hidden)
        return
    if kind == "definition":
        yield _block(kind, [line[1:] for line in lines], text, hidden, "", depth > 0)
        return
    if kind == "heading":
        line, start, end = lines[0]
        start = hidden.index(token.content, end - len(hidden[start:end].lstrip("#")))
        lines = [(line, start, start + len(token.content))]
    first = kind == "paragraph" and before == "list_item_open"
    for group, readable, is_row in line_groups(lines, hidden):
        if not readable:
            yield from _machine_block(group, text, hidden, depth > 0)
            continue
        if is_row:
            cells = filter(None, cell_ranges(hidden, *group[0][1:]))
            yield from (_block("cell", parts, text, hidden, "|", depth > 0) for parts in cells)
            first = False
            continue
        line, start, end = group[0]
        box = _BOX.match(hidden, start, end) if first else None
        note = NOTE.match(hidden, start, end) if len(group) == 1 else None
        cut = box or note or TERM.match(hidden, start, end)
        ranges = [(cut.end() if cut else start, end), *((s, e) for _, s, e in group[1:])]
        named: Kind = "heading" if note else "item" if first and not box else kind
        prefix, follows = _prefix(text[line:start]), _has_text(hidden, line)
        yield _block(named, ranges, text, hidden, prefix, depth > 0, follows)
        first = False


def _machine_block(
    lines: list[Line], text: str, hidden: str, in_list: bool
) -> Iterator[MarkdownBlock]:
    """The readable text in machine-readable lines: a title, attributes, values."""
    _, start, end = lines[0]
    if title := title_of_container(hidden, start, end):
        bracket = "[" if hidden[title[0] - 1] == "[" else ""
        yield _block("container", [title], text, hidden, bracket, in_list)
        start = title[1]
    if hidden.startswith("<", start) and len(lines) == 1:
        yield _block("html", [(start, end)], text, hidden, "", in_list)
    elif hidden.find(TAG, start, end) >= 0:
        ranges = [(start, end), *(line[1:] for line in lines[1:])]
        yield _block("tags", ranges, text, hidden, "", in_list)


def _html_block(lines: list[Line], text: str, hidden: str) -> Iterator[MarkdownBlock]:
    """A block of HTML; in a quote, without the prefixes of its lines."""
    start, end = lines[0][1], lines[-1][2]
    if any(text[line:begin].strip() for line, begin, _ in lines[1:]):
        ranges, prefix = [line[1:] for line in lines], _prefix(text[lines[0][0] : start])
        yield _block("html", ranges, text, hidden, prefix, in_list=False)
        return
    yield _block("html", [(start, end)], text, hidden, "", in_list=False)


def _block(
    kind: Kind,
    ranges: Iterable[Range],
    text: str,
    hidden: str,
    prefix: str,
    in_list: bool,
    follows: bool = False,
) -> MarkdownBlock:
    """A block from ranges of the file: its lines, or a cell without escapes."""
    ranges = list(ranges)
    glue = "" if kind == "cell" else "\n"
    own = glue.join([text[start:end] for start, end in ranges])
    masked = glue.join([hidden[start:end] for start, end in ranges])
    masked = own if own == masked else masked  # one for both saves memory
    starts = tuple(start for start, _ in ranges)
    return MarkdownBlock(kind, _places(ranges, glue), starts, own, masked, prefix, in_list, follows)


def _places(ranges: Sequence[Range], glue: str) -> tuple[int, ...]:
    """Where each range starts in the text that they are together."""
    lengths = (end - start + len(glue) for start, end in ranges[:-1])
    return tuple(accumulate(lengths, initial=0)) if ranges[1:] else _FIRST_PLACE


def _has_text(text: str, line: int) -> bool:
    """Whether the line above the one that begins here has text."""
    return bool(text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : line].strip(" \t>\n"))


def _prefix(first: str) -> str:
    """Prefix of further lines: quote markers are repeated, list markers become spaces."""
    return "".join(char if char in "> \t" else " " for char in first)
