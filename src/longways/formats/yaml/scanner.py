"""YAML scanner: the place and style of every scalar value, in one pass over the lines.

Block and flow collections, comments, anchors, tags, aliases and several documents are read; keys in
`? ` form are refused. Only what is needed to find scalars is checked: a file that a YAML reader
refuses may be read, but no value of it is taken for more than one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from longways.errors import FormatError
from longways.formats.subtitles.timing import Warnings
from longways.formats.yaml import tokens
from longways.formats.yaml.tokens import Scalar, Style


@dataclass(slots=True)
class _Open:
    """A block collection that has not ended: its column, and the keys of a mapping."""

    column: int
    keys: set[str] = field(default_factory=set)


class YamlScanner:
    """Reads a text from start to end; raises `FormatError` at what cannot be read."""

    def __init__(self, text: str) -> None:
        self.text, self.warnings = text, Warnings()
        self._place = 0
        self._open: list[_Open] = []
        self._line, self._counted = 1, 0
        self._after_block = False
        """Whether a literal or folded block has ended, so that a line begins here."""

    def scalars(self) -> Iterator[Scalar]:
        """The values of the whole text, in order."""
        while self._place < len(self.text):
            line = tokens.LINE.match(self.text, self._place)
            assert line  # it may be empty
            if not line[2] or line[2][0] == "#" or (not line[1] and line[2][0] == "%"):
                self._place = line.end()
            elif not line[1] and (marker := tokens.MARKER.match(self.text, self._place)):
                self._open.clear()
                self._place = self._after_spaces(marker.end())
                yield from self._node(3, alone=True)
            elif line[2][0] == "\t" and line[2].strip():
                raise self._error("a line is indented with a tab, which YAML does not allow")
            else:
                self._place = line.start(2)
                yield from self._node(len(line[1]), alone=False)

    def _node(self, column: int, *, alone: bool) -> Iterator[Scalar]:
        """The values on the rest of a line, and on the lines that belong to its last value.

        `alone` if the value has a parent on this line, so that it cannot be a key.
        """
        is_typed, start = False, self._place
        while not self._is_end():
            here = column + self._place - start
            if found := tokens.PROPERTY.match(self.text, self._place):
                kind = found[0].strip()
                is_typed = is_typed or (kind[0] == "!" and kind not in ("!", "!!str"))
                self._place = found.end()
            elif self._is_item():
                self._enter(here, "")
                self._place = self._after_spaces(self._place + 1)
                alone = is_typed = False
            elif tokens.COMPLEX.match(self.text, self._place):
                raise self._error("a key in the form `? key` is not supported; write `key: value`")
            elif not alone and (end := self._key_end()):
                self._enter(here, self.text[self._place : end[0]].strip())
                self._place = self._after_spaces(end[1])
                alone, is_typed = True, False
            else:
                yield from self._value(here, own_line=not alone and here == column, skip=is_typed)
                break
        self._finish()

    def _is_item(self) -> bool:
        return bool(tokens.ITEM.match(self.text, self._place))

    def _enter(self, column: int, key: str) -> None:
        """Begin an entry of a collection at a column, after all that it ends."""
        own = self._leave(column) or _Open(column)
        if key in own.keys:
            what = f"the key {key!r} is there twice, of which programs read the last."
            self.warnings.add("twice", self._number(), what)
        if key and key != "<<":
            own.keys.add(key)
        self._open.append(own)

    def _leave(self, column: int) -> _Open | None:
        """End the collections at and right of a column; the mapping at the column itself."""
        own = None
        while self._open and self._open[-1].column >= column:
            own = self._open.pop()
        return own if own and own.column == column else None

    def _key_end(self) -> tuple[int, int] | None:
        """The end of a key here and the end of its colon; None if here is no key."""
        text, place = self.text, self._place
        if text[place] in "\"'":
            found = (tokens.DOUBLE if text[place] == '"' else tokens.SINGLE).match(text, place)
            colon = found and tokens.QUOTED_KEY.match(text, found.end())
            return (found.end(), colon.end()) if found and colon else None
        if text[place] in "[{|>":
            return None
        stop = tokens.COMMENT.search(text, place)
        assert stop  # the end of the text is one
        end = stop.start() + (1 if stop[0] else 0)
        colon = tokens.KEY_END.search(text, place, min(end, len(text)))
        return (colon.start(), colon.end()) if colon else None

    def _value(self, column: int, *, own_line: bool, skip: bool) -> Iterator[Scalar]:
        """The scalar or flow collection here."""
        if own_line:
            self._leave(column)
        parent = self._open[-1].column if self._open else -1
        text, place = self.text, self._place
        if text[place] in "\"'":
            found = [self._quoted()]
        elif text[place] in "[{":
            found = list(self._flow())
        elif header := tokens.HEADER.match(text, place):
            found = [self._block(header, parent)]
        elif alias := tokens.ALIAS.match(text, place):
            found, self._place = [], alias.end()
        else:
            found = [self._plain(parent)]
        yield from (scalar for scalar in found if not skip and scalar.start < scalar.end)

    def _quoted(self, *, in_flow: bool = False) -> Scalar:
        style: Style = "double" if self.text[self._place] == '"' else "single"
        found = (tokens.DOUBLE if style == "double" else tokens.SINGLE).match(
            self.text, self._place
        )
        if not found:
            raise self._error("a quote is never closed")
        self._place = found.end()
        return Scalar(found.start() + 1, found.end() - 1, style, 0, in_flow)

    def _plain(self, parent: int) -> Scalar:
        """A scalar without quotes, which continues in lines right of its parent."""
        start = self._place
        end = self._place = self._plain_end(start)
        while following := self._continued(parent):
            end = self._place = self._plain_end(following)
            if tokens.KEY_END.search(self.text, following, end):
                raise self._error("a key is inside of a text without quotes; check its indentation")
        self._place = end
        return Scalar(start, end, "plain")

    def _plain_end(self, start: int) -> int:
        stop = tokens.COMMENT.search(self.text, start)
        assert stop  # the end of the text is one
        return start + len(self.text[start : stop.start()].rstrip(" \t"))

    def _continued(self, parent: int) -> int | None:
        """The start of the next line of a plain scalar, after blank lines; None if it ends."""
        place = self._place
        if not (place < len(self.text) and self.text[place] in "\r\n"):
            return None  # a comment, or the end
        place += 2 if self.text.startswith("\r\n", place) else 1
        while line := tokens.LINE.match(self.text, place):
            if line[2].strip():
                is_in = len(line[1]) > parent and line[2][0] != "#"
                is_in = is_in and not (parent < 0 and tokens.MARKER.match(self.text, place))
                return line.start(2) + len(line[2]) - len(line[2].lstrip()) if is_in else None
            if line.end() == place or line.end() >= len(self.text):
                return None
            place = line.end()
        return None

    def _block(self, header: re.Match[str], parent: int) -> Scalar:
        """A literal or folded scalar: the lines that are indented, without final blank ones."""
        style: Style = "literal" if header[1] == "|" else "folded"
        said = header[2] or header[3]
        indent = max(parent, 0) + int(said) if said else None
        line = tokens.LINE.match(self.text, header.end())
        place = line.end() if line else len(self.text)
        start = end = place
        while place < len(self.text) and (line := tokens.LINE.match(self.text, place)):
            if line[2].strip():
                indent = max(len(line[1]), parent + 1) if indent is None else indent
                if len(line[1]) < indent or len(line[1]) <= parent:
                    break
                start = place + indent if start == end else start
                end = line.end(2)
            place = line.end()
        self._place, self._after_block = place, True
        return Scalar(start, end, style, indent or 0)

    def _flow(self) -> Iterator[Scalar]:
        """The values of a flow collection, which may go over lines."""
        closings, started = list[str](), self._place
        while True:
            space = tokens.FLOW_SPACE.match(self.text, self._place)
            self._place = space.end() if space else self._place
            if self._place >= len(self.text):
                self._place = started
                raise self._error("a bracket is never closed")
            sign = self.text[self._place]
            if sign in "[{":
                closings.append("]" if sign == "[" else "}")
                self._place += 1
            elif sign in "]}":
                if closings.pop() != sign:
                    raise self._error(f"the bracket {sign} closes another one")
                self._place += 1
                if not closings:
                    return
            else:
                yield from self._flow_value(sign)

    def _flow_value(self, sign: str) -> Iterator[Scalar]:
        """A scalar of a flow collection that is no key, or a sign between values."""
        if sign in ",:?":
            self._place += 1
        elif found := tokens.PROPERTY.match(self.text, self._place) or tokens.ALIAS.match(
            self.text, self._place
        ):
            self._place = found.end()
        elif sign in "\"'":
            scalar = self._quoted(in_flow=True)
            if not tokens.FLOW_QUOTED_KEY.match(self.text, self._place):
                yield scalar
        elif found := tokens.FLOW_PLAIN.match(self.text, self._place):
            self._place = found.end()
            if not tokens.FLOW_KEY.match(self.text, self._place):
                yield Scalar(*found.span(), "plain", 0, in_flow=True)
        else:
            raise self._error(f"{sign!r} cannot begin a value")

    def _is_end(self) -> bool:
        """Whether nothing more is on the line."""
        return bool(tokens.REST.match(self.text, self._place)) or self.text.startswith(
            "#", self._place
        )

    def _finish(self) -> None:
        """Go to the next line; only a comment may be on the rest of this one."""
        if self._after_block:
            self._after_block = False
            return
        if not self._is_end():
            raise self._error("there is more after the end of a value; put the text in quotes")
        line = tokens.LINE.match(self.text, self._place)
        assert line  # it may be empty
        self._place = line.end()

    def _after_spaces(self, place: int) -> int:
        while self.text[place : place + 1] in (" ", "\t"):
            place += 1
        return place

    def _number(self) -> int:
        """The number of the present line."""
        self._line += self.text.count("\n", self._counted, self._place)
        self._counted = max(self._counted, self._place)
        return self._line

    def _error(self, what: str) -> FormatError:
        line = self.text.count("\n", 0, self._place) + 1
        return FormatError(f"Line {line}: {what}. The file cannot be read as YAML; correct it.")
