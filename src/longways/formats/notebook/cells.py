r"""The sources of a notebook's cells: their places in the file, and how new text is written there.

A source is one string, or a list of strings, of which all but the last end with a line end:

    "source": "# 标题\n\n正文"        "source": ["# 标题\n", "\n", "正文"]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from longways.formats.resources.json_file import JsonEscapes, json_value
from longways.formats.resources.json_scanner import JsonScanner, JsonString

_CELLS = (("cells", ""), ("worksheets", "", "cells", ""))
"""The keys above a cell, in nbformat 4 and in nbformat 3."""
_DEPTH = 7
"""One more than the objects and lists around the deepest string that is read."""
_LINE = re.compile(r"(?:[^\\]|\\[^n])++(?:\\n)?|\\n")
"""A line between the quotes of a string."""
_BETWEEN = re.compile(r'"\s*,\s*"')


@dataclass(slots=True)
class Source:
    """The source of a cell, as one string or as a list of strings."""

    cell: int
    """Where the cell begins in the file; no other cell has the same number."""
    start: int
    """Where the list begins, or the text in quotes."""
    strings: list[JsonString] = field(default_factory=list)

    def text(self, file: str) -> str:
        """The text of the source."""
        return "".join(json_value(file, string).value for string in self.strings)

    def is_whole(self, file: str) -> bool:
        """Whether there is nothing but strings between the first and the last string."""
        pairs = itertools.pairwise(self.strings)
        return all(_BETWEEN.fullmatch(file, one.end, next_.start) for one, next_ in pairs)

    @property
    def range(self) -> tuple[int, int]:
        """The first and last place between the outer quotes."""
        return self.strings[0].start, self.strings[-1].end

    def written(self, file: str, text: str, escapes: JsonEscapes) -> str:
        """A new text for the range; lines that do not change keep their escapes."""
        known = dict(self._lines(file))
        lines = [known.get(line) or escapes.escape(line) for line in lines_of(text)]
        return self._between(file).join(lines)

    def _lines(self, file: str) -> Iterator[tuple[str, str]]:
        """The lines of the source, each as text and as it is in the file."""
        for string in self.strings:
            for line in _LINE.finditer(file, string.start, string.end):
                here = string._replace(start=line.start(), end=line.end())
                yield json_value(file, here).value, line[0]

    def _between(self, file: str) -> str:
        """What is in the file between two lines: in a list, the quotes and a comma."""
        if len(self.strings) > 1:
            return file[self.strings[0].end : self.strings[1].start]
        if file[self.start] == "[":
            space = file[self.start + 1 : self.strings[0].start - 1]
            beside = " " if file[self.start - 1] == " " else ""  # as after the colon
            return f'",{space or beside}"'
        return ""


def lines_of(text: str) -> list[str]:
    r"""The lines of a text, each with its `\n`; one empty line if there is no text."""
    lines = text.split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] or not ended else ended


@dataclass(slots=True)
class Cells:
    """The sources of all cells in order, and the kinds of the cells by their places."""

    sources: list[Source] = field(default_factory=list)
    kinds: dict[int, str] = field(default_factory=dict)

    def add(self, string: JsonString, around: list[tuple[int, str]], text: str) -> None:
        """Add a string of a file, if it belongs to the source or is the kind of a cell."""
        keys = tuple(key for _, key in around)
        for above in _CELLS:
            depth = len(above)
            if keys[:depth] != above or len(keys) == depth:
                continue
            cell = around[depth][0]
            if keys[depth:] == ("cell_type",):
                self.kinds[cell] = text[string.start : string.end]
            elif keys[depth:] == ("source",):
                self.sources.append(Source(cell, string.start, [string]))
            elif keys[depth:] == ("source", ""):
                self._add_line(cell, around[-1][0], string)

    def _add_line(self, cell: int, start: int, string: JsonString) -> None:
        """Add a string in a list, which may have begun with an earlier string."""
        if not self.sources or self.sources[-1].start != start:
            self.sources.append(Source(cell, start))
        self.sources[-1].strings.append(string)


def read_cells(scanner: JsonScanner) -> Cells:
    """The cells of a notebook, after reading it to its end."""
    cells = Cells()
    for string in scanner.strings():
        cells.add(string, scanner.around(_DEPTH), scanner.text)
    return cells
