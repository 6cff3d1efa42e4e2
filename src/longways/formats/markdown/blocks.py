"""Blocks of a Markdown file with readable text, and the positions of their characters.

markdown-it finds paragraphs, headings and table cells, in lists, quotes and footnotes; line
prefixes are recorded while it parses. Code, rules and link definitions are in no block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.formats.markdown.inline import Range, is_formula
from longways.formats.markdown.masking import TAG_CONTINUATION, VALUE_CONTINUATION
from longways.formats.markdown.rules import Kind, Line, read_tokens

_ALONE = re.compile(
    "(?![\ufdd1\ufdd3])[\ufdd0-\ufdd3 \t]+$"  # tags of templates only, and no end of a tag
    r"|:::+.*$|\[!\w+\][+-]?[ \t]*$|\[\[?_?toc_?\]\]?[ \t]*$"
    r"|<(?-i:[A-Z])[\w.]*\s[^\n]*=\{[^\n]*>[ \t]*$",
    re.IGNORECASE,
)
"""Machine-readable lines that Markdown parses as a paragraph: containers, notes, tables of
contents, and MDX tags."""

_PROGRAM = re.compile(
    r"""import\s+(?:[\w*{$][^'"\n]*\sfrom\s+)?['"][^'"\n]+['"];?\s*$
      | export\s+(?:default|const|let|var|function|async|class)\s[^\n]*[={(;]
      | <[A-Z][\w.]*[ \t]*$""",
    re.VERBOSE | re.ASCII,
)
"""The first line of a paragraph of MDX code."""

_CONTINUED = TAG_CONTINUATION + VALUE_CONTINUATION

_FORMULAS = {"$$": "$$", r"\[": r"\]"}
"""Opening and closing of a display formula."""

_BOX = re.compile(r"\[[ xX]\][ \t]+")
_NOTE = re.compile(r"\[!\w+\][+-]?[ \t]+")
_TERM = re.compile(r":[ \t]+(?=\S)|\*\[[^\[\]\n]+\]:[ \t]+(?=\S)")
"""Marker of the definition of a term or of an abbreviation."""


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """Text of a block without the prefixes of its lines."""

    kind: Kind
    spans: tuple[tuple[int, int, int], ...]
    """Spans of the file: start in `text`, start and end in the file."""
    text: str
    hidden: str
    """The text with masked template tags."""
    prefix: str
    """Prefix of further lines; for a cell, the pipe before it in its row, if any."""
    in_list: bool
    follows: bool = False
    """Whether the line above has text."""

    @property
    def begins_line(self) -> bool:
        """Whether the text begins a line, where block markers are recognised."""
        return self.kind not in ("heading", "title") and not (self.kind == "cell" and self.prefix)

    def source_start(self, place: int) -> int:
        """Offset in the file of a character of the text, or of the backslash before it."""
        escaped = self.kind == "cell" and self.text.startswith("|", place)
        return self._source(place) - escaped

    def _source(self, place: int) -> int:
        span = self.spans[bisect_right(self.spans, (place, 1 << 62, 0)) - 1]
        return span[1] + place - span[0]

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
    if kind == "heading":
        line, start, end = lines[0]
        start = hidden.index(token.content, end - len(hidden[start:end].lstrip("#")))
        lines = [(line, start, start + len(token.content))]
    first = kind == "paragraph" and before == "list_item_open"
    for group in _groups(lines, hidden):
        line, start, end = group[0]
        box = _BOX.match(hidden, start, end) if first else None
        cut = box or _NOTE.match(hidden, start, end) or _TERM.match(hidden, start, end)
        ranges = [(cut.end() if cut else start, end), *((s, e) for _, s, e in group[1:])]
        named: Kind = "item" if first and not box else kind
        prefix, follows = _prefix(text[line:start]), _has_text(hidden, line)
        yield _block(named, ranges, text, hidden, prefix, depth > 0, follows)
        first = False


def _html_block(lines: list[Line], text: str, hidden: str) -> Iterator[MarkdownBlock]:
    """A block of HTML, unless it is in a quote or contains template tags."""
    start, end = lines[0][1], lines[-1][2]
    quoted = any(text[line:begin].strip() for line, begin, _ in lines[1:])
    if not quoted and text[start:end] == hidden[start:end]:
        yield _block("html", [(start, end)], text, hidden, "", in_list=False)


def _groups(lines: list[Line], hidden: str) -> Iterator[list[Line]]:
    """Groups of readable lines, separated by machine-readable lines."""
    group: list[Line] = []
    number, closing = 0, _formula_ends(lines, hidden)
    while number < len(lines):
        if skipped := _machine_lines(lines, number, hidden, closing):
            if group:
                yield group
            group, number = [], number + skipped
            continue
        if group and _TERM.match(hidden, *lines[number][1:]):
            yield group
            group = []
        group.append(lines[number])
        number += 1
    if group:
        yield group


def _formula_ends(lines: list[Line], hidden: str) -> dict[str, list[int]]:
    """For each opening of a formula, the numbers of lines that end with its closing."""
    found, (first, last) = dict[str, list[int]](), (lines[0][1], lines[-1][2])
    for sign, closing in _FORMULAS.items():
        if hidden.find(sign, first, last) >= 0:
            ends = (
                n for n, (_, s, e) in enumerate(lines) if hidden[s:e].rstrip().endswith(closing)
            )
            found[sign] = list(ends)
    return found


def _machine_lines(
    lines: list[Line], number: int, hidden: str, closing: dict[str, list[int]]
) -> int:
    """Number of machine-readable lines from this one on: one, or a whole formula."""
    _, start, end = lines[number]
    if number == 0 and _PROGRAM.match(hidden, start, end):
        return len(lines)
    if _ALONE.match(hidden, start, end):
        following = number + 1
        while following < len(lines) and hidden[lines[following][1]] in _CONTINUED:
            following += 1  # the same tag
        return following - number
    sign = hidden[start : min(start + 2, end)]
    if sign not in closing:
        return 0
    first = hidden[start + 2 : end].strip()
    brackets = sign != "$$"  # which may be literal brackets
    if first.endswith(_FORMULAS[sign]) and (not brackets or is_formula(first[:-2])):
        return 1
    ends = closing[sign]
    following = bisect_right(ends, number) if not (brackets and first) else len(ends)
    return ends[following] - number + 1 if following < len(ends) else 0


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
    spans, place, between = list[tuple[int, int, int]](), 0, 0 if kind == "cell" else 1
    for start, end in ranges:
        spans.append((place, start, end))
        place += end - start + between
    glue = "\n" * between
    own = glue.join([text[start:end] for _, start, end in spans])
    masked = glue.join([hidden[start:end] for _, start, end in spans])
    masked = own if own == masked else masked  # one for both saves memory
    return MarkdownBlock(kind, tuple(spans), own, masked, prefix, in_list, follows)


def _has_text(text: str, line: int) -> bool:
    """Whether the line above the one that begins here has text."""
    return bool(text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : line].strip(" \t>\n"))


def _prefix(first: str) -> str:
    """Prefix of further lines: quote markers are repeated, list markers become spaces."""
    return "".join(char if char in "> \t" else " " for char in first)
