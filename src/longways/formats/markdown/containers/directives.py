"""Block rule for notes of MyST: ```{note} Title, Markdown, and the closing fence.

For CommonMark they are fenced code. Other directives, such as {math} or {code-block}, stay code.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from longways.formats.html.elements import names

NOTES = names(
    "attention caution danger details error example failure hint important info note question "
    "quote seealso success summary tip warning"
)
"""Names of containers whose title is readable in any script."""

_READ = NOTES | names("admonition card dropdown epigraph margin sidebar tab-item topic")
_OPENING = re.compile(r"(?P<fence>`{3,}|~{3,})\{(?P<name>[\w-]+)\}[ \t]*(?P<title>[^`\n]*?)[ \t]*$")
_CODE_INDENT = 4


def directive(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A note between fences: its title, and the blocks up to the closing fence."""
    begin = state.bMarks[start] + state.tShift[start]
    found = _OPENING.match(state.src, begin, state.eMarks[start])
    if not found or found["name"].lower() not in _READ or state.is_code_block(start):
        return False
    closing = _closing(state, start + 1, end, found["fence"])
    if silent or closing is None:
        return closing is not None
    state.push("directive_open", "", 1)
    if found["title"]:
        token = state.push("inline", "", 0)
        line = state.src.rfind("\n", 0, begin) + 1, *found.span("title")
        token.content, token.meta = found["title"], {"kind": "heading", "lines": [line]}
    saved = state.lineMax, state.parentType
    state.lineMax, state.parentType = closing, "directive"
    state.md.block.tokenize(state, start + 1, closing)
    state.lineMax, state.parentType = saved
    state.push("directive_close", "", -1)
    state.line = closing + 1
    return True


def _closing(state: StateBlock, line: int, end: int, fence: str) -> int | None:
    """The line of the closing fence; None if there is none in this list item or quote."""
    while line < end:
        indent = state.sCount[line] - state.blkIndent
        if indent < 0 and not state.isEmpty(line):
            return None
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()
        if indent < _CODE_INDENT and text.startswith(fence) and not text.strip(fence[0]):
            return line
        line += 1
    return None
