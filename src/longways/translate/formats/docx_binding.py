"""Content controls whose text is a copy of what is stored elsewhere, as the title of the document.

A word processor would put what is stored in place of any new text when it opens the file. So a
control with new text is written without its binding.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from longways.translate.formats.docx_xml import Node

BINDINGS = frozenset(["w:dataBinding", "w15:dataBinding"])
"""Elements among the properties of a control that bind it."""


@dataclass(frozen=True)
class Binding:
    """Where a control says what it is bound to."""

    start: int
    end: int
    control: tuple[int, int]
    paragraph: int
    """Where the paragraph begins that the control is in, or -1."""

    @classmethod
    def of(cls, node: Node, control: Node, open_: Sequence[Node]) -> Binding:
        """The binding at a node of a control that is within others."""
        paragraphs = (outer.start for outer in reversed(open_) if outer.name == "w:p")
        return cls(node.start, node.end, (control.start, control.end), next(paragraphs, -1))

    def is_within(self, new: Sequence[int]) -> bool:
        """Whether its control has new text, from where the paragraphs with new text begin."""
        inside = bisect_left(new, self.control[0])
        outside = bisect_left(new, self.paragraph)
        return (inside < len(new) and new[inside] < self.control[1]) or (
            outside < len(new) and new[outside] == self.paragraph
        )
