"""The text of a TMX or XLIFF segment, without its inline codes.

A code is dropped, unless it is a placeholder such as {0}, which is text for us; XLIFF has it in
an attribute. A code of a line break is a space. Marked text (`hi`, `g`, `pc`, `mrk`) is text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from longways.formats.placeholders import kept_parts

_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements whose content is code of the original format."""
_EMPTY = {"x", "bx", "ex", "sc", "ec", "sm", "em", "cp"}
"""Elements of XLIFF that stand for code and have no content."""
_SHOWN = "equiv-text", "equiv", "disp"
"""Attributes with the code that an element stands for."""
_SPACES = re.compile(" {2,}")


class SegmentText:
    """Collects the text of one element from the events of a parser."""

    def __init__(self) -> None:
        self._parts, self._code = list[str](), list[str]()
        self._depth, self._code_depth, self._sub_depth = 0, 0, 0
        self._has_codes = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins inside."""
        self._depth += 1
        if not self._sub_depth and not self._code_depth and (name in _CODES or name in _EMPTY):
            self._add_shown(attributes)
        if self._code_depth:
            self._sub_depth = self._sub_depth or (self._depth if name == "sub" else 0)
        elif name in _CODES:
            self._code_depth, self._has_codes = self._depth, True
            self._code.clear()

    def end(self) -> bool:
        """An element ends; whether it is the segment itself."""
        if self._depth == self._sub_depth:
            self._sub_depth = 0
        elif self._depth and self._depth == self._code_depth:
            self._code_depth = 0
            code = "".join(self._code).strip()
            self._parts += [code] if _is_placeholder(code) else []
        self._depth -= 1
        return self._depth < 0

    def add(self, data: str) -> None:
        """Characters inside."""
        if not self._sub_depth:
            (self._code if self._code_depth else self._parts).append(data)

    def _add_shown(self, attributes: Mapping[str, str]) -> None:
        """Add what the attributes of a code say that it stands for, if that is text for us."""
        self._has_codes = True
        if "lb" in (attributes.get("ctype"), attributes.get("subType", "").rpartition(":")[2]):
            self._parts.append(" ")
            return
        shown = (attributes.get(name, "").strip() for name in _SHOWN)
        self._parts += [code for code in shown if _is_placeholder(code)][:1]

    @property
    def text(self) -> str:
        """The text; where a code stood between two spaces, one space is left."""
        text = "".join(self._parts).strip()
        return _SPACES.sub(" ", text) if self._has_codes else text


def _is_placeholder(code: str) -> bool:
    """Whether a code is what stands in the text as text, such as {0} and %s; a tag is not."""
    whole = ((0, len(code)),)
    return code != "" and not code.startswith("<") and kept_parts(code) == whole
