"""A sequence of text and marks written as Markdown, in one of several ways."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from longways.translate.formats.markdown_blocks import Block
from longways.translate.formats.markdown_emphasis import EMPHASIS, Delimiters
from longways.translate.formats.markdown_escape import (
    Manner,
    escape,
    escape_inside,
    escape_line_start,
)
from longways.translate.formats.markdown_passages import Markup, Node
from longways.translate.formats.markdown_sequence import Step

Edits = list[tuple[int, int, str]]
"""What is written in place of parts of a block's text, apart and in order."""


class Way(NamedTuple):
    """How careful to be."""

    manner: Manner
    one_line: bool = False
    html: bool = False
    """Whether emphasis and code are written as HTML."""
    space: str = ""
    """What to begin with, so that HTML does not begin the line."""


class Writer:
    """Writes sequences of one passage in one way."""

    def __init__(self, block: Block, node: Node, edits: Edits, way: Way) -> None:
        self.block, self.markups, self.edits, self.way = block, node.markups, edits, way
        self.role = node.role
        self.starts_lines = node.role == "block" and block.begins_line
        self.flat = way.one_line or not self.starts_lines or block.kind == "cell"

    def write(self, steps: list[Step]) -> str:
        """The text of the block, in lines without what begins them."""
        pieces = [self._text(step.text) for step in steps]
        done = self._write_spans(steps, pieces)
        for at, step in enumerate(steps):
            if step.kind == "alone":
                pieces[at] = self._alone(step, at, steps)
            elif step.kind != "text" and at not in done:
                pieces[at] = self._end(step)
        self._write_emphasis(steps, pieces)
        if self.starts_lines and self.way.manner != "plain":
            self._escape_line_starts(steps, pieces)
        return self._finished("".join(pieces))

    def _finished(self, written: str) -> str:
        """With the end of a heading escaped if it could be taken for its marker."""
        if self.way.manner != "plain" and self.block.kind == "heading":
            written = re.sub(r"(?<!\S)#+$", r"\\\g<0>", written)
        return self.way.space + written

    def _escape_line_starts(self, steps: list[Step], pieces: list[str]) -> None:
        """Let no text begin another block."""
        at_start = True
        for at, step in enumerate(steps):
            if step.kind == "text" and pieces[at]:
                first, *more = pieces[at].split("\n")
                first = escape_line_start(first) if at_start else first
                pieces[at] = "\n".join([first, *map(escape_line_start, more)])
            at_start = pieces[at].endswith("\n") if pieces[at] else at_start

    def _text(self, text: str) -> str:
        escaped = escape(self._flat(text), self.way.manner)
        return escaped if self.role == "block" else escape_inside(escaped)

    def _flat(self, text: str) -> str:
        return text.replace("\n", " ") if self.flat else text

    def _source(self, start: int, end: int) -> str:
        return self._flat(spliced(self.block.text, start, end, self.edits))

    def _write_spans(self, steps: list[Step], pieces: list[str]) -> set[int]:
        """Write code and addresses with nothing but text in them; which steps that were."""
        done: set[int] = set()
        for at in range(len(steps) - 2):
            opening, inner, closing = steps[at : at + 3]
            if opening.kind == "open" and inner.kind == "text" and closing.tag == opening.tag:
                span = self._span(self.markups[opening.tag], inner.text.replace("\n", " "))
                if span:
                    pieces[at : at + 3] = span
                    done |= {at, at + 2}
        return done

    def _span(self, markup: Markup, text: str) -> list[str]:
        """Code or an address as it is, with what stands before and after; nothing for others."""
        if markup.html or not markup.closing:
            return []
        if markup.name == "code" and not self.way.html:
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
        """The beginning or the end of a link or of HTML; of code, as HTML."""
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

    def _write_emphasis(self, steps: list[Step], pieces: list[str]) -> None:
        """Write emphasis with its own characters, where they are seen as such."""
        opened, delimiters = dict[int, int](), Delimiters(pieces)
        for at, step in enumerate(steps):
            markup = self.markups.get(step.tag)
            if not markup or markup.html or markup.name not in EMPHASIS or self.way.html:
                continue
            if step.kind == "open":
                opened[step.tag] = at
            elif at > opened[step.tag] + 1:
                own = self.block.text[markup.opening[0]]
                delimiters.write(own, markup.name, opened[step.tag], at)


def spliced(text: str, start: int, end: int, edits: Edits) -> str:
    """A part of a text with what is written in place of its own."""
    parts, place = list[str](), start
    for at in range(bisect_left(edits, (start,)), len(edits)):
        begin, stop, new = edits[at]
        if begin >= end:
            break
        parts += text[place:begin], new
        place = stop
    return "".join([*parts, text[place:end]])


def _ticks(text: str, least: int) -> str:
    """As many backticks as the text has not side by side."""
    runs = {len(run) for run in re.findall("`+", text)}
    while least in runs:
        least += 1
    return "`" * least
