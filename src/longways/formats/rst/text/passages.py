"""Inline text of reStructuredText as a passage: text without markup, marks, and names to keep."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from longways.formats.base import Mark, Passage
from longways.formats.numbered import numbered
from longways.formats.placeholders import Range, kept_parts
from longways.formats.rst.lines import on_one_line
from longways.formats.rst.text.inline import Token, Tokens, escaped, unescaped
from longways.formats.rst.text.roles import reading_of

_LINK = re.compile(r"(?P<text>.*?)(?P<target>(?:\s+|\A)(?<!\x00)<[^<>]+>)\Z", re.DOTALL)
_ADDRESS = re.compile(r"(?<![A-Za-z0-9])(?:https?|ftp)://[!-;=?-\[\]-~]*[A-Za-z0-9/#&=]")
"""An address in plain text, which docutils links."""
_SIGN = re.compile(r"[\\*`|_\[]|://")
"""A sign without which text has no markup."""
_ARROWS = re.compile(r"\s*--?>\s*|(?<=\w) \| (?=\w)")
"""What separates the steps of a menu selection."""

MarkKind = Literal["em", "strong", "code", "quoted", "link", "ref", "term", "note"]
"""`link` has an address beside its text, `ref` and `term` are found by their text."""


@dataclass(frozen=True, slots=True)
class Markup:
    """The markup of a mark, as in the file but on one line."""

    kind: MarkKind
    opening: str
    closing: str
    source: str
    """All of it, with the own text."""
    name: str = ""
    """For a reference, the name by which docutils finds its target."""
    spaced: tuple[bool, bool] = (False, False)
    """Whether whitespace is before it, and behind it."""


@dataclass(frozen=True, slots=True)
class Inline:
    """A passage, what its marks stand for, and the markup that is a word of its text."""

    passage: Passage
    markups: Mapping[int, Markup]
    words: tuple[str, ...]
    problems: int = 0

    def own_text(self, tag: int) -> str:
        """The text under a mark."""
        mark = self.passage.marks[tag]
        return on_one_line(self.passage.text[mark.start : mark.end])

    @property
    def is_read(self) -> bool:
        """Whether there is a letter outside of its kept parts."""
        text, place = self.passage.text, 0
        for start, end in (*self.passage.keep, (len(text), len(text))):
            if any(map(str.isalpha, text[place:start])):
                return True
            place = end
        return False


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads inline text in a language."""

    language: str
    roles: frozenset[str] = frozenset()
    """Roles that the file itself defines, as styles of text."""

    def read(self, source: str) -> Inline:
        """The inline text of a block, without whitespace at its ends."""
        if not _SIGN.search(source):
            text = source.strip()
            return Inline(Passage(text, (), kept_parts(text)), numbered({}), ())
        return _Builder(self, source).built()


class _Builder:
    """Collects text and marks, token by token."""

    def __init__(self, reader: Reader, source: str) -> None:
        self.reader, self.source, self.escaped = reader, source, escaped(source)
        self.parts, self.length = list[str](), 0
        self.marks, self.markups = list[Mark](), dict[int, Markup]()
        self.kept, self.words = list[Range](), dict[str, None]()

    def built(self) -> Inline:
        """All of the text."""
        tokens, place = Tokens(self.escaped), 0
        for token in tokens:
            self._text(self.escaped[place : token.start], before_note=token.kind == "note")
            self._add(token)
            place = token.end
        self._text(self.escaped[place:])
        text = "".join(self.parts)
        lead, size = len(text) - len(text.lstrip()), len(text.strip())

        def inside(place: int) -> int:
            return min(max(place - lead, 0), size)

        marks = tuple(Mark(inside(m.start), inside(m.end), m.tag) for m in self.marks)
        kept = [(inside(a), inside(b)) for a, b in self.kept]
        text = text.strip()
        parts = kept_parts(text, [place for place in kept if place[0] < place[1]])
        markups = numbered(self.markups)
        return Inline(Passage(text, marks, parts), markups, tuple(self.words), tokens.problems)

    def _append(self, text: str, *, keep: bool = False) -> None:
        if keep:
            self.kept.append((self.length, self.length + len(text)))
        self.parts.append(text)
        self.length += len(text)

    def _text(self, text: str, *, before_note: bool = False) -> None:
        """Add plain text; the whitespace before a note is a part of the note."""
        place = 0
        for address in _ADDRESS.finditer(text):
            self._append(unescaped(text[place : address.start()]))
            self._append(address[0], keep=True)
            self.words[address[0]] = None
            place = address.end()
        plain = unescaped(text[place:])
        self._append(plain.rstrip() if before_note else plain)

    def _add(self, token: Token) -> None:
        if token.kind == "note":
            self._mark(token, "note", (self._own(token.start, token.end), ""), "")
        elif token.kind in ("em", "strong"):
            sign = self._own(token.start, token.first)
            kind: MarkKind = "em" if token.kind == "em" else "strong"
            self._mark(token, kind, (sign, sign), self._read(token.first, token.last))
        elif token.kind == "code":
            own = on_one_line(self.source[token.first : token.last])
            self._mark(token, "code", ("``", "``"), own, keep=True)
        elif token.kind == "word":
            name = self._read(token.first, token.last)
            self._mark(token, "ref", ("`", f"`{token.suffix}"), name, name=_normal(name))
        elif token.kind == "quoted":
            self._quoted(token)
        else:
            self._word(token)

    def _own(self, start: int, end: int) -> str:
        return on_one_line(self.source[start:end])

    def _read(self, start: int, end: int) -> str:
        return unescaped(self.escaped[start:end])

    def _word(self, token: Token) -> None:
        own = self._own(token.start, token.end)
        self._append(own, keep=True)
        self.words[own] = None

    def _mark(
        self,
        token: Token,
        kind: MarkKind,
        signs: tuple[str, str],
        text: str,
        *,
        keep: bool = False,
        name: str = "",
    ) -> None:
        tag, start = len(self.markups), self.length
        before, after = (
            self.source[max(token.start - 1, 0) : token.start],
            self.source[token.end : token.end + 1],
        )
        is_escaped = self.escaped[max(token.start - 2, 0) : token.start].startswith("\x00")
        spaced = before.isspace() and not is_escaped, after.isspace()
        own = self._own(token.start, token.end)
        self.markups[tag] = Markup(kind, *signs, own, name, spaced)
        self._append(text, keep=keep)
        self.marks.append(Mark(start, self.length, tag))

    def _quoted(self, token: Token) -> None:
        """Add text between backticks: a reference or text with a role."""
        inner = self.escaped[token.first : token.last]
        if token.suffix in ("_", "__"):
            self._reference(token, inner)
            return
        role = (token.role or token.suffix).strip(":")
        found = reading_of(role, inner, self.reader.language, self.reader.roles)
        if found is None:
            self._word(token)
            return
        end = token.first + found.characters
        signs = self._own(token.start, token.first), self._own(end, token.end)
        text = self._read(token.first, end)
        kind: MarkKind = "term" if role == "term" and end == token.last else "quoted"
        start = self.length
        self._mark(token, kind, signs, text, name=_normal(text))
        if role == "menuselection":
            self.kept += [(start + m.start(), start + m.end()) for m in _ARROWS.finditer(text)]

    def _reference(self, token: Token, inner: str) -> None:
        """Add a reference: `text`_, `text <address>`_ or `text`__."""
        linked = _LINK.match(inner)
        if linked and not linked["text"].strip():
            self._word(token)
            return
        if not linked:
            name = self._read(token.first, token.last)
            self._mark(token, "ref", ("`", f"`{token.suffix}"), name, name=_normal(name))
            return
        end = token.first + linked.end("text")
        text = self._read(token.first, end)
        signs = "`", self._own(end, token.end)
        self._mark(token, "link", signs, text, name=_normal(text))


def _normal(name: str) -> str:
    """A name of a reference as docutils compares it."""
    return on_one_line(name.strip()).lower()
