r"""HTML: what stands between the tags of blocks is a passage, tags within it are marks.

    <p>The <b>first</b> line<br>and the next.</p>    "The first line\nand the next."

A file is cut into tokens (`html_scanner`), tags are matched (`html_structure`), passages are read
(`html_passages`) and written (`html_writing`). Only what is new is written anew; everything else
comes back as the bytes that it was.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from io import SEEK_END, BytesIO
from typing import NamedTuple

from longways.translate.formats.html_encoding import decode
from longways.translate.formats.html_passages import find_places
from longways.translate.formats.html_places import Language, Place
from longways.translate.formats.html_references import escape_value
from longways.translate.formats.html_writing import Style, write_passage, write_value
from longways.translate.formats.protocol import Passage


class Html:
    """The format HTML, also in the form of XHTML, whole or in part."""

    name = "html"
    suffixes = (".html", ".htm", ".xhtml")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> HtmlDocument:
        """Take a file apart; raises `FormatError` if it is not text in the encoding it declares."""
        return HtmlDocument(data, language, encoding)


class _Edit(NamedTuple):
    """What to write in a tag of the file: in place of some characters, or between two."""

    start: int
    end: int
    text: str


class HtmlDocument:
    """An HTML file that was taken apart."""

    def __init__(self, data: bytes, language: str, encoding: str | None = None) -> None:
        self._encoded, self._language = decode(data, encoding), language
        self._found = find_places(self._encoded.text, language)
        self.passages: Sequence[Passage] = [place.passage for place in self._found.places]
        self.warnings: Sequence[str] = [*self._encoded.warnings, *self._lines()]

    def _lines(self) -> Iterator[str]:
        """The warnings of the reader, with their lines."""
        line, place = 1, 0
        for start, warning in sorted(self._found.warnings):
            line += self._encoded.text.count("\n", place, start)
            place = start
            yield f"Line {line}: {warning}"

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own, as many and in the same order."""
        style = Style(self._found.xml, bilingual, self._language)
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
        """Set the language of those elements in which something is new."""
        value = escape_value(language, '"', xml=self._found.xml).replace("'", "&#39;")
        values = [place for place in new if place.kind == "value"]
        blocks = [place for place in new if place.kind != "value"]
        for found in self._found.languages:
            if _is_any_in(found, values) or _is_any_in(found, blocks):
                start, end, quote = found.value
                quoted = value if quote else f'"{value}"'
                yield _Edit(start, end, f" {found.name}={quoted}" if found.name else quoted)

    def _bytes(
        self, values: Sequence[_Edit], blocks: Iterable[tuple[Place, Passage]], style: Style
    ) -> Iterator[bytes]:
        """The file, piece by piece; what is new is made when it is its turn."""
        place = 0
        for block, passage in blocks:
            yield from self._source(place, block.start, values)
            for piece in write_passage(block, passage, style):
                if isinstance(piece, str):
                    yield self._encoded.new(piece)
                else:
                    yield from self._source(*piece, values)
            place = block.end
        yield from self._source(place, len(self._encoded.text), values)

    def _source(self, start: int, end: int, values: Sequence[_Edit]) -> Iterator[bytes]:
        """Characters of the file, with what is new in the attributes among them."""
        for number in range(bisect_left(values, (start,)), len(values)):
            edit = values[number]
            if edit.start >= end:
                break
            yield self._encoded.original(start, edit.start)
            yield self._encoded.new(edit.text)
            start = edit.end
        yield self._encoded.original(start, end)


def _is_any_in(found: Language, places: Sequence[Place]) -> bool:
    """Whether one of these, which lie apart and in order, is in an element or around it."""
    following = bisect_right(places, found.start, key=lambda place: place.end)
    return following < len(places) and places[following].start < found.end
