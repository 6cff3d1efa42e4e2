"""The text of a TMX segment, without its inline codes.

A code is dropped, unless it is a placeholder such as {0}, which is text for us. Marked text (`hi`,
and elements of other formats such as `g`) is text.
"""

from __future__ import annotations

import re

from longways.formats.placeholders import kept_parts

_CODES = {"bpt", "ept", "it", "ph", "ut"}
"""Elements whose content is code of the original format."""
_SPACES = re.compile(" {2,}")


class SegmentText:
    """Collects the text of one element from the events of a parser."""

    def __init__(self) -> None:
        self._parts, self._code = list[str](), list[str]()
        self._depth, self._code_depth, self._sub_depth = 0, 0, 0
        self._has_codes = False

    def start(self, name: str) -> None:
        """An element begins inside."""
        self._depth += 1
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

    @property
    def text(self) -> str:
        """The text; where a code stood between two spaces, one space is left."""
        text = "".join(self._parts).strip()
        return _SPACES.sub(" ", text) if self._has_codes else text


def _is_placeholder(code: str) -> bool:
    """Whether a code is what stands in the text as text, such as {0} and %s; a tag is not."""
    whole = ((0, len(code)),)
    return code != "" and not code.startswith("<") and kept_parts(code) == whole
