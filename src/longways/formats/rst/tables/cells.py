"""Cells of tables: each has a text of its own, with blocks in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longways.formats.base import Passage
from longways.formats.rst.blocks import Block, Place, Slot, Writing
from longways.formats.rst.tables.screen import margin, wrapped

if TYPE_CHECKING:
    from longways.formats.rst.body import Body


@dataclass(frozen=True, slots=True)
class CellText:
    """The text of a cell without its margin, and the blocks in it."""

    text: str
    margin: int
    blocks: Sequence[Block]

    def passages(self) -> Iterator[Passage]:
        """The passages of the cell."""
        for block in self.blocks:
            yield from block.passages()

    def written(self, new: Iterator[Passage], writing: Writing, columns: int = 0) -> list[str]:
        """The lines of the cell with new passages; new lines are wrapped if `columns` is given."""
        edits = [edit for block in self.blocks for edit in block.edits(new, writing)]
        if not edits:
            return self.text.split("\n")
        parts, place = list[str](), 0
        for start, end, text in edits:
            parts += self.text[place:start], text
            place = end
        lines = "".join([*parts, self.text[place:]]).split("\n")
        if not columns or not self._has_only_paragraphs():
            return lines
        own = set(self.text.split("\n"))
        groups = ([line] if line in own else wrapped(line, columns) for line in lines)
        return [line for group in groups for line in group]

    def _has_only_paragraphs(self) -> bool:
        return all(isinstance(b, Slot) and b.kind == "paragraph" for b in self.blocks)


def cell_text(body: Body, lines: Sequence[str], place: Place) -> CellText:
    """A cell of some lines, each cut out of a line of the file."""
    indent = margin(lines)
    text = "\n".join(line[indent:] for line in lines).rstrip()
    return CellText(text, indent, body.within(text, place))
