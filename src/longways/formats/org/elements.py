"""The elements of an Org file: which ranges of its lines are read, and as what.

    * TODO 标题 :tag:      a headline: `标题`
    - 术语 :: 一段文字     an item: `术语`, and a paragraph
    | 甲 | 乙 |            cells

Blocks of code, drawers, properties, planning, comments, fixed-width lines and formulas stay. No
library reads the file: orgparse and pypandoc give no places of what they read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Literal, NamedTuple

Role = Literal["headline", "paragraph", "term", "cell", "keyword", "value"]


class Element(NamedTuple):
    """A range of the text with words."""

    role: Role
    start: int
    end: int


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_HEADLINE = re.compile(r"(\*+)[ \t]+")
_PRIORITY = re.compile(r"\[#[A-Z0-9]{1,2}\][ \t]*")
_TAGS = re.compile(r"[ \t]+:(?:[\w@#%]+:)+[ \t]*\Z")
_BLOCK = re.compile(r"[ \t]*#\+begin(?:_(\S+)|:)", re.IGNORECASE)
_BLOCK_END = re.compile(r"^[ \t]*#\+end(?:_(\S+)|:)[^\r\n]*", re.IGNORECASE | re.MULTILINE)
_ENVIRONMENT = re.compile(r"[ \t]*\\begin\{([A-Za-z0-9*]+)\}")
_ENVIRONMENT_END = re.compile(r"^[^\r\n]*\\end\{([A-Za-z0-9*]+)\}", re.MULTILINE)
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*\r?\n?\Z")
_DRAWER_END = re.compile(r"^[ \t]*:END:[ \t]*$|^\*+[ \t]", re.IGNORECASE | re.MULTILINE)
_KEYWORD = re.compile(r"[ \t]*#\+([\w-]+)(?:\[([^\]\r\n]*)\])?:[ \t]*", re.IGNORECASE)
_OPTION = re.compile(r":(alt|title|caption)[ \t]+(\"[^\"\r\n]*\"|[^\r\n]*?)(?=[ \t]+:\w|[ \t]*$)")
_KEPT_LINE = re.compile(
    r"""[ \t]*(?: \#(?:[ \t\r\n]|\Z) | :(?:[ \t\r\n]|\Z) | -{5,}[ \t]*(?:[\r\n]|\Z) | \#\+\S
    | (?:CLOSED|DEADLINE|SCHEDULED|CLOCK):[ \t]*[<\[\d] | %%\( | \+-[+-]* ) """,
    re.VERBOSE,
)
_ITEM = re.compile(
    r"([ \t]*(?:[-+]|\d+[.)]|[A-Za-z][.)])|[ \t]+\*)(?:[ \t]+|(?=[\r\n]|\Z))"
    r"(?:\[@\w+\][ \t]*)?(?:\[[ X-]\](?:[ \t]+|(?=[\r\n]|\Z)))?"
)
_TERM = re.compile(r"([^\r\n]*?\S)[ \t]+::(?=[ \t\r\n]|\Z)[ \t]*")
_NOTE = re.compile(r"\[fn:[\w-]+\][ \t]*")
_ROW = re.compile(r"[ \t]*\|")
_CELL = re.compile(r"[^|\r\n]*")
_KEPT_CELL = re.compile(r"<[lrc]?\d*>|:=.*|=(?![^=]*=(?:\s|\Z)).*|/|[!^_$#*]")
_HIDDEN_BLOCKS = frozenset(
    ["src", "example", "export", "comment", "html", "latex", "ascii", "verbatim", "ditaa", "dot",
     "plantuml", "odt", "beamer", "md", "javascript", "json", "css"]
)  # fmt: skip
_READ_KEYWORDS = frozenset(
    ["title", "subtitle", "description", "keywords", "caption", "summary", "abstract"]
)
_TODO = frozenset(["todo", "seq_todo", "typ_todo"])


class Elements:
    """Splits a text into elements."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.warnings: list[tuple[int, str]] = []
        self._ends = _positions(_BLOCK_END, text, "#+")
        self._environment_ends = _positions(_ENVIRONMENT_END, text, "\\end")
        self._drawer_ends = [(m.start(), m.end(), m[0][:1] == "*") for m in
                             _DRAWER_END.finditer(text)] if ":" in text else []  # fmt: skip
        self._todo = re.compile(rf"(?:{'|'.join(map(re.escape, _keywords(text)))})[ \t]+")
        self._open = (-1, -1)
        self._indent = 0
        self._skipped_level = 0

    def all(self) -> Iterator[Element]:
        """The elements in the order of the file."""
        place, verse = 0, 0
        while place < len(self.text):
            found = _LINE.match(self.text, place)
            assert found
            line = found[0]
            if skipped := self._hidden(line, place):
                yield from self._paragraph()
                place = skipped
                continue
            if block := _BLOCK.match(line):
                verse = self._block_end(block[1] or "", place) if is_verse(block[1]) else verse
            yield from self._line(line, place)
            if place < verse:
                yield from self._paragraph()
            place += len(line)
        yield from self._paragraph()

    def _hidden(self, line: str, place: int) -> int:
        """The offset after something that is not read, if it begins on a line; else 0."""
        if line[:1] == "*" and (head := _HEADLINE.match(line)):
            return self._commented(line, place, len(head[1]))
        if self._skipped_level:
            return place + len(line)
        if block := _BLOCK.match(line):
            name = (block[1] or "").lower()
            if name and name not in _HIDDEN_BLOCKS:
                return 0
            return self._after(self._block_end(name, place), place, block[0].strip())
        if environment := _ENVIRONMENT.match(line):
            name = environment[1]
            return self._after(_next(self._environment_ends.get(name, ()), place), place, "")
        return self._drawer_end(place) if _DRAWER.match(line) else 0

    def _commented(self, line: str, place: int, level: int) -> int:
        """A headline with COMMENT, whose subtree is not printed."""
        if self._skipped_level and level > self._skipped_level:
            return place + len(line)
        start, end = self._title(line, level)
        title = line[start:end]
        is_comment = title == "COMMENT" or title.startswith("COMMENT ")
        self._skipped_level = level if is_comment else 0
        return place + len(line) if is_comment else 0

    def _block_end(self, name: str, place: int) -> int:
        return _next(self._ends.get(name.lower(), ()), place)

    def _after(self, end: int, place: int, name: str) -> int:
        """The offset after the line that ends something; 0 with a warning if there is none."""
        if end < 0:
            if name:
                self.warnings.append((place, f"{name} is never ended"))
            return 0
        found = _LINE.match(self.text, end)
        return found.end() if found else end

    def _drawer_end(self, place: int) -> int:
        """The offset after a drawer, which ends before the next headline."""
        at = bisect_left(self._drawer_ends, (place + 1,))
        if at < len(self._drawer_ends) and not self._drawer_ends[at][2]:
            return self._after(self._drawer_ends[at][1], place, "")
        return 0

    def _line(self, line: str, place: int) -> Iterator[Element]:
        """The elements that a line ends or is."""
        body = line.rstrip("\r\n")
        if line[:1] == "*" and (head := _HEADLINE.match(line)):
            yield from self._paragraph()
            start, end = self._title(line, len(head[1]))
            yield Element("headline", place + start, place + end)
        elif _ROW.match(line):
            yield from self._paragraph()
            yield from self._cells(body, place)
        elif keyword := _KEYWORD.match(line):
            yield from self._paragraph()
            yield from self._keyword(keyword, body, place)
        elif not body.strip() or _KEPT_LINE.match(line):
            yield from self._paragraph()
        elif item := _ITEM.match(line):
            yield from self._paragraph()
            yield from self._item(item, body, place)
        else:
            yield from self._text(body, place)

    def _text(self, body: str, place: int) -> Iterator[Element]:
        """A line of a paragraph; what is less indented than an item is no part of it."""
        indent = len(body) - len(body.lstrip())
        note = _NOTE.match(body)
        if self._open[0] < 0 or note or (self._indent and indent < self._indent):
            yield from self._paragraph()
            self._open = place + (note.end() if note else indent), place + len(body.rstrip())
            self._indent = 0
        else:
            self._open = self._open[0], place + len(body.rstrip())

    def _item(self, item: re.Match[str], body: str, place: int) -> Iterator[Element]:
        start = item.end()
        if term := _TERM.match(body, start):
            yield Element("term", place + term.start(1), place + term.end(1))
            start = term.end()
        self._open = place + start, place + max(len(body.rstrip()), start)
        self._indent = len(item[1]) - len(item[1].lstrip()) + 1

    def _paragraph(self) -> Iterator[Element]:
        """The paragraph that is open, if there is one."""
        start, end = self._open
        if start >= 0:
            yield Element("paragraph", start, end)
        self._open, self._indent = (-1, -1), 0

    def _title(self, line: str, level: int) -> tuple[int, int]:
        """The range of the title in a headline, without keyword, priority and tags."""
        body = line.rstrip("\r\n")
        found = _HEADLINE.match(body)
        start = found.end() if found else level
        for pattern in (self._todo, _PRIORITY):
            if part := pattern.match(body, start):
                start = part.end()
        tags = _TAGS.search(body, max(start - 1, 0)) if body.rstrip().endswith(":") else None
        return start, max(tags.start() if tags else len(body.rstrip()), start)

    def _cells(self, body: str, place: int) -> Iterator[Element]:
        start = body.index("|") + 1
        if body[start : start + 1] == "-":
            return
        while start <= len(body):
            found = _CELL.match(body, start)
            assert found
            text = found[0].strip()
            if text and not _KEPT_CELL.fullmatch(text):
                first = start + found[0].index(text)
                yield Element("cell", place + first, place + first + len(text))
            start = found.end() + 1

    def _keyword(self, found: re.Match[str], body: str, place: int) -> Iterator[Element]:
        name = found[1].lower()
        if name in _READ_KEYWORDS:
            if found[2]:
                yield Element("value", place + found.start(2), place + found.end(2))
            yield Element("keyword", place + found.end(), place + len(body.rstrip()))
        elif name.startswith("attr_"):
            for option in _OPTION.finditer(body, found.end()):
                quoted = option[2].startswith('"')
                start, end = option.span(2)
                yield Element("value", place + start + quoted, place + end - quoted)


def is_verse(name: str | None) -> bool:
    """Whether every line of a block is by itself."""
    return (name or "").lower() == "verse"


def _positions(pattern: re.Pattern[str], text: str, sign: str) -> dict[str, list[int]]:
    """Where each name is ended, in order."""
    found: dict[str, list[int]] = {}
    for match in pattern.finditer(text) if sign in text else ():
        found.setdefault((match[1] or "").lower(), []).append(match.end())
    return found


def _next(positions: list[int] | tuple[()], place: int) -> int:
    """The first position after a place; -1 without one."""
    at = bisect_left(positions, place)
    return positions[at] if at < len(positions) else -1


def _keywords(text: str) -> list[str]:
    """The keywords of tasks that a file defines, and the usual ones."""
    words = ["TODO", "DONE"]
    for found in _KEYWORD.finditer(text) if "TODO:" in text.upper() else ():
        if found[1].lower() in _TODO:
            line = _LINE.match(text, found.end())
            words += (word.partition("(")[0] for word in (line[0] if line else "").split())
    return sorted({word for word in words if word and word != "|"}, key=len, reverse=True)
