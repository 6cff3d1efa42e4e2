"""A file of nodes as a document: its passages, and which of them are new."""

from __future__ import annotations

from collections.abc import Sequence

from longways.formats.base import Passage
from longways.formats.nested.nodes import Node
from longways.formats.text_file import TextFile

MAX_WARNINGS = 10
"""More defects of a file than this are not named."""


class NestedDocument:
    """The nodes of a file; a format adds how they are written."""

    def __init__(
        self, file: TextFile, top: Sequence[Node], defects: Sequence[tuple[int, str]] = ()
    ) -> None:
        """`defects` are offsets, and what is wrong there."""
        self.file, self.top = file, top
        self._nodes = [node for one in top for node in one.all()]
        self.passages: Sequence[Passage] = [node.passage for node in self._nodes]
        self.warnings: Sequence[str] = [
            _warning(file.text, *one) for one in sorted(set(defects))[:MAX_WARNINGS]
        ]

    def new(self, passages: Sequence[Passage]) -> dict[int, Passage]:
        """The passages that are new and not blank, by the `id` of their nodes."""
        return {
            id(node): passage
            for node, passage in zip(self._nodes, passages, strict=True)
            if (passage.text, passage.marks) != (node.passage.text, node.passage.marks)
            and passage.text.strip()
        }

    @property
    def line_end(self) -> str:
        """The line end of the file."""
        return "\r\n" if "\r\n" in self.file.text else "\n"


def _warning(text: str, place: int, what: str) -> str:
    line = text.count("\n", 0, place) + 1
    return f"Line {line}: {what}; what is there was left as it is."
