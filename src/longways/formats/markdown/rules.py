"""Block rules for markdown-it that also record the positions of text.

markdown-it gives the line numbers of a block; the positions of its text in these lines are recorded
here. Besides CommonMark, it parses tables, strikethrough, footnotes, notes `!!! tip` and tabs. The
cells of a table row are found without the backslash of an escaped bar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.parser_block import ParserBlock, RuleFuncBlockType
from markdown_it.rules_block import (
    StateBlock,
    heading,
    html_block,
    lheading,
    paragraph,
    reference,
    table,
)
from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.formats.markdown.containers.components import component, indented_content
from longways.formats.markdown.containers.directives import directive
from longways.formats.markdown.inline import FOOTNOTE, Range, new_inline

Line = tuple[int, int, int]
"""Offsets in the file: start of a line, start of its text, end of the line."""

Kind = Literal[
    "paragraph",
    "item",
    "heading",
    "underlined",
    "cell",
    "title",
    "container",
    "html",
    "tags",
    "definition",
]
"""`item` is the first paragraph of a list's item, `underlined` a heading above `===`, `title` the
title of a note, `container` the title of a container, `tags` a line of template tags, `definition`
the definition of a link."""

MAX_DEPTH = 80
"""Maximum nesting of blocks; deeper blocks stay unchanged."""

ADMONITION = re.compile(
    r"""(?: (?:!!!|\?\?\?\+?) [ \t]+ [a-z][\w-]* (?:[ \t]+[\w-]+)*? | ===[!+]? (?=[ \t]+") )
        (?: [ \t]+ "(?P<title>.*)" )? [ \t]*$""",
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
"""The first line of a note `!!! tip "title"`, open or folded, or of a tab."""
_ITEM = re.compile(r"(?:[-+*]|\d{1,9}[.)])[ \t]")


def read_tokens(text: str, env: EnvType, deep: list[int]) -> Iterator[Token]:
    r"""Yield the tokens of a text with line ends `\n`; `deep` gets the lines nested too deep.

    Tokens are yielded by block and not kept: together they need many times the file's memory.
    """
    md = parser()
    env["too deep"] = deep
    state = StateBlock(text, md, env, [])
    rules = md.block.ruler.getRules("")
    while (line := state.skipEmptyLines(state.line)) < state.lineMax:
        state.line = line
        next(rule for rule in rules if rule(state, line, state.lineMax, False))
        yield from state.tokens
        state.tokens.clear()


class _Blocks(ParserBlock):
    """Block parser that records lines nested too deep."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        if state.level >= MAX_DEPTH:
            state.env["too deep"].append(startLine + 1)
        super().tokenize(state, startLine, endLine)


@cache
def parser() -> MarkdownIt:
    """The Markdown parser of our dialect; its tokens have positions."""
    md = MarkdownIt("commonmark", {"maxNesting": MAX_DEPTH})
    md.block, md.inline = _Blocks(), new_inline()
    rules = md.block.ruler
    rules.at("table", _placed(table), {"alt": ["paragraph", "reference"]})
    rules.at("heading", _placed(heading), {"alt": ["paragraph", "reference", "blockquote"]})
    rules.at("lheading", _placed(lheading))
    rules.at("paragraph", _placed(paragraph))
    rules.at("html_block", _placed(html_block), {"alt": ["paragraph", "reference", "blockquote"]})
    rules.at("reference", _definition)
    rules.before("html_block", "component", _component)
    rules.before("fence", "directive", directive, {"alt": ["paragraph", "reference", "blockquote"]})
    rules.before("reference", "footnote", _footnote, {"alt": ["paragraph", "reference"]})
    rules.before("lheading", "admonition", _admonition, {"alt": ["paragraph", "reference"]})
    rules.before("table", "container", _container, {"alt": ["blockquote"]})
    rules.before("table", "lines", _placed(_lines_of_text))
    return md


def _placed(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    """The rule, extended to record the lines of every inline token."""

    def run(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        count = len(state.tokens)
        if not rule(state, start, end, silent):
            return False
        if not silent:
            _note_places(state, state.tokens[count:])
        return True

    return run


def _note_places(state: StateBlock, tokens: list[Token]) -> None:
    """Set kind and lines of inline tokens, and in a table the ranges of their cell."""
    kind, cells = _kind(tokens[0]), list[list[Range]]()
    for token in tokens:
        if token.type == "tr_open" and token.map:
            _, start, end = _line(state, token.map[0])
            cells = cell_ranges(state.src, start, end)[::-1]
        elif token.type in ("inline", "html_block"):
            token.meta["kind"] = kind
            token.meta["lines"] = [_line(state, line) for line in range(*token.map or (0, 0))]
            token.meta["cell"] = cells.pop() if cells else []


def _line(state: StateBlock, line: int) -> Line:
    """Offsets in the file: start of a line, start of its text, end of the line."""
    start = state.bMarks[line] + state.tShift[line]
    return state.src.rfind("\n", 0, start) + 1, start, state.eMarks[line]


def _kind(opening: Token) -> Kind:
    if opening.type == "heading_open":
        return "heading" if opening.markup.startswith("#") else "underlined"
    kinds: dict[str, Kind] = {"table_open": "cell", "html_block": "html"}
    return kinds.get(opening.type, "paragraph")


def _lines_of_text(state: StateBlock, start: int, _end: int, _silent: bool) -> bool:
    """Fast path for a paragraph in which each line begins with a letter."""
    if state.is_code_block(start) or not _is_letter_first(state, start):
        return False
    line = start + 1
    while line < state.lineMax and not state.isEmpty(line) and not _is_next_item(state, line):
        if not _is_letter_first(state, line):
            return False
        line += 1
    state.line = line
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content, token.map = state.src[state.bMarks[start] : state.eMarks[start]], [start, line]
    state.push("paragraph_close", "p", -1)
    return True


def _is_letter_first(state: StateBlock, line: int) -> bool:
    return state.src[state.bMarks[line] + state.tShift[line]].isalpha()


def _is_next_item(state: StateBlock, line: int) -> bool:
    """Whether a line is certainly the next item of an open list."""
    if not 0 <= state.sCount[line] <= min(state.listIndent, state.blkIndent - 1):
        return False
    begin = state.bMarks[line] + state.tShift[line]
    return bool(_ITEM.match(state.src, begin, state.eMarks[line]))


def _admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A note or a tab: its first line, and the indented blocks below."""
    begin, above = state.bMarks[start] + state.tShift[start], state.eMarks[start]
    found = ADMONITION.match(state.src, begin, above)
    if state.is_code_block(start) or not found:
        return False
    stop, saved = _indented_end(state, start + 1, end), (state.lineMax, state.parentType)
    if silent or stop == start + 1:
        return stop > start + 1
    state.push("admonition_open", "", 1)
    if found["title"] and found["title"].strip():
        token = state.push("inline", "", 0)
        line = state.src.rfind("\n", 0, begin) + 1, *found.span("title")
        token.content, token.meta = found["title"], {"kind": "title", "lines": [line]}
    state.blkIndent, state.lineMax, state.parentType = state.blkIndent + 4, stop, "admonition"
    state.md.block.tokenize(state, start + 1, stop)
    state.blkIndent, (state.lineMax, state.parentType) = state.blkIndent - 4, saved
    state.push("admonition_close", "", -1)
    state.line = stop
    return True


def _indented_end(state: StateBlock, line: int, end: int) -> int:
    """The line after the last indented line; empty lines between are included."""
    stop = line
    while line < end and (state.isEmpty(line) or state.sCount[line] >= state.blkIndent + 4):
        stop = stop if state.isEmpty(line) else line + 1
        line += 1
    return stop


def _container(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """A line `:::tip` ends the table or the quote above; it is read as a paragraph."""
    begin = state.bMarks[start] + state.tShift[start]
    return silent and state.src.startswith(":::", begin) and not state.is_code_block(start)


def _component(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The tag of a component, and the blocks between its tags if they are indented."""
    if not _placed(component)(state, start, end, silent):
        return False
    content = indented_content(state, start, state.line)
    if content:
        saved = state.blkIndent, state.lineMax, state.parentType
        state.blkIndent, state.lineMax, state.parentType = content.indent, content.end, "component"
        state.push("component_open", "", 1)
        state.md.block.tokenize(state, content.first, content.end)
        state.push("component_close", "", -1)
        state.blkIndent, state.lineMax, state.parentType = saved
        state.line = content.end
    return True


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The definition of a footnote: a container like a list item."""
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


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The definition of a link, which may have a title."""
    if not reference(state, start, end, silent):
        return False
    if not silent:
        token = state.push("inline", "", 0)
        lines = [_line(state, line) for line in range(start, state.line)]
        token.content, token.meta = "definition", {"kind": "definition", "lines": lines}
    return True


_PIPE = re.compile(r"\\?\|")
_SPACES = " \t\n\v\f\r"


def cell_ranges(text: str, start: int, end: int) -> list[list[Range]]:
    """The cells of the row `text[start:end]`, each as a list of ranges of the text."""
    while start < end and text[start] in _SPACES:
        start += 1
    while end > start and text[end - 1] in _SPACES:
        end -= 1
    cells = _split(text, start, end)
    if cells and _is_empty(cells[0]):
        cells = cells[1:]
    if cells and _is_empty(cells[-1]):
        cells = cells[:-1]
    return [_trimmed(text, parts) for parts in cells]


def escape_pipes(text: str) -> str:
    """Escape the text of a cell."""
    return text.replace("|", "\\|") + (" " if text.endswith("\\") else "")


def _split(text: str, start: int, end: int) -> list[list[Range]]:
    cells: list[list[Range]] = [[]]
    for pipe in _PIPE.finditer(text, start, end):
        cells[-1].append((start, pipe.start()))
        start = pipe.end()
        if pipe[0] == "|":
            cells.append([])
        else:
            start -= 1  # the pipe is text, its backslash is not
    cells[-1].append((start, end))
    return cells


def _is_empty(parts: list[Range]) -> bool:
    return len(parts) == 1 and parts[0][0] == parts[0][1]


def _trimmed(text: str, parts: list[Range]) -> list[Range]:
    """The ranges of a cell without outer spaces and empty ranges."""
    (first, first_end), (last, last_end) = parts[0], parts[-1]
    if len(parts) == 1:
        first_end = last_end
    while first < first_end and text[first] in _SPACES:
        first += 1
    parts[0] = first, first_end
    last = parts[-1][0]
    while last_end > last and text[last_end - 1] in _SPACES:
        last_end -= 1
    parts[-1] = last, last_end
    return [(start, end) for start, end in parts if start < end]
