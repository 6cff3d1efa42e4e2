"""The blocks of a Markdown file that people read, each with the places of its characters.

markdown-it finds paragraphs, headings and the cells of tables, in lists, quotes and footnotes; what
begins their lines is noted while it reads. All else (code, HTML, rules, definitions of links) is in
no block.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, cast

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.rules_block import StateBlock, heading, lheading, paragraph, table
from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.translate.formats.markdown_inline import FOOTNOTE, Range, new_inline
from longways.translate.formats.markdown_tables import cell_ranges

Line = tuple[int, int, int]
"""Where a line begins in the file, where its text begins, and where it ends."""

Kind = Literal["paragraph", "item", "heading", "underlined", "cell"]
"""`item` is the first paragraph of a list's item, `underlined` a heading above `===`."""

DEEPEST = 80
"""Blocks in one another; what is deeper is left as it is."""

_ALONE = re.compile(
    "[\ufdd0-\ufdd3 \t]+$"  # tags of templates only
    r"|:::+.*$|\[!\w+\][+-]?[ \t]*$|\[\[?_?toc_?\]\]?[ \t]*$",
    re.IGNORECASE,
)
"""Lines that a machine reads, though Markdown sees a paragraph: containers, notes, contents."""

_BOX = re.compile(r"\[[ xX]\][ \t]+")
_NOTE = re.compile(r"\[!\w+\][+-]?[ \t]+")


@dataclass(frozen=True)
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
        return self.kind != "heading" and not (self.kind == "cell" and self.prefix)

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
    md = parser()
    tokens: list[Token] = []
    env["too deep"] = deep
    state = StateBlock(hidden, md, env, tokens)
    md.block.tokenize(state, state.line, state.lineMax)
    depth, before = 0, ""
    for token in tokens:
        if token.type in ("list_item_open", "footnote_open"):
            depth += 1
        elif token.type in ("list_item_close", "footnote_close"):
            depth -= 1
        elif token.type == "inline":
            yield from _blocks_of(token, text, hidden, depth, before)
        before = before if token.type == "paragraph_open" else token.type


class _Blocks(ParserBlock):
    """Notes the lines of what is too deep to be read."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        if state.level >= DEEPEST:
            state.env["too deep"].append(startLine + 1)
        super().tokenize(state, startLine, endLine)


@cache
def parser() -> MarkdownIt:
    """CommonMark with tables, strikethrough and footnotes; its tokens have places."""
    md = MarkdownIt("commonmark", {"maxNesting": DEEPEST})
    md.block, md.inline = _Blocks(), new_inline()
    rules = md.block.ruler
    rules.at("table", _placed(table), {"alt": ["paragraph", "reference"]})
    rules.at("heading", _placed(heading), {"alt": ["paragraph", "reference", "blockquote"]})
    rules.at("lheading", _placed(lheading))
    rules.at("paragraph", _placed(paragraph))
    rules.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]})
    return md


def _placed(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    """The rule, noting for every inline token where its lines stand."""

    def run(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        if not silent:
            _note_places(state, state.tokens[count:])
        return True

    return run


def _note_places(state: StateBlock, tokens: list[Token]) -> None:
    """Give inline tokens their kind, their lines and, in a table, the parts of their cell."""
    kind, cells = _kind(tokens[0]), list[list[Range]]()
    for token in tokens:
        if token.type == "tr_open" and token.map:
            _, start, end = _line(state, token.map[0])
            cells = cell_ranges(state.src, start, end)[::-1]
        elif token.type == "inline":
            token.meta["kind"] = kind
            token.meta["lines"] = [_line(state, line) for line in range(*token.map or (0, 0))]
            token.meta["cell"] = cells.pop() if cells else []


def _line(state: StateBlock, line: int) -> Line:
    """Where a line begins in the file, where its text begins, and where it ends."""
    start = state.bMarks[line] + state.tShift[line]
    return state.src.rfind("\n", 0, start) + 1, start, state.eMarks[line]


def _kind(opening: Token) -> Kind:
    if opening.type == "heading_open":
        return "heading" if opening.markup.startswith("#") else "underlined"
    return "cell" if opening.type == "table_open" else "paragraph"


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The definition of a footnote: a container like an item of a list."""
    begin = state.bMarks[start] + state.tShift[start]
    label = FOOTNOTE.match(state.src, begin, state.eMarks[start])
    if state.is_code_block(start) or not label or not state.src.startswith(":", label.end()):
        return False
    if silent:
        return True
    saved = state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType
    after = label.end() + 1
    text = state.skipSpaces(after)
    state.bMarks[start], state.tShift[start] = after, text - after
    state.blkIndent += 4
    state.sCount[start] = state.blkIndent
    state.parentType = "footnote"
    state.push("footnote_open", "", 1)
    state.md.block.tokenize(state, start, end)
    state.push("footnote_close", "", -1)
    state.blkIndent -= 4
    state.bMarks[start], state.tShift[start], state.sCount[start], state.parentType = saved
    return True


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
    if kind == "heading":
        line, start, end = lines[0]
        start = hidden.index(token.content, end - len(hidden[start:end].lstrip("#")))
        lines = [(line, start, start + len(token.content))]
    first = kind == "paragraph" and before == "list_item_open"
    for group in _groups(lines, hidden):
        line, start, end = group[0]
        box = _BOX.match(hidden, start, end) if first else None
        cut = box or _NOTE.match(hidden, start, end)
        ranges = [(cut.end() if cut else start, end), *((s, e) for _, s, e in group[1:])]
        named: Kind = "item" if first and not box else kind
        block = _block(named, ranges, text, hidden, _prefix(text[line:start]), depth > 0)
        yield replace(block, follows=_has_text(hidden, line))
        first = False


def _groups(lines: list[Line], hidden: str) -> Iterator[list[Line]]:
    """Lines that people read, parted by those that a machine reads."""
    group: list[Line] = []
    number = 0
    while number < len(lines):
        if skipped := _machine_lines(lines, number, hidden):
            if group:
                yield group
            group, number = [], number + skipped
            continue
        group.append(lines[number])
        number += 1
    if group:
        yield group


def _machine_lines(lines: list[Line], number: int, hidden: str) -> int:
    """How many lines from this one on a machine reads: one, or a formula between `$$`."""
    _, start, end = lines[number]
    if _ALONE.match(hidden, start, end):
        return 1
    if not hidden.startswith("$$", start, end):
        return 0
    first = hidden[start + 2 : end].rstrip()
    if first.endswith("$$"):
        return 1
    for count, (_, start, end) in enumerate(lines[number + 1 :], 2):
        if hidden[start:end].rstrip().endswith("$$"):
            return count
    return 0


def _block(
    kind: Kind, ranges: Iterable[Range], text: str, hidden: str, prefix: str, in_list: bool
) -> Block:
    """A block of parts of the file: its lines, or what is left of a cell without escapes."""
    pieces, place, between = list[tuple[int, int, int]](), 0, 0 if kind == "cell" else 1
    for start, end in ranges:
        pieces.append((place, start, end))
        place += end - start + between
    glue = "\n" * between
    return Block(
        kind,
        tuple(pieces),
        glue.join(text[start:end] for _, start, end in pieces),
        glue.join(hidden[start:end] for _, start, end in pieces),
        prefix,
        in_list,
    )


def _has_text(text: str, line: int) -> bool:
    """Whether there is text in the line above the one that begins here."""
    return bool(text[text.rfind("\n", 0, max(line - 1, 0)) + 1 : line].strip(" \t>\n"))


def _prefix(first: str) -> str:
    """What begins further lines, by what begins the first: quotes go on, markers do not."""
    return "".join(char if char in "> \t" else " " for char in first)
