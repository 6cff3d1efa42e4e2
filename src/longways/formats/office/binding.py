"""Data bindings of content controls, whose text is a copy of stored data, such as the title.

A word processor replaces the text of a bound control by the stored data. So a control with new text
is written without its binding.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from longways.formats.office.xml import XmlElement

BINDINGS = frozenset(["w:dataBinding", "w15:dataBinding"])
"""Elements that bind a content control to data."""


@dataclass(frozen=True)
class Binding:
    """Position of a binding, of its control and of its paragraph."""

    start: int
    end: int
    control: tuple[int, int]
    paragraph: int
    """Start of the paragraph that contains the control, or -1."""

    @classmethod
    def of(cls, node: XmlElement, control: XmlElement, open_: Sequence[XmlElement]) -> Binding:
        """The binding of a control within open elements."""
        paragraphs = (outer.start for outer in reversed(open_) if outer.name == "w:p")
        return cls(node.start, node.end, (control.start, control.end), next(paragraphs, -1))

    def is_within(self, new: Sequence[int]) -> bool:
        """Whether its control has new text; `new` are the starts of new paragraphs."""
        inside = bisect_left(new, self.control[0])
        outside = bisect_left(new, self.paragraph)
        return (inside < len(new) and new[inside] < self.control[1]) or (
            outside < len(new) and new[outside] == self.paragraph
        )
