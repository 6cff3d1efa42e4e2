"""The blocks of a Markdown file that people read, each with the places of its characters.

markdown-it finds paragraphs, headings and the cells of tables, in lists, quotes and footnotes; what
begins their lines is noted while it reads. All else (code, HTML, rules, definitions of links) is in
no block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.translate.formats.markdown_formulas import is_formula
from longways.translate.formats.markdown_inline import Range
from longways.translate.formats.markdown_rules import Kind, Line, read_tokens

_ALONE = re.compile(
    "[\ufdd0-\ufdd3 \t]+$"  # tags of templates only
    r"|:::+.*$|\[!\w+\][+-]?[ \t]*$|\[\[?_?toc_?\]\]?[ \t]*$"
    r"|<(?-i:[A-Z])[\w.]*\s[^\n]*=\{[^\n]*>[ \t]*$",
    re.IGNORECASE,
)
"""Lines that a machine reads, though Markdown sees a paragraph: containers, notes, contents, and
tags of MDX."""

_PROGRAM = re.compile(
    r"""import\s+(?:[\w*{$][^'"\n]*\sfrom\s+)?['"][^'"\n]+['"];?\s*$
      | export\s+(?:default|const|let|var|function|async|class)\s[^\n]*[={(;]
      | <[A-Z][\w.]*[ \t]*$""",
    re.VERBOSE | re.ASCII,
)
"""The first line of a paragraph that is a program: MDX."""

_FORMULAS = {"$$": "$$", r"\[": r"\]"}
"""What begins a formula on lines of its own, and what ends it."""

_BOX = re.compile(r"\[[ xX]\][ \t]+")
_NOTE = re.compile(r"\[!\w+\][+-]?[ \t]+")
_TERM = re.compile(r":[ \t]+(?=\S)|\*\[[^\[\]\n]+\]:[ \t]+(?=\S)")
"""What begins the definition of a term, or of an abbreviation."""


@dataclass(frozen=True, slots=True)
class Block:
    """Text in one place of a file, without what begins its lines."""

    kind: Kind
    pieces: tuple[tuple[int, int, int], ...]
    """Where in `text` a part begins, and where it begins and ends in the file."""
    text: str
    hidden: str
    """The same with the tags of templates hidden."""
    prefix: str
    """What begins a further line; of a cell, the pipe before it in its row, if any."""
    in_list: bool
    follows: bool = False
    """Whether there is text in the line above."""

    @property
    def begins_line(self) -> bool:
        """Whether the text stands at the beginning of a line, where markers of blocks do."""
        return self.kind not in ("heading", "title") and not (self.kind == "cell" and self.prefix)

    def source_start(self, place: int) -> int:
        """The place in the file of the character at a place of the text, with its escape."""
        escaped = self.kind == "cell" and self.text.startswith("|", place)
        return self._source(place) - escaped

    def _source(self, place: int) -> int:
        piece = self.pieces[bisect_right(self.pieces, (place, 1 << 62, 0)) - 1]
        return piece[1] + place - piece[0]

    def source_end(self, place: int) -> int:
        """The place in the file right after the character before a place of the text."""
        return self._source(place - 1) + 1 if place else self._source(0)


def read_blocks(text: str, hidden: str, env: EnvType, deep: list[int]) -> Iterator[Block]:
    r"""The blocks of a text with line ends `\n`; `deep` gets the lines of what is too deep."""
    depth, before = 0, ""
    for token in read_tokens(hidden, env, deep):
        if token.type in ("list_item_open", "footnote_open"):
            depth += 1
        elif token.type in ("list_item_close", "footnote_close"):
            depth -= 1
        elif token.type in ("inline", "html_block"):
            yield from _blocks_of(token, text, hidden, depth, before)
        before = before if token.type == "paragraph_open" else token.type


def _blocks_of(token: Token, text: str, hidden: str, depth: int, before: str) -> Iterator[Block]:
    """The blocks of an inline token: more than one if lines for a machine are between them."""
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


def _html_block(lines: list[Line], text: str, hidden: str) -> Iterator[Block]:
    """A block of HTML, unless it is in a quote or has in it what other programs read."""
    start, end = lines[0][1], lines[-1][2]
    quoted = any(text[line:begin].strip() for line, begin, _ in lines[1:])
    if not quoted and text[start:end] == hidden[start:end]:
        yield _block("html", [(start, end)], text, hidden, "", in_list=False)


def _groups(lines: list[Line], hidden: str) -> Iterator[list[Line]]:
    """Lines that people read, parted by those that a machine reads."""
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
    """By what begins a formula, the numbers of the lines that end with what ends it."""
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
    """How many lines from this one on a machine reads: one, or those of a formula."""
    _, start, end = lines[number]
    if number == 0 and _PROGRAM.match(hidden, start, end):
        return len(lines)
    if _ALONE.match(hidden, start, end):
        return 1
    sign = hidden[start : min(start + 2, end)]
    if sign not in closing:
        return 0
    first = hidden[start + 2 : end].strip()
    brackets = sign != "$$"  # which may stand for themselves
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
) -> Block:
    """A block of parts of the file: its lines, or what is left of a cell without escapes."""
    pieces, place, between = list[tuple[int, int, int]](), 0, 0 if kind == "cell" else 1
    for start, end in ranges:
        pieces.append((place, start, end))
        place += end - start + between
    glue = "\n" * between
    own = glue.join([text[start:end] for _, start, end in pieces])
    masked = glue.join([hidden[start:end] for _, start, end in pieces])
    masked = own if own == masked else masked  # one for both saves memory
    return Block(kind, tuple(pieces), own, masked, prefix, in_list, follows)


def _has_text(text: str, line: int) -> bool:
    """Whether there is text in the line above the one that begins here."""
    return bool(text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : line].strip(" \t>\n"))


def _prefix(first: str) -> str:
    """What begins further lines, by what begins the first: quotes go on, markers do not."""
    return "".join(char if char in "> \t" else " " for char in first)
