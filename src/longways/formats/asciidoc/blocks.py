"""Texts of an AsciiDoc file: their places, and how new text is written there.

A slot is one passage: a paragraph, a title, an item, a cell, the value of an attribute. Text that
would begin another block begins with `{empty}`, which stands for nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from longways.formats.asciidoc.text.passages import Inline, read_inline
from longways.formats.asciidoc.text.writer import write_inline
from longways.formats.base import Passage
from longways.formats.placeholders import kept_parts
from longways.formats.rst.lines import Line, joined, on_one_line

Edit = tuple[int, int, str]
"""Start and end offset of some characters, and their replacement."""
SlotKind = Literal[
    "paragraph", "title", "item", "term", "cell", "line", "value", "hole", "csv", "quoted"
]
"""`value` is an attribute in brackets or of the file, `hole` a text inside of a macro,
`csv` and `quoted` a value between commas."""

_STARTS = re.compile(
    r"""(?: [=\#]{1,6} | [*]{1,5} | - | \.{1,5} | \d+\. | [A-Za-z]\. | [ivxIVX]+\)
      | <[\d.]+> | > | \u2022 ) [ ] | \.[^\s.] | // | \[.*\]\Z | :!?[\w-]+!?:
      | (?: -{4,} | \.{4,} | ={4,} | \*{4,} | _{4,} | \+{4,}
        | -- | [|,:!]=== | '{3,} | <{3,} | ```.* | \+ | \*{3} | -{3} )\Z
      | (?: NOTE | TIP | IMPORTANT | WARNING | CAUTION ): [ ] | [a-z]+::[^\s\[]*\[""",
    re.VERBOSE,
)
"""The beginning of a text that would be read as another block."""
_TERM = re.compile(r"(?<=\S)(::+|;;)(?=\s|\Z)")
_SPEC = re.compile(r"(?:\A|\s)(?:\d+(?:\.\d+)?[*+])?[<^>]?(?:\.[<^>])?[a-z]?\Z")


@dataclass(frozen=True)
class Writing:
    """How a file is written."""

    bilingual: bool
    targets: frozenset[str] = frozenset()
    """The anchors of titles that references of the file use."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One passage and its place, `text[start:end]`."""

    start: int
    end: int
    kind: SlotKind
    inline: Inline
    lines: tuple[Line, ...] = ()
    """The lines of the block, from which its text is joined."""
    underline: tuple[int, int, str] | None = None
    """The line of signs below a title, and its sign."""
    in_block: bool = True
    """Whether it is inside of other blocks."""
    children: tuple[Slot, ...] = ()
    """The texts inside of its markup; their places are in the text of the block."""
    before_bar: bool = False
    """Whether the border of the next cell follows directly."""
    rule: int = 0
    """The length that would make this paragraph a title of the line of signs below it."""
    quote: str = ""
    """The quotation mark around a value, or the sign that separates it from others."""

    def passages(self) -> Iterator[Passage]:
        """Its passage, and those inside of its markup."""
        if self.inline.is_read:
            yield self.inline.passage
        for child in self.children:
            yield from child.passages()

    def edits(self, new: Iterator[Passage], writing: Writing) -> Iterator[Edit]:
        """The changes for new passages; blank ones change nothing."""
        passage = next(new) if self.inline.is_read else self.inline.passage
        holes = {
            (start, end): text
            for child in self.children
            for start, end, text in child.edits(new, writing)
        }
        if passage == self.inline.passage or not passage.text.strip():
            place = self._places()
            for (start, end), text in holes.items():
                yield place(start), place(end - 1) + 1, text
            return
        written = self._written(passage, holes, writing)
        yield from self._with_target(writing)
        yield self.start, self.end, written
        if self.underline:
            start, end, sign = self.underline
            yield start, end, sign * max(len(written), 2)

    def _places(self) -> Callable[[int], int]:
        """The place in the file of a character of the joined lines."""
        lines = self.lines or (Line(self.start, self.end, 0),)
        lengths = (line.end - line.begin + 1 for line in lines)
        starts = [0, *accumulate(lengths)]

        def place(offset: int) -> int:
            at = min(bisect_right(starts, offset), len(lines)) - 1
            return lines[at].begin + offset - starts[at]

        return place

    def _written(
        self, passage: Passage, holes: dict[tuple[int, int], str], writing: Writing
    ) -> str:
        if self.kind == "value":
            return self._value(passage, writing)
        text = write_inline(self.inline, passage, holes).strip(" ")
        own = self.inline.text.strip()
        below = writing.bilingual and self.kind == "paragraph" and not self.in_block
        if writing.bilingual and not below:
            text = f"{text} / {on_one_line(own)}"
        text = finished(text, self.kind)
        if self.before_bar and _SPEC.search(text):
            text += " "
        if self.rule and abs(len(text) - self.rule) < 2 and "\n" not in text:
            text += "{empty}"
        return f"{text}\n\n____\n{own}\n____" if below else text

    def _value(self, passage: Passage, writing: Writing) -> str:
        text = on_one_line(passage.text).strip()
        if writing.bilingual:
            text = f"{text} / {self.inline.passage.text}"
        text = text.replace("]", "&#93;") if self.quote else text
        if self.quote in ('"', "'"):
            return text.replace(self.quote, f"\\{self.quote}")
        if self.quote == "," and re.search(r"[,=\"']", text):
            return '"' + text.replace('"', '\\"') + '"'
        return text

    def _with_target(self, writing: Writing) -> Iterator[Edit]:
        """An anchor for the references to the old name of a title."""
        if self.kind != "title" or not self.lines:
            return
        for name in anchors_of(self.inline.passage.text):
            if name in writing.targets:
                yield self.lines[0].begin, self.lines[0].begin, f"[[{name}]]\n"
                return


def anchors_of(title: str) -> list[str]:
    """The anchors that Asciidoctor gives to a title, with the usual values of its attributes.

    Those are `idprefix` and `idseparator`, which sites such as Antora's set outside of the file.
    """
    bare = re.sub(r"[^\w .-]", "", title.lower())
    parts = (
        re.sub(signs, separator, bare).strip(separator)
        for separator, signs in (("_", "[ _.-]+"), ("-", "[ .-]+"))
    )
    return [prefix + part for part in parts for prefix in ("_", "")]


def finished(text: str, kind: SlotKind) -> str:
    """The text of a block that begins no other block."""
    if kind == "cell":
        return re.sub(r"(?<!\\)\|", r"\|", text)
    if kind == "csv":
        return '"' + text.replace('"', '""') + '"' if re.search('[,"]', text) else text
    if kind == "quoted":
        return text.replace('"', '""')
    if kind in ("hole", "title"):
        return text
    lines = [f"{{empty}}{line}" if _STARTS.match(line) else line for line in text.split("\n")]
    return _TERM.sub(
        lambda m: ":&#58;" + m[0][2:] if m[0][0] == ":" else ";&#59;", "\n".join(lines)
    )


def slot(
    text: str,
    lines: Sequence[Line],
    kind: SlotKind,
    *,
    in_block: bool = True,
    before_bar: bool = False,
) -> list[Slot]:
    """The slot of some lines, if there is text to read."""
    lines = tuple(lines)
    if not lines or lines[0].begin == lines[-1].end:
        return []
    inline = read_inline(joined(text, lines))
    children = tuple(
        child for hole in inline.holes for child in _hole(inline.text, hole.start, hole.end)
    )
    if not inline.is_read and not children:
        return []
    start, end = lines[0].begin, lines[-1].end
    found = Slot(start, end, kind, inline, lines, None, in_block, children, before_bar)
    return [found]


def _hole(text: str, start: int, end: int) -> list[Slot]:
    inline = read_inline(text[start:end])
    return [Slot(start, end, "hole", inline)] if inline.is_read else []


def value_slot(text: str, start: int, end: int, quote: str = "") -> list[Slot]:
    """The slot of the value of an attribute, without markup."""
    own = text[start:end]
    start += len(own) - len(own.lstrip())
    said = own.strip()
    passage = Passage(said, (), kept_parts(said))
    inline = Inline(said, passage)
    return [Slot(start, start + len(said), "value", inline, quote=quote)] if inline.is_read else []
