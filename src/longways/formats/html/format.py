r"""HTML: the text between two block tags is a passage, and inline tags are its marks.

    <p>The <b>first</b> line<br>and the next.</p>    "The first line\nand the next."

A file is cut into tokens (`scanner`), tags are matched (`structure`), passages are read
(`passages`) and written (`writer`). Only new passages are written; all other bytes stay unchanged.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from io import SEEK_END, BytesIO
from typing import NamedTuple

from longways.formats.base import Passage
from longways.formats.html.charset import decode
from longways.formats.html.passages import find_places
from longways.formats.html.places import Language, Place
from longways.formats.html.references import escape_value
from longways.formats.html.writer import Style, write_passage, write_value
from longways.text.direction import direction, is_right_to_left


class Html:
    """The format of HTML and XHTML files, complete pages or fragments."""

    name = "html"
    suffixes = (".html", ".htm", ".xhtml")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> HtmlDocument:
        """Parse a file; raises `FormatError` if it is not text in the encoding it declares."""
        return HtmlDocument(data, language, encoding)


class _Edit(NamedTuple):
    """A replacement of some characters inside a tag, or an insertion."""

    start: int
    end: int
    text: str


class HtmlDocument:
    """A parsed HTML file."""

    def __init__(self, data: bytes, language: str, encoding: str | None = None) -> None:
        self._encoded, self._language = decode(data, encoding), language
        self._found = find_places(self._encoded.text, language)
        self.passages: Sequence[Passage] = [place.passage for place in self._found.places]
        self.warnings: Sequence[str] = [*self._encoded.warnings, *self._lines()]

    def _lines(self) -> Iterator[str]:
        """The warnings of the reader, with line numbers."""
        line, place = 1, 0
        for start, warning in sorted(self._found.warnings):
            line += self._encoded.text.count("\n", place, start)
            place = start
            yield f"Line {line}: {warning}"

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own; see `FormattedDocument`."""
        style = Style(self._found.xml, bilingual, self._language, language)
        new = [
            (place, passage)
            for place, passage in zip(self._found.places, passages, strict=True)
            if (passage.text, passage.marks) != (place.passage.text, place.passage.marks)
        ]
        blocks = [(place, passage) for place, passage in new if place.kind != "value"]
        values = [
            _Edit(place.start, place.end, write_value(place, passage, style))
            for place, passage in new
            if place.kind == "value"
        ]
        values = sorted([*values, *self._languages([place for place, _ in new], language)])
        file = BytesIO(self._encoded.mark)
        file.seek(0, SEEK_END)
        file.writelines(self._bytes(values, blocks, style))
        return file.getvalue()

    def _languages(self, new: Sequence[Place], language: str) -> Iterator[_Edit]:
        """Set the language of elements that contain a new passage."""
        tag = escape_value(language, '"', xml=self._found.xml).replace("'", "&#39;")
        values = [place for place in new if place.kind == "value"]
        blocks = [place for place in new if place.kind != "value"]
        for found in self._found.languages:
            if _is_any_in(found, values) or _is_any_in(found, blocks):
                if found.is_direction and not self._is_turned(found, language):
                    continue
                start, end, quote = found.value
                value = direction(language) if found.is_direction else tag
                quoted = value if quote else f'"{value}"'
                yield _Edit(start, end, f" {found.name}={quoted}" if found.name else quoted)

    def _is_turned(self, found: Language, language: str) -> bool:
        """Whether `dir` is needed: to the right always, to the left in place of the other."""
        was_turned = is_right_to_left(self._language) and not found.name
        return was_turned or is_right_to_left(language)

    def _bytes(
        self, values: Sequence[_Edit], blocks: Iterable[tuple[Place, Passage]], style: Style
    ) -> Iterator[bytes]:
        """Yield the bytes of the file; new passages are written lazily."""
        place = 0
        for block, passage in blocks:
            yield from self._source(place, block.start, values)
            for fragment in write_passage(block, passage, style):
                if isinstance(fragment, str):
                    yield self._encoded.new(fragment)
                else:
                    yield from self._source(*fragment, values)
            place = block.end
        yield from self._source(place, len(self._encoded.text), values)

    def _source(self, start: int, end: int, values: Sequence[_Edit]) -> Iterator[bytes]:
        """Yield original characters of the file, with edits of attributes applied."""
        for number in range(bisect_left(values, (start,)), len(values)):
            edit = values[number]
            if edit.start >= end:
                break
            yield self._encoded.original(start, edit.start)
            yield self._encoded.new(edit.text)
            start = edit.end
        yield self._encoded.original(start, end)


def _is_any_in(found: Language, places: Sequence[Place]) -> bool:
    """Whether one of the places, disjoint and in order, overlaps an element."""
    following = bisect_right(places, found.start, key=lambda place: place.end)
    return following < len(places) and places[following].start < found.end
