"""The blocks of a region: paragraphs, code and tables, from lines and the space between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from longways.formats.pdf.layout.atoms import Atom, Table
from longways.formats.pdf.layout.joining import join_lines
from longways.formats.pdf.layout.lines import Line, Run, read_lines, space_between
from longways.formats.pdf.pages.characters import BULLET, is_wide, width
from longways.formats.pdf.pages.words import Word

_LEADING_TOLERANCE = 1.2
"""A larger distance between two lines, in units of the leading, begins a paragraph."""
_DEFAULT_LEADING, _MAX_LEADING = 1.35, 2.2
"""The distance between lines in units of their size, where it cannot be measured; the largest."""
_SIZE_TOLERANCE = 0.12
"""Lines of one paragraph differ less in size."""
_INDENT, _MAX_INDENT = 0.8, 6.0
"""The indentation of a first line, in units of the size."""
_ROOM = 0.5
"""What a line has more room for than the next word, if it is the last of a paragraph."""
_ROOM_IN_SENTENCE = 0.3
"""The share of a column that a line may leave free before a word in lower case."""
_MIN_JUSTIFIED = 3
"""Lines that end at the right edge of justified text."""
_BLANK_LINE = 1.6
"""The distance of lines of code between which a line is empty, in units of the leading."""
_MAX_CODE_GAP = 200
_ENTRY = re.compile(r"(?:[.·…‥\u2024。_]\s?){3,}\s*(?:\d{1,4}|[ivxlcIVXLC]{1,6})\Z")
"""A line of a table of contents."""
_ENTRY_END = 40
"""The characters at the end of a line that are compared with an entry."""
_ENTRY_GAP = 2.0
"""The space before a page number without dots before it, in units of the size."""

BULLET_SIGNS = rf"(?:[{BULLET}●○■□◆◇▪▫‣\u2043◦∙➢➤►▶✓✔★☆]|[·\u2013—*+-](?=\s|\Z))"
"""The sign before an item of a list, as an expression."""
_MARKER = re.compile(
    rf"(?:{BULLET_SIGNS}"
    r"|[(\uff08\[]?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[)\uff09\]](?=\D|\Z)"
    r"|(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.、\uff0e](?=\s|[^\s\d.A-Za-z]|\Z)"
    r"|[(\uff08]?[一二三四五六七八九十]{1,3}[)\uff09、\uff0e.]"
    r"|第[一二三四五六七八九十百\d]{1,4}[章节条篇部]"
    r"|[①-⑳])"
)
"""The beginning of a list item or of a numbered paragraph."""
_TERMINAL = re.compile(r"[.!?:;。\uff01\uff1f\uff1a\uff1b…][\"'”\u2019」』)\]\uff09]*\Z")


@dataclass
class Block:
    """A paragraph, code or a table, before its place in the document is known."""

    kind: str
    """`text`, `code`, `table` or `note`."""
    page: int
    runs: list[Run] = field(default_factory=list)
    lines: list[list[Run]] = field(default_factory=list)
    """The runs of each line."""
    code: str = ""
    rows: list[list[list[list[Run]]]] = field(default_factory=list)
    """The cells of a table, each with the lines of its blocks."""
    left: float = 0.0
    text_left: float = 0.0
    """Where its second line begins; the text of an item."""
    top: float = 0.0
    size: float = 0.0
    bold: bool = False
    is_full: bool = False
    """Whether its last line has no room for another word."""
    is_indented: bool = False
    """Whether its first line is indented."""
    column: tuple[float, float] = (0.0, 0.0)
    """The edges of its column."""
    is_entry: bool = False
    """Whether it ends with a line of a table of contents."""
    tagged: int = 0
    """The level of a heading by the tags of the document; 0 without one."""
    level: int = 0
    """The level of a heading; 0 for other text."""
    label: str = ""
    """The label of a note."""

    @property
    def text(self) -> str:
        """Its text, line after line."""
        return "\n".join("".join(run.text for run in line) for line in self.lines)


def starts_item(text: str) -> bool:
    """Whether a line begins as an item of a list, or with a number of its own."""
    return bool(_MARKER.match(text))


def ends_sentence(text: str) -> bool:
    """Whether a text ends with a sign at which a sentence may end."""
    return bool(_TERMINAL.search(text.rstrip()))


def read_blocks(atoms: Sequence[Atom], page: int) -> Iterator[Block]:
    """The blocks of a region, from top to bottom."""
    tables = sorted(
        (atom for atom in atoms if isinstance(atom, Table)), key=lambda table: table.top
    )
    words = [atom for atom in atoms if isinstance(atom, Word)]
    column = _Column(read_lines(words))
    start = 0
    for table in tables:
        end = start
        while end < len(column.lines) and column.lines[end].base < table.top:
            end += 1
        yield from column.blocks(start, end, page)
        yield _table(table, page)
        start = end
    yield from column.blocks(start, len(column.lines), page)


def _table(table: Table, page: int) -> Block:
    rows = [[_cell(cell, page) for cell in row] for row in table.rows]
    return Block("table", page, rows=rows, left=table.left, top=table.top)


def _cell(words: Sequence[Word], page: int) -> list[list[Run]]:
    """The blocks of a cell."""
    column = _Column(read_lines(words))
    return [join_lines(block.lines) for block in column.paragraphs(0, len(column.lines), page)]


class _Column:
    """The lines of a region, with what they have in common."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.right = _right(lines)
        self.lefts = Counter(round(line.left) for line in lines)
        self.left = self._left()
        self.leadings = _leadings(lines)

    def _left(self) -> float:
        """Where most lines begin; of several, the leftmost."""
        if not self.lines:
            return 0.0
        most = max(self.lefts.values())
        return float(min(left for left, count in self.lefts.items() if count * 2 > most))

    def blocks(self, start: int, end: int, page: int) -> Iterator[Block]:
        """The blocks of some lines: code and paragraphs."""
        codes = [line.is_code for line in self.lines[start:end]]
        while start < end:
            last = start + 1
            is_code = codes[0]
            while last < end and codes[last - start] == is_code:
                last += 1
            if is_code:
                yield _code(self.lines[start:last], page)
            else:
                yield from self.paragraphs(start, last, page)
            codes = codes[last - start :]
            start = last

    def paragraphs(self, start: int, end: int, page: int) -> Iterator[Block]:
        """The paragraphs of some lines."""
        if start >= end:
            return
        group = [self.lines[start]]
        for line in self.lines[start + 1 : end]:
            if self._breaks(group, line):
                yield self._paragraph(group, page)
                group = []
            group.append(line)
        yield self._paragraph(group, page)

    def _paragraph(self, lines: list[Line], page: int) -> Block:
        first, last = lines[0], lines[-1]
        return Block(
            "text",
            page,
            lines=[list(line.runs()) for line in lines],
            left=first.left,
            text_left=lines[1].left if lines[1:] else first.left,
            top=first.base,
            size=median(line.size for line in lines),
            bold=all(line.share("bold") > 0.9 for line in lines),
            is_full=self._room(last) < 2 * last.size,
            is_indented=first.left - self.left > _INDENT * first.size,
            is_entry=is_entry(last),
            tagged=first.heading,
            column=(self.left, self.right),
        )

    def _room(self, line: Line) -> float:
        """The room at the end of a line; centred lines have half of it at their start."""
        after = self.right - line.right
        before = line.left - self.left
        if before > line.size and abs(before - after) < line.size:
            return before + after
        return after

    def _breaks(self, group: Sequence[Line], line: Line) -> bool:
        """Whether a line begins a paragraph."""
        last, size = group[-1], max(group[-1].size, line.size)
        if is_entry(last) or last.heading != line.heading:
            return True
        if abs(last.size - line.size) > _SIZE_TOLERANCE * size:
            return True
        leading = self.leadings.get(round(line.size), _DEFAULT_LEADING * size)
        if line.base - last.base > _LEADING_TOLERANCE * leading + 0.5:
            return True
        if starts_item(line.text) and not starts_item_inside(last.text, line.text):
            return True
        if self._room(last) > _first_width(line) + self._spare(last, line):
            return True
        return self._is_indented(group, line)

    def _spare(self, last: Line, line: Line) -> float:
        """The room that a line may leave, although its sentence continues in the next line."""
        if ends_sentence(last.text):
            return _ROOM * line.size
        if line.text[0].islower():
            return max(_ROOM_IN_SENTENCE * (self.right - self.left), 2 * line.size)
        return 1.5 * line.size

    def _is_indented(self, group: Sequence[Line], line: Line) -> bool:
        """Whether the left edge of a line says that it begins a paragraph."""
        last = group[-1]
        step = (line.left - last.left) / max(line.size, 1.0)
        if _INDENT < step < _MAX_INDENT:
            return ends_sentence(last.text)
        return step < -_INDENT and len(group) > 1 and not starts_item(group[0].text)


def is_entry(line: Line) -> bool:
    """Whether a line is an entry of a table of contents: a title, a gap and a page number."""
    if _ENTRY.search(line.text[-_ENTRY_END:]):
        return True
    first, last = line.words[0], line.words[-1]
    if len(line.words) < 2 or not last.text.isdigit() or first.text.isdigit():
        return False
    return last.left - line.words[-2].right > _ENTRY_GAP * line.size


def starts_item_inside(before: str, text: str) -> bool:
    """Whether what looks like a number of an item continues the sentence of the line before."""
    return (
        text[0].isdigit() and before.rstrip()[-1:] in ",\uff0c-\u2013(\uff08=+"
    ) or before.endswith(" No.")


def _right(lines: Sequence[Line]) -> float:
    """Where most lines end, if many end there; else where the longest one ends."""
    ends = Counter(round(line.right) for line in lines)
    if not ends:
        return 0.0
    end, count = max(ends.items(), key=lambda item: (item[1], item[0]))
    if count >= max(_MIN_JUSTIFIED, len(lines) / 4):
        return float(max(other for other in ends if abs(other - end) <= 1))
    return max(line.right for line in lines)


def _leadings(lines: Sequence[Line]) -> dict[int, float]:
    """The distance between lines by their size: the most common one."""
    found: dict[int, Counter[float]] = {}
    for one, two in pairwise(lines):
        step = two.base - one.base
        if round(one.size) == round(two.size) and 0.8 * two.size < step < _MAX_LEADING * two.size:
            found.setdefault(round(two.size), Counter())[round(step * 2) / 2] += 1
    return {
        size: min(
            (step for step, count in steps.items() if 2 * count > max(steps.values())),
            default=_DEFAULT_LEADING * size,
        )
        for size, steps in found.items()
    }


def _first_width(line: Line) -> float:
    """The width of what could stand at the end of the line before: a word, or wide signs."""
    word = line.words[0]
    if is_wide(word.text[0]):
        return 2 * word.size
    letters = re.match(r"[^\u2e80-\U0003ffff]*", word.text)
    share = len(letters[0]) / len(word.text) if letters else 1.0
    total = (word.right - word.left) * share
    for before, after in pairwise(line.words):
        if share < 1 or after.spaced or after.left - before.right > 0.2 * after.size:
            break
        total += after.right - after.left
    return total


def _code(lines: Sequence[Line], page: int) -> Block:
    """A block of code, with its indentation and blank lines."""
    left = min(line.left for line in lines)
    leadings = _leadings(lines)
    parts, before = list[str](), None
    for line in lines:
        leading = leadings.get(round(line.size), _DEFAULT_LEADING * line.size)
        if before is not None and line.base - before > _BLANK_LINE * leading:
            parts.append("")
        parts.append(_code_text(line, left))
        before = line.base
    top, first = lines[0].base, lines[0]
    return Block("code", page, code="\n".join(parts), left=left, top=top, size=first.size)


def _code_text(line: Line, left: float) -> str:
    """A line of code, each word in its column."""
    words = [word for word in line.words if word.style.code]
    step = sum(word.right - word.left for word in words) / sum(width(word.text) for word in words)
    parts, end = list[str](), 0
    for before, word in zip([None, *line.words], line.words, strict=False):
        gap = round((word.left - left) / step) - end
        gap = max(min(gap, _MAX_CODE_GAP), 1 if space_between(before, word) else 0)
        if before and gap == 1:
            gap = len(space_between(before, word))
        parts += " " * gap, word.text
        end += gap + width(word.text)
    return "".join(parts).rstrip()
