"""Block rule for the tags of components: `<Card title="...">` alone on its lines.

Unlike HTML, a component contains Markdown: its tag ends the block, if its content is not indented
like code. A tag may extend over several lines.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

_TAG = re.compile(
    r"""</?[A-Z][\w.-]*(?=[\s/>])
        (?:[^<>"'\n]|"[^"\n]*"|'[^'\n]*'|\n(?![ \t]*(?:\n|\Z))){0,4000}+>[ \t]*(?=\n|\Z)""",
    re.VERBOSE,
)
_CODE_INDENT = 4


def component(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """The tag of a component, with what follows up to an empty line if that is indented."""
    begin = state.bMarks[start] + state.tShift[start]
    found = None if state.is_code_block(start) or silent else _TAG.match(state.src, begin)
    if not found:
        return False
    after = start + 1 + found[0].count("\n")
    if after > state.lineMax or any(_is_outside(state, line) for line in range(start, after)):
        return False
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


def _ends(state: StateBlock, line: int) -> bool:
    return state.isEmpty(line) or _is_outside(state, line)


def _is_outside(state: StateBlock, line: int) -> bool:
    """Whether a line is less indented than the list item or note around it."""
    return 0 <= state.sCount[line] < state.blkIndent
