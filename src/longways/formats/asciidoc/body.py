"""Blocks of AsciiDoc: from lines to the slots of their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from longways.formats.asciidoc.attributes import READ_ENTRIES, attributes, read_values
from longways.formats.asciidoc.blocks import Slot, slot, value_slot
from longways.formats.asciidoc.markers import (
    ADMONITION,
    ANCHOR,
    CLOSED,
    CONTAINER,
    DIRECTIVE,
    ENTRY,
    ITEM,
    MACRO,
    MARKDOWN_QUOTE,
    RULE,
    SECTION,
    STYLE,
    TABLE,
    TERM,
    TITLE,
    UNDERLINE,
    VERBATIM,
)
from longways.formats.asciidoc.style import Style
from longways.formats.asciidoc.tables import table_slots
from longways.formats.rst.lines import Line, lines_of

MAX_DEPTH = 20
"""Blocks that are nested deeper stay as they are."""


class Body:
    """Finds the texts of a file."""

    def __init__(self, text: str, warnings: list[str]) -> None:
        self.text, self.warnings = text, warnings

    def document(self) -> Iterator[Slot]:
        """The slots of the whole file, with its header."""
        lines = lines_of(self.text)
        at = 0
        while at < len(lines) and (lines[at].is_blank or self._is_preamble(lines[at])):
            yield from self._entry(lines, at) if not lines[at].is_blank else ()
            at += 1
        if at < len(lines) and re.match(r"[=#]\s+\S", self.own(lines[at])):
            yield from self._section(lines[at])
            at += 1
            while at < len(lines) and not lines[at].is_blank:
                yield from self._entry(lines, at)
                at += 1
        yield from self.blocks(lines[at:], 0)

    def own(self, line: Line) -> str:
        """The visible text of a line."""
        return self.text[line.begin : line.end]

    def blocks(self, lines: Sequence[Line], depth: int) -> Iterator[Slot]:
        """The slots of lines that are outside of other blocks or inside of one."""
        at, style, in_list = 0, Style(), False
        if depth > MAX_DEPTH:
            return
        while at < len(lines):
            own, line = self.own(lines[at]), lines[at]
            if line.is_blank:
                at += 1
                continue
            if not line.column and (more := self._style(own, line, style)) is not None:
                style, found = more
                yield from found
                at += 1
                continue
            if not line.column and TITLE.match(own) and not ITEM.match(own):
                yield from slot(self.text, [self._behind(line, 1)], "line")
                at += 1
                continue
            end, found = self._block(lines, at, style, depth, in_list=in_list)
            yield from found
            in_list = bool(ITEM.match(own) or TERM.match(own)) or own == "+"
            at, style = max(end, at + 1), Style()

    def _is_preamble(self, line: Line) -> bool:
        own = self.own(line)
        return (own.startswith("//") and not own.startswith("///")) or ENTRY.match(own) is not None

    def _behind(self, line: Line, offset: int) -> Line:
        return line.inner(self.text, offset)

    def _style(self, own: str, line: Line, style: Style) -> tuple[Style, list[Slot]] | None:
        """The style above a block and its texts, if the line is one; anchors change nothing."""
        if ANCHOR.match(own):
            return style, self._anchor_text(own, line)
        match = STYLE.match(own)
        if not match or not re.match(r"[\w.#%,\"'&{ ]|\Z", match["inside"]):
            return None
        begin = line.begin + match.start("inside")
        found = tuple(attributes(self.text, begin, begin + len(match["inside"])))
        name = re.split(r"[.#%,]", match["inside"])[0].strip().strip("\"'")
        name = name if "=" not in name else ""
        positions = (1, 2) if name in ("quote", "verse") else ()
        slots = read_values(self.text, begin, begin + len(match["inside"]), positions)
        return Style(name or style.name, (*style.attributes, *found)), slots

    def _anchor_text(self, own: str, line: Line) -> list[Slot]:
        """The text with which references name an anchor: `[[id,text]]`."""
        comma = own.find(",")
        end = line.end - 2
        return value_slot(self.text, line.begin + comma + 1, end, "]") if comma > 0 else []

    def _block(
        self, lines: Sequence[Line], at: int, style: Style, depth: int, *, in_list: bool
    ) -> tuple[int, list[Slot]]:
        """The block that begins at a line, and the number of the line after it."""
        own, line = self.own(lines[at]), lines[at]
        if line.column:
            return self._text(lines, at, style, depth, in_list=in_list)
        if VERBATIM.match(own):
            return self._closing(lines, at)[1], []
        if TABLE.match(own):
            inside, end = self._closing(lines, at)
            return end, table_slots(self, lines[at + 1 : inside], own[0], style.attributes, depth)
        if CONTAINER.match(own):
            return self._container(lines, at, style, depth)
        if own.startswith("//") or RULE.match(own):
            return at + 1, []
        if directive := DIRECTIVE.match(own):
            return at + 1, self._condition(directive, line)
        if ENTRY.match(own):
            return self._entry_end(lines, at), self._entry(lines, at)
        if macro := MACRO.match(own):
            return at + 1, self._macro(macro, line)
        if SECTION.match(own):
            return at + 1, self._section(line)
        if self._is_underlined(lines, at):
            return at + 2, self._underlined(line, lines[at + 1])
        return self._text(lines, at, style, depth, in_list=in_list)

    def _closing(self, lines: Sequence[Line], at: int) -> tuple[int, int]:
        """The number of the line that closes a block, and of the line after it."""
        fence = self.own(lines[at])
        fence = "```" if fence.startswith("```") else fence
        for end in range(at + 1, len(lines)):
            if self.text.startswith(fence, lines[end].begin) and self.own(lines[end]) == fence:
                return end, end + 1
        number = self.text.count("\n", 0, lines[at].begin) + 1
        if len(self.warnings) < 20:
            self.warnings.append(f"Line {number}: the block that begins with {fence} has no end.")
        return len(lines), len(lines)

    def _container(
        self, lines: Sequence[Line], at: int, style: Style, depth: int
    ) -> tuple[int, list[Slot]]:
        inside, end = self._closing(lines, at)
        within = lines[at + 1 : inside]
        if style.is_code:
            return end, []
        if style.is_by_line:
            return end, [found for line in within for found in slot(self.text, [line], "line")]
        return end, list(self.blocks(within, depth + 1))

    def _condition(self, directive: re.Match[str], line: Line) -> list[Slot]:
        """The text inside of a condition on one line: `ifdef::x[text]`."""
        if directive["name"] not in ("ifdef", "ifndef") or not directive["inside"].strip():
            return []
        begin = line.begin + directive.start("inside")
        inside = Line(begin, line.begin + directive.end("inside"), 0)
        return (
            list(self.blocks([inside], 1))
            if SECTION.match(self.own(inside))
            else slot(self.text, [inside], "line")
        )

    def _entry(self, lines: Sequence[Line], at: int) -> list[Slot]:
        """The value of an attribute of the file, if a reader sees it."""
        match = ENTRY.match(self.own(lines[at]))
        if not match or not READ_ENTRIES.match(match["name"]):
            return []
        begin = lines[at].begin + match.end()
        end = lines[at].end
        if self.text.startswith("\\", end - 1):
            return []
        return value_slot(self.text, begin, end)

    def _entry_end(self, lines: Sequence[Line], at: int) -> int:
        """The number of the line after an entry, whose lines end with a backslash."""
        while at + 1 < len(lines) and self.own(lines[at]).endswith(" \\"):
            at += 1
        return at + 1

    def _macro(self, macro: re.Match[str], line: Line) -> list[Slot]:
        """The texts of an image or another macro on a line of its own."""
        begin, end = (line.begin + place for place in macro.span("inside"))
        positions = (0,) if macro["name"] in ("image", "video", "audio") else ()
        return read_values(self.text, begin, end, positions)

    def _section(self, line: Line) -> list[Slot]:
        own = self.own(line)
        opening = SECTION.match(own)
        closing = CLOSED.search(own)
        start = opening.end() if opening else 0
        same = closing and opening and closing[1] == opening["sign"]
        inner = Line(
            line.begin + start, line.begin + closing.start() if same and closing else line.end, 0
        )
        found = slot(self.text, [inner], "title")
        return [
            replace(one, lines=(line._replace(end=inner.end),)) for one in found if start
        ] or found

    def _is_underlined(self, lines: Sequence[Line], at: int) -> bool:
        if at + 1 == len(lines):
            return False
        own, under = self.own(lines[at]), self.own(lines[at + 1])
        near = abs(len(own) - len(under)) < 2
        return near and len(under) > 1 and bool(UNDERLINE.match(under)) and own[0].isalnum()

    def _underlined(self, line: Line, under: Line) -> list[Slot]:
        found = slot(self.text, [line], "title")
        sign = self.own(under)[0]
        return [replace(one, underline=(under.begin, under.end, sign)) for one in found]

    def _text(
        self, lines: Sequence[Line], at: int, style: Style, depth: int, *, in_list: bool
    ) -> tuple[int, list[Slot]]:
        """An item of a list, a paragraph, or a literal paragraph."""
        own, line = self.own(lines[at]), lines[at]
        if item := ITEM.match(own):
            end = self._item_end(lines, at + 1)
            return end, slot(
                self.text, [self._behind(line, item.end()), *lines[at + 1 : end]], "item"
            )
        if term := TERM.match(own):
            return self._description(lines, at, term)
        end = self._paragraph_end(lines, at + 1)
        if line.column or style.is_code:
            return end, []  # code by its indentation or its style
        group = list(lines[at:end])
        if style.is_by_line:
            return end, [found for one in group for found in slot(self.text, [one], "line")]
        found = self._paragraph(group, in_block=depth > 0 or in_list or bool(style.name))
        return end, self._above_rule(found, line, lines[end : end + 1])

    def _above_rule(self, found: list[Slot], first: Line, following: Sequence[Line]) -> list[Slot]:
        """A paragraph with the length of the line of signs that follows directly."""
        if not found or not following or not UNDERLINE.match(self.own(following[0])):
            return found
        rule = len(self.own(following[0])) - (found[0].start - first.begin)
        return [replace(found[0], rule=max(rule, 0)), *found[1:]]

    def _paragraph(self, group: list[Line], *, in_block: bool) -> list[Slot]:
        """The slots of a paragraph, which comments and conditions divide."""
        found, part = list[Slot](), list[Line]()
        first = self.own(group[0])
        if label := ADMONITION.match(first) or MARKDOWN_QUOTE.match(first):
            group[0], in_block = self._behind(group[0], label.end()), True
        is_quote = first[0] in '">' and len(group) > 1 and self.own(group[-1]).startswith("-- ")
        for number, line in enumerate(group):
            own = self.own(line)
            directive = DIRECTIVE.match(own)
            alone = own.startswith("//") or directive is not None
            if alone or (is_quote and number == len(group) - 1):
                found += slot(self.text, part, "paragraph", in_block=True) if part else []
                part = []
                found += self._condition(directive, line) if directive else []
                if not alone:
                    found += slot(self.text, [self._behind(line, 3)], "line")
            else:
                part.append(line)
        if part:
            divided = in_block or part != group
            found += slot(self.text, part, "paragraph", in_block=divided)
        return found

    def _paragraph_end(self, lines: Sequence[Line], at: int) -> int:
        while at < len(lines) and not lines[at].is_blank and not self._interrupts(lines[at]):
            at += 1
        return at

    def _item_end(self, lines: Sequence[Line], at: int) -> int:
        while at < len(lines) and not lines[at].is_blank:
            own = self.own(lines[at])
            if self._interrupts(lines[at]) or ITEM.match(own) or TERM.match(own) or own == "+":
                break
            if own.startswith("//") or DIRECTIVE.match(own) or MACRO.match(own):
                break
            at += 1
        return at

    def _interrupts(self, line: Line) -> bool:
        """Whether a line ends the paragraph above it."""
        own = self.own(line)
        if own == "+":
            return True
        if line.column:
            return False
        if own[0] == "[":
            return bool(STYLE.match(own) or ANCHOR.match(own))
        return any(pattern.match(own) for pattern in (VERBATIM, CONTAINER, TABLE))

    def _description(
        self, lines: Sequence[Line], at: int, match: re.Match[str]
    ) -> tuple[int, list[Slot]]:
        """A term, and the text of its description on the same line and the lines below."""
        line = lines[at]
        begin = line.begin + match.start("term")
        term = Line(begin, line.begin + match.end("term"), line.column)
        found = slot(self.text, [term], "term")
        end = self._item_end(lines, at + 1)
        behind = self._behind(line, match.end())
        rest = [line for line in (behind, *lines[at + 1 : end]) if not line.is_blank]
        if behind.is_blank and not rest:
            following = at + 1
            while following < len(lines) and lines[following].is_blank:
                following += 1
            if (
                following < len(lines)
                and lines[following].column
                and self._is_plain(lines[following])
            ):
                end = self._item_end(lines, following + 1)
                rest = list(lines[following:end])
        return end, [*found, *(slot(self.text, rest, "item") if rest else [])]

    def _is_plain(self, line: Line) -> bool:
        """Whether a line below a term begins its description."""
        own = self.own(line)
        return not (ITEM.match(own) or TERM.match(own) or self._interrupts(line))
