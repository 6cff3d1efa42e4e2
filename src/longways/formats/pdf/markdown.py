"""The blocks of a document as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from longways.formats.pdf.escapes import code_block, code_span, escaped, escaped_start
from longways.formats.pdf.layout.blocks import BULLET_SIGNS, Block
from longways.formats.pdf.layout.lines import Run

_BULLET = re.compile(rf"{BULLET_SIGNS}\s*(?=\S)")
_NUMBER = re.compile(r"(\d{1,3})[.)](?:\s+|(?=[^\s\d]))(?=\S)")
_LEADER = re.compile(r"\s*(?:[.·…‥\u2024。]\s?){4,}\s*|\s*[…⋯]{2,}\s*|\s*_{4,}\s*")
_DEEPER = 6.0
"""An item of a deeper list is so much further right, in points."""
_RAISED = re.compile(r"(?!(?:st|nd|rd|th|[oa])\Z)[-+\u2212\d,a-z\u2217*†‡§¶]{1,8}")
"""A raised text that has another meaning on the line: an exponent, a reference."""
_EDGE = re.compile(r"\A([^\w]*)(.*?)([^\w]*)\Z", re.DOTALL)


def to_markdown(blocks: Sequence[Block]) -> str:
    """A Markdown file with the blocks."""
    parts = list[str]()
    was_item = False
    for is_item, text in _Writer(_is_typewritten(blocks)).blocks(blocks):
        if parts:
            parts.append("\n" if is_item and was_item else "\n\n")
        parts.append(text)
        was_item = is_item
    return "".join(parts) + ("\n" if parts else "")


def _is_typewritten(blocks: Sequence[Block]) -> bool:
    """Whether most of a document is in a font for code, which then means nothing."""
    code = sum(len(block.code) for block in blocks)
    text = sum(len(block.text) for block in blocks if block.kind != "code")
    return code > 2 * text


class _Writer:
    """Writes blocks one by one; it knows the lists that are open."""

    def __init__(self, typewritten: bool) -> None:
        self.typewritten = typewritten
        self.open = list[tuple[float, int]]()
        """The left edges of the open lists, and the indentation of text in them."""

    def blocks(self, blocks: Sequence[Block]) -> Iterator[tuple[bool, str]]:
        """The Markdown of each block, and whether it is an item of a list."""
        for block in blocks:
            item = self._item(block) if block.kind == "text" and not block.level else None
            if item is None:
                self.open = []
                if text := self._block(block):
                    yield False, text
            else:
                yield True, item

    def _block(self, block: Block) -> str:
        if block.kind == "code":
            return code_block(block.code)
        if block.kind == "table":
            return _table(block)
        text = inline(block.runs, plain=bool(block.level))
        if block.kind == "note":
            return f"[^{block.label}]: {text}"
        if block.level:
            return "#" * block.level + " " + text.replace("#", "\\#") if text else ""
        return escaped_start(text)

    def _item(self, block: Block) -> str | None:
        """A block as an item of a list; None if it is none."""
        start = "".join(run.text for run in block.runs[:2])
        if block.is_entry:
            marker, skip = "- ", 0
        elif bullet := _BULLET.match(start):
            marker, skip = "- ", bullet.end()
        elif number := _NUMBER.match(start):
            marker, skip = f"{int(number[1])}. ", number.end()
        else:
            return None
        text = inline(_cut(block.runs, skip))
        if not text:
            return None
        indent = self._indent(block.left, len(marker))
        return " " * indent + marker + escaped_start(text)

    def _indent(self, left: float, marker: int) -> int:
        """The indentation of an item with this left edge."""
        while self.open and left < self.open[-1][0] - _DEEPER / 2:
            self.open.pop()
        if not self.open:
            self.open = [(left, marker)]
            return 0
        if left > self.open[-1][0] + _DEEPER:
            self.open.append((left, self.open[-1][1] + marker))
            return self.open[-1][1] - marker
        above = self.open[-2][1] if self.open[1:] else 0
        self.open[-1] = (self.open[-1][0], above + marker)
        return above


def _cut(runs: Sequence[Run], skip: int) -> list[Run]:
    """Runs without their first characters."""
    found = list[Run]()
    for run in runs:
        if skip >= len(run.text):
            skip -= len(run.text)
            continue
        found.append(_with(run, run.text[skip:]))
        skip = 0
    return found


def _with(run: Run, text: str) -> Run:
    return Run(text, run.bold, run.italic, run.code, run.raised, run.link, run.note)


def inline(runs: Sequence[Run], *, plain: bool = False) -> str:
    """Runs as Markdown; `plain` without weight and slant."""
    parts, last = list[str](), ""
    for run in runs:
        part = _run(run, plain)
        if last.endswith("*") and part.startswith("*"):  # two marks side by side would be one
            part = _run(run, plain=True)
        parts.append(part)
        last = part or last
    return "".join(parts).strip()


def _run(run: Run, plain: bool) -> str:
    text = run.text if run.code else _LEADER.sub(" … ", run.text)
    before, core, after = _spaces(text)
    if not core:
        return text
    if run.note:
        return f"{before}[^{run.note}]{after}"
    return before + _marked(run, core, plain) + after


def _marked(run: Run, text: str, plain: bool) -> str:
    """A text with its markup."""
    if run.link:
        if run.link in (text, text + "/", "mailto:" + text):
            return f"<{run.link.removeprefix('mailto:')}>"
        shown = code_span(text) if run.code else escaped(text)
        return f"[{shown}]({_address(run.link)})"
    if run.code:
        return code_span(text)
    if run.raised and _RAISED.fullmatch(text):
        return f"<sup>{escaped(text)}</sup>"
    sign = (
        ""
        if plain
        else "***"
        if run.bold and run.italic
        else "**"
        if run.bold
        else "*"
        if run.italic
        else ""
    )
    match = _EDGE.match(text)
    if not sign or not match or not match[2]:
        return escaped(text)
    return escaped(match[1]) + sign + escaped(match[2]) + sign + escaped(match[3])


def _spaces(text: str) -> tuple[str, str, str]:
    """The whitespace around a text, and the text."""
    core = text.strip()
    if not core:
        return text, "", ""
    start = text.index(core)
    return text[:start], core, text[start + len(core) :]


def _address(link: str) -> str:
    return re.sub(r"[\s()<>\\]", lambda sign: "".join(f"%{b:02X}" for b in sign[0].encode()), link)


def _table(block: Block) -> str:
    """The rows of a table; the first one is its header."""
    rows = ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in block.rows]
    rule = "| " + " | ".join("---" for _ in block.rows[0]) + " |"
    return "\n".join([rows[0], rule, *rows[1:]])


def _cell(blocks: Sequence[Sequence[Run]]) -> str:
    text = "<br>".join(inline(runs, plain=True) for runs in blocks)
    return re.sub(r"(?<!\\)\|", r"\\|", text)
