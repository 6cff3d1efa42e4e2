"""Markdown writer for a sequence of text and marks."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from longways.formats.markdown.blocks import MarkdownBlock
from longways.formats.markdown.emphasis import EMPHASIS, Delimiters
from longways.formats.markdown.escape import (
    Manner,
    escape,
    escape_inside,
    escape_line_start,
)
from longways.formats.markdown.passages import Markup, PassageNode
from longways.formats.markdown.sequence import Step

Edits = list[tuple[int, int, str]]
"""Replacements in a block's text (start, end, new text), disjoint and in order."""


class WritingStyle(NamedTuple):
    """How defensively to escape."""

    manner: Manner
    one_line: bool = False
    html: bool = False
    """Whether emphasis and code are written as HTML."""
    space: str = ""
    """Text to begin with, so that HTML does not begin the line."""


class MarkdownWriter:
    """Writes sequences of one passage in one style."""

    def __init__(
        self, block: MarkdownBlock, node: PassageNode, edits: Edits, style: WritingStyle
    ) -> None:
        self.block, self.markups, self.edits, self.style = block, node.markups, edits, style
        self.role = node.role
        self.starts_lines = node.role == "block" and block.begins_line
        self.flat = style.one_line or not self.starts_lines or block.kind == "cell"

    def write(self, steps: list[Step]) -> str:
        """The text of the block, without line prefixes."""
        fragments = [self._text(step.text) for step in steps]
        done = self._write_spans(steps, fragments)
        for at, step in enumerate(steps):
            if step.kind == "alone":
                fragments[at] = self._alone(step, at, steps)
            elif step.kind != "text" and at not in done:
                fragments[at] = self._end(step)
        self._write_emphasis(steps, fragments)
        if self.starts_lines and self.style.manner != "plain":
            self._escape_line_starts(steps, fragments)
        return self._finished("".join(fragments))

    def _finished(self, written: str) -> str:
        """Escape a closing sequence at the end of a heading."""
        if self.style.manner != "plain" and self.block.kind == "heading":
            written = re.sub(r"(?<!\S)#+$", r"\\\g<0>", written)
        return self.style.space + written

    def _escape_line_starts(self, steps: list[Step], fragments: list[str]) -> None:
        """Escape line starts, so that no text begins another block."""
        at_start = True
        for at, step in enumerate(steps):
            if step.kind == "text" and fragments[at]:
                first, *more = fragments[at].split("\n")
                first = escape_line_start(first) if at_start else first
                fragments[at] = "\n".join([first, *map(escape_line_start, more)])
            at_start = fragments[at].endswith("\n") if fragments[at] else at_start

    def _text(self, text: str) -> str:
        escaped = escape(self._flat(text), self.style.manner)
        return escaped if self.role == "block" else escape_inside(escaped)

    def _flat(self, text: str) -> str:
        return text.replace("\n", " ") if self.flat else text

    def _source(self, start: int, end: int) -> str:
        return self._flat(spliced(self.block.text, start, end, self.edits))

    def _write_spans(self, steps: list[Step], fragments: list[str]) -> set[int]:
        """Write code and autolinks that contain only text; return their steps."""
        done: set[int] = set()
        for at in range(len(steps) - 2):
            opening, inner, closing = steps[at : at + 3]
            if opening.kind == "open" and inner.kind == "text" and closing.tag == opening.tag:
                span = self._span(self.markups[opening.tag], inner.text.replace("\n", " "))
                if span:
                    fragments[at : at + 3] = span
                    done |= {at, at + 2}
        return done

    def _span(self, markup: Markup, text: str) -> list[str]:
        """Code or an autolink with its delimiters; empty for other markup."""
        if markup.html or not markup.closing:
            return []
        if markup.name == "code" and not self.style.html:
            ticks = _ticks(text, markup.opening[1] - markup.opening[0])
            edges = "`" in (text[0], text[-1]) or text[0] == text[-1] == " "
            pad = " " if edges and text.strip(" ") else ""
            return [ticks + pad, text, pad + ticks]
        same = text == self.block.text[markup.opening[1] : markup.closing[0]]
        return ["<", text, ">"] if markup.name == "auto" and same else []

    def _alone(self, step: Step, at: int, steps: list[Step]) -> str:
        markup = self.markups[step.tag]
        if markup.name != "br" or markup.html:
            return self._source(*markup.opening)
        if self.flat or at in (0, len(steps) - 1):
            return "<br>"
        bare = self.block.text[markup.opening[0]] != "\\" and steps[at - 1].kind == "text"
        return "  \n" if bare else "\\\n"

    def _end(self, step: Step) -> str:
        """The start or end of a link or HTML tag; code is written as HTML."""
        markup, opens = self.markups[step.tag], step.kind == "open"
        if markup.html:
            return self._source(*(markup.opening if opens else markup.closing or (0, 0)))
        if markup.name in ("a", "auto"):
            return "[" if opens else self._link_end(markup)
        return f"<{'' if opens else '/'}{markup.name}>"

    def _link_end(self, markup: Markup) -> str:
        start, end = markup.closing or (0, 0)
        inside = self.block.text[markup.opening[1] : start]
        if markup.name == "auto":
            return f"](<{'' if ':' in inside else 'mailto:'}{inside}>)"
        tail = self._source(start, end)
        return f"][{' '.join(inside.split())}]" if tail in ("]", "][]") else tail

    def _write_emphasis(self, steps: list[Step], fragments: list[str]) -> None:
        """Write emphasis with delimiters where Markdown recognises them."""
        opened, delimiters = dict[int, int](), Delimiters(fragments)
        for at, step in enumerate(steps):
            markup = self.markups.get(step.tag)
            if not markup or markup.html or markup.name not in EMPHASIS or self.style.html:
                continue
            if step.kind == "open":
                opened[step.tag] = at
            elif at > opened[step.tag] + 1:
                own = self.block.text[markup.opening[0]]
                delimiters.write(own, markup.name, opened[step.tag], at)


def spliced(text: str, start: int, end: int, edits: Edits) -> str:
    """A range of a text with edits applied."""
    parts, place = list[str](), start
    for at in range(bisect_left(edits, (start,)), len(edits)):
        begin, stop, new = edits[at]
        if begin >= end:
            break
        parts += text[place:begin], new
        place = stop
    return "".join([*parts, text[place:end]])


def _ticks(text: str, least: int) -> str:
    """A run of backticks whose length does not occur in the text."""
    runs = {len(run) for run in re.findall("`+", text)}
    while least in runs:
        least += 1
    return "`" * least
