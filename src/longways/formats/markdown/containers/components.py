"""Block rule for the tags of components: `<Card title="...">` alone on its lines.

Unlike HTML, a component contains Markdown: its tag ends the block. A tag may extend over several
lines. Content that is indented is Markdown too, and no code, up to the end tag; without an end tag
it belongs to the block of the tag.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from markdown_it.rules_block import StateBlock

_TAG = re.compile(
    r"""</?[A-Z][\w.-]*(?=[\s/>])
        (?:[^<>"'\n]|"[^"\n]*"|'[^'\n]*'|\n(?![ \t]*(?:\n|\Z))){0,4000}+>[ \t]*(?=\n|\Z)""",
    re.VERBOSE,
)
_NAME = re.compile(r"[ \t]*<(/?)([A-Z][\w.-]*)")
_FENCE = re.compile(r"[ \t>]*(?:[-+*]|\d+[.)])?[ \t]*(`{3,}|~{3,})")
_CODE_INDENT = 4
_MAX_OPENED = 80
"""Components in one another; what is nested deeper is read as HTML."""


class Content(NamedTuple):
    """The indented lines between the tags of a component."""

    first: int
    end: int
    """The line of the end tag."""
    indent: int


def component(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """The tag of a component; without an end tag, with what follows if that is indented."""
    begin = state.bMarks[start] + state.tShift[start]
    found = None if state.is_code_block(start) or silent else _TAG.match(state.src, begin)
    if not found:
        return False
    after = start + 1 + found[0].count("\n")
    if after > state.lineMax or any(_is_outside(state, line) for line in range(start, after)):
        return False
    if not indented_content(state, start, after):
        alone = after == state.lineMax or state.isEmpty(after) or _is_outside(state, after)
        indented = not alone and state.sCount[after] - state.blkIndent >= _CODE_INDENT
        if after == start + 1 and (alone or indented):
            return False  # as HTML
        while indented and after < state.lineMax and not _ends(state, after):
            after += 1
    state.line = after
    token = state.push("html_block", "", 0)
    token.map = [start, after]
    token.content = state.getLines(start, after, state.blkIndent, True)
    return True


def indented_content(state: StateBlock, start: int, after: int) -> Content | None:
    """The content of the component whose tag begins in a line; `after` is the line after the tag.

    None if no line of it is indented like code, or if one is not indented.
    """
    ends = state.env.get("components")
    if ends is None:
        ends = state.env["components"] = _ends_of_components(state.src)
    end = ends.get(start, 0)
    if not after < end < state.lineMax or _is_outside(state, end):
        return None
    columns = [state.sCount[line] for line in range(after, end) if not state.isEmpty(line)]
    indent = min(columns, default=0)
    if indent <= state.blkIndent or max(columns) - state.blkIndent < _CODE_INDENT:
        return None
    return Content(after, end, indent)


def _ends_of_components(text: str) -> dict[int, int]:
    """For each line with the start tag of a component alone, the line of its end tag alone."""
    opened, found, fence, place = list[tuple[str, int]](), dict[int, int](), "", 0
    for number, line in enumerate(text.split("\n")):
        mark = _FENCE.match(line)
        if mark and (not fence or (mark[1].startswith(fence) and not line[mark.end() :].strip())):
            fence = "" if fence else mark[1]
        elif not fence and (name := _NAME.match(line)):
            tag = _TAG.match(text, place + name.start(1) - 1)
            if tag and name[1]:
                _close(name[2], number, opened, found)
            elif tag and not tag[0].rstrip().endswith("/>") and len(opened) < _MAX_OPENED:
                opened.append((name[2], number))
        place += len(line) + 1
    return found


def _close(name: str, number: int, opened: list[tuple[str, int]], found: dict[int, int]) -> None:
    """Pair an end tag with the last open tag of its name."""
    while opened:
        other, start = opened.pop()
        if other == name:
            found[start] = number
            return


def _ends(state: StateBlock, line: int) -> bool:
    return state.isEmpty(line) or _is_outside(state, line)


def _is_outside(state: StateBlock, line: int) -> bool:
    """Whether a line is less indented than the list item or note around it."""
    return 0 <= state.sCount[line] < state.blkIndent
