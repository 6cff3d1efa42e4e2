"""XLIFF 1.2 and 2.x in a stream: each unit with its translation.

No entity is expanded, and nothing outside of the file is read. Where a tool has cut a unit into
segments (`mrk` of 1.2, `segment` of 2.x), each of them is a unit here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.parsers import expat

from longways.errors import FormatError
from longways.formats.exchange.segment import SegmentText
from longways.formats.exchange.xml_bytes import check_depth, not_well_formed, parsed_chunks

_NEW = {"new", "needs-translation", "initial"}
"""States of targets that are not translations yet."""
_UNITS = {"trans-unit", "unit"}


class XliffUnit(NamedTuple):
    """A source text and its translation."""

    source: str
    target: str
    """Empty if there is no translation yet."""
    languages: tuple[str, str]
    """The languages that the file names; empty if it names none."""
    document: str
    """The file that the unit comes from."""
    is_machine: bool
    """Whether a machine made the translation and no person has seen it."""
    line: int
    """The line of the file on which it ends."""


def read_units(file: BinaryIO, path: Path) -> Iterator[XliffUnit]:
    """The units of an open file; `path` names it in errors, which are of the class `FormatError`.

    Units that are not to be translated, and alternative translations, are left out.
    """
    yield from _Reader(path).units(file)


class _Text:
    """A source or a target: its whole text, and the text of each segment in it."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.attributes = attributes
        self.whole, self.segments = SegmentText(), dict[str, SegmentText]()
        self._open: SegmentText | None = None

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self.whole.start(name, attributes)
        if self._open:
            self._open.start(name, attributes)
        elif name == "mrk" and attributes.get("mtype") == "seg":
            self._open = self.segments[attributes.get("mid", "")] = SegmentText()

    def end(self) -> bool:
        """An element ends; whether it is the source or target itself."""
        if self._open and self._open.end():
            self._open = None
        return self.whole.end()

    def add(self, data: str) -> None:
        self.whole.add(data)
        if self._open:
            self._open.add(data)


class _Reader:
    """What is known between two tags."""

    def __init__(self, path: Path) -> None:
        self.path, self.ready = path, list[XliffUnit]()
        self.depth, self.skipped, self.documents = 0, 0, 0
        """Depth of the open element, and of the outermost one that is left out."""
        self.version, self.languages, self.document = "", ("", ""), ""
        self.text: _Text | None = None
        self.texts = dict[str, _Text]()
        self.state: Mapping[str, str] = {}

    def units(self, file: BinaryIO) -> Iterator[XliffUnit]:
        encoding, chunks = parsed_chunks(file)
        parser = self.parser = expat.ParserCreate(encoding, " ")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = parser.SkippedEntityHandler = self._refuse_entity
        try:
            for data in chunks:
                parser.Parse(data)
                yield from self.ready
                self.ready.clear()
            parser.Parse(b"", True)
        except (expat.ExpatError, ValueError, LookupError) as error:
            yield from self.ready  # the units before the damage
            raise not_well_formed(self.path, parser.CurrentLineNumber, error) from error
        yield from self.ready

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        name = name.rpartition(" ")[2]
        self._check_place(name)
        self.depth += 1
        if self.skipped:
            return
        if self.text:
            self.text.start(name, attributes)
        elif name in ("alt-trans", "match") or attributes.get("translate") == "no":
            self.skipped = self.depth
        elif name in ("source", "seg-source", "target"):
            self.text = self.texts[name] = _Text(attributes)
        else:
            self._start_part(name, attributes)

    def _start_part(self, name: str, attributes: dict[str, str]) -> None:
        """An element around sources and targets begins."""
        if name == "xliff":
            self.languages = attributes.get("srcLang", ""), attributes.get("trgLang", "")
        elif name == "file":
            self.documents += 1
            self.document = attributes.get("original") or attributes.get("id", "")
            self.document = self.document or str(self.documents)
            source = attributes.get("source-language", self.languages[0])
            self.languages = source, attributes.get("target-language", self.languages[1])
        elif name in _UNITS or name == "segment":
            self.texts, self.state = {}, attributes

    def _end(self, name: str) -> None:
        if self.skipped:
            self.skipped = 0 if self.depth == self.skipped else self.skipped
        elif self.text:
            if self.text.end():
                self.text = None
        elif name.rpartition(" ")[2] in ("trans-unit", "segment"):
            self.ready += self._pairs()
            self.texts = {}
        self.depth -= 1

    def _characters(self, data: str) -> None:
        if self.text and not self.skipped:
            self.text.add(data)

    def _pairs(self) -> Iterator[XliffUnit]:
        """The pairs of the unit that ends here."""
        source, target = self.texts.get("source"), self.texts.get("target")
        if source is None:
            return
        cut = self.texts.get("seg-source")
        if cut and target and cut.segments and cut.segments.keys() == target.segments.keys():
            for name, text in cut.segments.items():
                yield self._unit(text.text, target.segments[name].text, target)
            return
        yield self._unit(source.whole.text, target.whole.text if target else "", target)

    def _unit(self, source: str, target: str, element: _Text | None) -> XliffUnit:
        said = {**self.state, **(element.attributes if element else {})}
        is_machine = said.get("state-qualifier", "").endswith(("mt-suggestion", "leveraged-mt"))
        target = "" if said.get("state") in _NEW else target
        line = self.parser.CurrentLineNumber
        return XliffUnit(source, target, self.languages, self.document, is_machine, line)

    def _check_place(self, name: str) -> None:
        if not self.depth and name != "xliff":
            raise FormatError(
                f"{self.path} is not an XLIFF file: its first element is {name:.40}. Name an XLIFF "
                "file."
            )
        check_depth(self.path, self.parser, self.depth)

    def _refuse_entity(self, name: str, *_: object) -> None:
        raise FormatError(
            f"{self.path} declares or uses the entity {name:.40}, which is not read, since "
            "entities may be made to do harm. Write its text in place of it."
        )
