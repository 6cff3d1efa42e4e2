"""Passages of an HTML file: text between block tags, and text in attributes.

Whitespace is normalised as in a browser: a run is one space, and a passage has none at its ends. A
line break is a mark and a line end in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from longways.formats.base import Passage
from longways.formats.html.attributes import (
    Attribute,
    attributes,
    is_demo,
    is_translated,
    read_attributes,
)
from longways.formats.html.elements import BLOCKS, KEPT, PLAIN, RAW, UNREAD
from longways.formats.html.line import Line, template_parts
from longways.formats.html.places import Found, Language, Place
from longways.formats.html.references import is_code, read_text, unknown_references
from longways.formats.html.scanner import Scanner
from longways.formats.html.structure import Structure
from longways.formats.html.tokens import Token, Tokens
from longways.formats.placeholders import kept_parts

_SPACE = "\t\n\f\r "
_LINE = re.compile(r"[^\n\r]+")
_READINGS = frozenset(["rt", "rp"])
"""Elements beside the text that they belong to: how signs are read, and brackets around that."""
_SIGN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_XML_BEGINS = re.compile(r"\s*<\?xml\s")
_XML_ROOT = re.compile(r"<html\s[^>]*\bxmlns\s*=", re.IGNORECASE)


@dataclass
class _Element:
    """An open element whose tags end passages."""

    name: str
    last: int
    read: bool


def find_places(text: str, language: str) -> Found:
    """Find the passages of a file in this language."""
    reader = _HtmlReader(text, language)
    places = sorted(reader.places, key=lambda place: place.start)
    return Found(reader.xml, places, reader.languages, reader.warnings)


class _HtmlReader:
    """Collects passages from the tokens of a file."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.xml = bool(_XML_BEGINS.match(text) or _XML_ROOT.search(text, 0, 4096))
        scanner = Scanner(text, xml=self.xml)
        self.tokens = Tokens(scanner.tokens())
        self.structure = Structure(self.tokens, xml=self.xml)
        self.places: list[Place] = []
        self.languages: list[Language] = []
        self.warnings: list[tuple[int, str]] = [
            (start, f"{what} is never ended; what follows is part of it, and left as it is.")
            for start, what in scanner.unended
        ]
        self._unended = scanner.broken.union(start for start, _ in scanner.unended)
        self._open = [_Element("", len(self.tokens), True)]
        self._line = Line(text, xml=self.xml)
        self._kept_until = -1
        """The last token of a reading, which is a standalone item of its passage."""
        self._read()

    def _read(self) -> None:
        for number, token in enumerate(self.tokens):
            if number <= self._kept_until:
                continue
            if self._open[-1].last <= number:
                self._leave(number)
            if token.kind == "start":
                self._start(number, token)
            elif token.kind == "end":
                self._end(number, token)
            elif self._open[-1].read:
                self._content(token)
        self._flush()

    def _leave(self, number: int) -> None:
        """Leave the elements that end before or with this token."""
        while len(self._open) > 1 and self._open[-1].last <= number:
            self._flush()
            self._open.pop()

    def _start(self, number: int, token: Token) -> None:
        found = attributes(self.text, token)
        last = self.structure.ends[number]
        breaks = token.name in BLOCKS or number in self.structure.breaking
        said = is_translated(self.text, found) if found else None
        if breaks:
            self._flush()
            self._enter(token, said, last)
        if not self._open[-1].read:
            return
        if last > number and not breaks and self._is_reading(token, last):
            whole = Token("island", token.start, self.tokens[last].end, token.name)
            self._line.standing(whole)
            self._kept_until = last
            return
        if said is not False and (found or token.name == "html"):
            self._attributes(token, found)
            self.languages += self._languages(token, found, self._end_of(token, number))
        if not breaks:
            kept = said is False or (
                token.name in KEPT and not said and not is_demo(token.name, found)
            )
            self._line.start(token, number, paired=last > number, kept=kept)

    def _is_reading(self, token: Token, last: int) -> bool:
        """Whether an element says how the signs before it are read, and is no text of its own."""
        inside = token.end, self.tokens[last].start
        return token.name in _READINGS and not _SIGN.search(self.text, *inside)

    def _end_of(self, token: Token, number: int) -> int:
        """Where the element of a start tag ends in the text."""
        last = self.structure.ends[number]
        if last == number:
            return token.end
        return self.tokens[last].start if 0 <= last < len(self.tokens) else len(self.text)

    def _enter(self, token: Token, said: bool | None, last: int) -> None:
        """Enter an element that ends passages; `said` is its `translate` attribute."""
        read = self._open[-1].read
        if token.name in UNREAD or said is not None:
            read = bool(said) and token.name not in UNREAD
        if token.name in UNREAD - RAW and last >= len(self.tokens):
            note = f"<{token.name}> is never ended; what follows is part of it, and left as it is."
            self.warnings.append((token.start, note))
        if token.name in ("html", "body") and not read:
            note = f"<{token.name}> says that it must not be translated, and is left as it is."
            self.warnings.append((token.start, note))
        self._open.append(_Element(token.name, last, read))

    def _end(self, number: int, token: Token) -> None:
        if token.name in BLOCKS or number in self.structure.breaking:
            self._flush()
        elif self._open[-1].read:
            self._line.end(token, self.structure.starts[number])

    def _content(self, token: Token) -> None:
        if token.kind == "text" and self._open[-1].name == "textarea":
            self._text_area(token)
        elif token.kind in ("text", "literal"):
            self._line.text(token)
        elif token.kind in ("raw", "doctype") or token.start in self._unended:
            self._flush()  # new text after what is never ended would become part of it
        else:
            if token.kind == "island":
                self._attributes(token, attributes(self.text, token))
            self._line.standing(token)

    def _flush(self) -> None:
        """End the current passage; keep it if it has text."""
        line = self._line
        if line.first < 0:
            return
        if not line.is_blank:
            kind: Literal["plain", "block"] = "plain" if self._open[-1].name in PLAIN else "block"
            place = Place(line.passage(), line.first, line.last, kind, tuple(line.tags))
            self.places.append(place)
        self._line = Line(self.text, xml=self.xml)

    def _text_area(self, token: Token) -> None:
        """Each line of a text area is a passage, unless it is code."""
        source = self.text[token.start : token.end]
        if not is_code(source):
            for match in _LINE.finditer(source):
                self._plain(token.start + match.start(), token.start + match.end(), "area")

    def _attributes(self, token: Token, found: dict[str, Attribute]) -> None:
        for attribute in read_attributes(self.text, token, found):
            start, end = attribute.start, attribute.end
            if not self.xml or not any(unknown_references(self.text, start, end)):
                self._plain(start, end, "value", attribute.quote)

    def _plain(self, start: int, end: int, kind: Literal["area", "value"], quote: str = "") -> None:
        """Add a passage without marks if it has text."""
        source = self.text[start:end]
        inner = source.strip(_SPACE)
        text = read_text(inner, strict=kind == "value" or self.xml).replace("\r\n", "\n")
        text = text.replace("\r", "\n").strip(_SPACE)
        if text and not text.isspace():
            if quote or kind == "area":  # without quotes, all of it is replaced
                start += len(source) - len(source.lstrip(_SPACE))
                end = start + len(inner)
            passage = Passage(text, keep=kept_parts(text, template_parts(text)))
            self.places.append(Place(passage, start, end, kind, quote=quote))

    def _languages(self, tag: Token, found: dict[str, Attribute], end: int) -> Iterator[Language]:
        """The attributes that give the language of the text."""
        names = [name for name in ("lang", "xml:lang") if name in found]
        for name in names:
            value = found[name]
            if value.start == value.end and not value.quote:
                continue  # a name without a value
            if tag.name == "html" or self._is_own(self.text[value.start : value.end]):
                yield Language(tag.start, end, value)
                if name == names[0]:
                    yield from self._direction(tag, found, end)
        if tag.name == "html" and not names:
            after = tag.start + len("<html")
            yield Language(tag.start, end, Attribute(after, after, ""), "lang")
            yield from self._direction(tag, found, end)

    def _direction(self, tag: Token, found: dict[str, Attribute], end: int) -> Iterator[Language]:
        """The `dir` attribute of an element, or the place after its name; `auto` stays."""
        if "dir" not in found:
            after = tag.start + 1 + len(tag.name)
            yield Language(tag.start, end, Attribute(after, after, ""), "dir", is_direction=True)
        elif self.text[found["dir"].start : found["dir"].end].strip().lower() in ("ltr", "rtl"):
            yield Language(tag.start, end, found["dir"], is_direction=True)

    def _is_own(self, tag: str) -> bool:
        """Whether a language tag has the language of the text, in any script and region."""
        first, own = (re.split("[-_]", t.strip().lower())[0] for t in (tag, self.language))
        return first == own
