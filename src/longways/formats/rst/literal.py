"""Literal blocks: code after a paragraph that ends with `::`, indented or quoted."""

from __future__ import annotations

from collections.abc import Sequence

from longways.formats.rst.lines import Line, indented


def literal_end(text: str, lines: Sequence[Line], at: int, base: int) -> int:
    """The number of the line after the literal block below a paragraph at the column `base`."""
    start = at
    while start < len(lines) and lines[start].is_blank:
        start += 1
    if start == len(lines) or lines[start].column > base:
        return indented(lines, start, base + 1)
    sign = text[lines[start].begin]
    if start == at or sign.isalnum() or not sign.isascii():
        return at
    while start < len(lines) and text.startswith(sign, lines[start].begin, lines[start].end):
        start += 1
    return start
