"""TMX, the exchange format of translation memories, in a stream.

No entity is expanded, and nothing outside of the file is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from longways.errors import FormatError, TextError
from longways.formats.exchange.segment import SegmentText
from longways.formats.exchange.xml_bytes import check_depth, not_well_formed, parsed_chunks
from longways.text.languages.codes import best_code

_CONTEXT = {"prev", "x-context-pre", "x-previous-source-text"}
"""Properties with the sentence before, as OmegaT, memoQ and others write them."""
_DOCUMENT = {"x-document", "document", "x-filename", "filename", "txt::filename", "txt::doc. no."}
"""Properties with the document or the file of a unit, as Longways, memoQ, Okapi and DGT-TM write
them."""
MACHINE = "x-origin"
"""The property that says whether a machine made a translation."""
_TAG = re.compile("<[^<>]*>")
_TEXT_TAG = re.compile(r"</?[a-z]{1,12}\d{1,4}/?>")
"""A tag that OmegaT writes as text: <f0>, </f0>, <x1/>."""
_NAMED_LANGUAGES = 8
"""The most languages that an error names."""


class TmxUnit(NamedTuple):
    """A unit with its texts in two languages."""

    source: str
    target: str
    before: str = ""
    """The source text before it in its document; empty if it is not known."""
    changed: str = ""
    """When it was changed last, as 20261119T203000Z; empty if it is not known."""
    is_machine: bool = False
    document: str = ""
    """The document that it comes from; empty if it is not known."""
    line: int = 0
    """The line of the file on which it ends."""


def read_units(file: BinaryIO, path: Path, source: str, target: str) -> Iterator[TmxUnit]:
    """The units of an open file that have both languages; a file without any is an error.

    `path` names the file in errors, which are of the class `TextError`.
    """
    yield from _Reader(path, source, target).units(file)


class _Reader:
    """What is known between two tags."""

    def __init__(self, path: Path, source: str, target: str) -> None:
        self.path, self.languages = path, (source, target)
        self.ready, self.units_found, self.units_read = list[TmxUnit](), 0, 0
        self.codes = dict[str, None]()
        """All languages in the file, in order."""
        self.depth, self.has_text_tags = 0, False
        self.segment: SegmentText | None = None
        """The open segment or property."""
        self.property: str | None = None
        """The type of the open property."""
        self.changed = ""
        self._begin_unit({})

    def units(self, file: BinaryIO) -> Iterator[TmxUnit]:
        """All units with both languages."""
        encoding, chunks = parsed_chunks(file)
        self.parser, empty = self._new_parser(encoding), True
        try:
            for data in chunks:
                empty = False
                self.parser.Parse(data)
                yield from self.ready
                self.ready.clear()
            if not empty:
                self.parser.Parse(b"", True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            line = self.parser.CurrentLineNumber
            yield from self.ready  # the units before the damage
            raise not_well_formed(self.path, line, error) from error
        yield from self.ready
        self._check_found(empty)

    def _new_parser(self, encoding: str | None) -> expat.XMLParserType:
        parser = expat.ParserCreate(encoding, " ")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self._refuse_entity
        return parser

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        self._check_place(name)
        self.depth += 1
        if self.segment:
            self.segment.start(name, attributes)
        elif name == "header":
            self.has_text_tags = attributes.get("creationtool", "").lower().startswith("omegat")
        elif name == "tu":
            self._begin_unit(attributes)
        elif name == "tuv":
            self.language = _language(attributes)
            self.changed = max(self.changed, _date(attributes))
        elif name in ("seg", "prop"):
            self.segment = SegmentText()
            self.property = attributes.get("type", "").lower() if name == "prop" else None

    def _end(self, name: str) -> None:
        self.depth -= 1
        if self.segment is None:
            if name.rpartition(" ")[2] == "tu":
                self._end_unit()
        elif self.segment.end():
            text, self.segment = self.segment.text, None
            text = _TEXT_TAG.sub("", text).strip() if self.has_text_tags else text
            if self.property is None:
                self._add_text(text)
            else:
                self._add_property(self.property, text)

    def _characters(self, data: str) -> None:
        if self.segment:
            self.segment.add(data)

    def _begin_unit(self, attributes: dict[str, str]) -> None:
        self.texts, self.language = dict[str, str](), ""
        """The first text in each language of the unit."""
        self.before, self.is_machine, self.changed = "", False, _date(attributes)
        self.document = ""

    def _add_text(self, text: str) -> None:
        if self.language:
            self.codes[self.language] = None
            self.texts.setdefault(self.language, text)

    def _add_property(self, name: str, value: str) -> None:
        if name in _CONTEXT and not self.before:
            self.before = _TAG.sub("", value).strip()
        elif name in _DOCUMENT:
            self.document = self.document or value
        elif name == MACHINE:
            self.is_machine = value == "machine"

    def _end_unit(self) -> None:
        self.units_read += 1
        codes = list(self.texts)
        ours, theirs = (best_code(codes, language) for language in self.languages)
        if ours is None or theirs is None:
            return
        source, target = self.texts[ours], self.texts[theirs]
        if source and target:
            self.units_found += 1
            rest = self.before, self.changed, self.is_machine, self.document
            self.ready.append(TmxUnit(source, target, *rest, self.parser.CurrentLineNumber))

    def _check_place(self, name: str) -> None:
        """Raise if this is no TMX file, or an element lies too deep."""
        if not self.depth and name != "tmx":
            raise FormatError(
                f"{self.path} is not a TMX file: its first element is {name:.40}. Name a "
                "translation memory."
            )
        check_depth(self.path, self.parser, self.depth)

    def _check_found(self, empty: bool) -> None:
        """Raise if the file has no pair of the two languages."""
        source, target = self.languages
        if self.units_found:
            return
        if not self.units_read:
            has = "is empty" if empty else "has no translation units"
            raise TextError(f"{self.path} {has}. Name a TMX file with units.")
        if all(best_code(list(self.codes), language) for language in self.languages):
            raise TextError(
                f"{self.path} has no unit with a text in {source} and one in {target}. Name a "
                "translation memory that has."
            )
        codes = list(self.codes)[:_NAMED_LANGUAGES]
        has = ", ".join(codes) + (" and others" if len(self.codes) > len(codes) else "")
        raise TextError(
            f"{self.path} has no pairs from {source} to {target}: its languages are "
            f"{has or 'not named'}. Name a translation memory with {source} and {target}."
        )

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise TextError(
            f"{self.path} declares or uses the entity {name:.40}, which is not read, since "
            "entities may be made to do harm. Write its text in place of it."
        )


def _language(attributes: dict[str, str]) -> str:
    of_xml = attributes.get("http://www.w3.org/XML/1998/namespace lang")
    return (of_xml or attributes.get("lang") or "").strip()


def _date(attributes: dict[str, str]) -> str:
    return attributes.get("changedate") or attributes.get("creationdate") or ""
