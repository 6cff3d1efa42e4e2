r"""Cells of a Markdown table row: their ranges, without the backslash of `\|`."""

from __future__ import annotations

import re

Range = tuple[int, int]

_PIPE = re.compile(r"\\?\|")
_SPACES = " \t\n\v\f\r"


def cell_ranges(text: str, start: int, end: int) -> list[list[Range]]:
    """The cells of the row `text[start:end]`, each as a list of ranges of the text."""
    while start < end and text[start] in _SPACES:
        start += 1
    while end > start and text[end - 1] in _SPACES:
        end -= 1
    cells = _split(text, start, end)
    if cells and _is_empty(cells[0]):
        cells = cells[1:]
    if cells and _is_empty(cells[-1]):
        cells = cells[:-1]
    return [_trimmed(text, parts) for parts in cells]


def escape_pipes(text: str) -> str:
    """Escape the text of a cell."""
    return text.replace("|", "\\|") + (" " if text.endswith("\\") else "")


def _split(text: str, start: int, end: int) -> list[list[Range]]:
    cells: list[list[Range]] = [[]]
    for pipe in _PIPE.finditer(text, start, end):
        cells[-1].append((start, pipe.start()))
        start = pipe.end()
        if pipe[0] == "|":
            cells.append([])
        else:
            start -= 1  # the pipe is text, its backslash is not
    cells[-1].append((start, end))
    return cells


def _is_empty(parts: list[Range]) -> bool:
    return len(parts) == 1 and parts[0][0] == parts[0][1]


def _trimmed(text: str, parts: list[Range]) -> list[Range]:
    """The ranges of a cell without outer spaces and empty ranges."""
    (first, first_end), (last, last_end) = parts[0], parts[-1]
    if len(parts) == 1:
        first_end = last_end
    while first < first_end and text[first] in _SPACES:
        first += 1
    parts[0] = first, first_end
    last = parts[-1][0]
    while last_end > last and text[last_end - 1] in _SPACES:
        last_end -= 1
    parts[-1] = last, last_end
    return [(start, end) for start, end in parts if start < end]
