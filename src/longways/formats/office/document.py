"""An Office document as its parts with text; parts that repeat a text share its passage."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.office.package import Package
from longways.formats.office.part import Item, Part
from longways.formats.office.styles import Styles
from longways.formats.office.xml import XmlSource
from longways.text.scripts import letters_of

MAX_SHARE_OUTSIDE = 0.2
"""At most this share of a text is outside of code if the code is text in truth."""

TEXT_IN_CODE_STYLE = (
    "Most of the text of this file has a style for code; it is translated all the same."
)

_ANY = re.compile(r"\S")


class OfficeDocument:
    """A parsed file."""

    def __init__(
        self,
        package: Package,
        parts: Sequence[Part],
        warnings: Sequence[str],
        order: Sequence[Item] | None = None,
    ) -> None:
        """`order` is the reading order of all items; by default, part after part."""
        self._package, self._parts = package, parts
        self.warnings = tuple(warnings)
        _match_diagrams(parts)
        items = [item for part in parts for item in part.items] if order is None else order
        self._numbers, self.passages = _numbered(items)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own; see `FormattedDocument`."""
        pairs = zip(passages, self.passages, strict=True)
        new = {number: p for number, (p, own) in enumerate(pairs) if p != own}
        changed = dict[str, bytes]()
        for part in self._parts:
            numbers = enumerate(map(self._numbers.__getitem__, part.items))
            own = {place: new[number] for place, number in numbers if number in new}
            if own:
                changed[part.source.name] = part.written(own, language, bilingual=bilingual)
        return self._package.exchanged(changed) if changed else self._package.data


_ROOTS = {"w:document": "docx", "p:presentation": "pptx", "x:workbook": "xlsx"}
"""The root of the main part of each format."""


def check_kind(root: str, wanted: str) -> None:
    """Raise if the main part has the root of another kind of file than a format reads."""
    kind = _ROOTS.get(root)
    if kind is None:
        raise FormatError(
            "This is another kind of Office file, whatever its name says. Open it in its program "
            f"and save it as .{wanted}."
        )
    if kind != wanted:
        raise FormatError(
            f"This is another kind of Office file: a .{kind}, whatever its name says. Give it that "
            f"suffix, or use --format {kind}."
        )


def is_text(part: Part, whole: Part, language: str) -> bool:
    """Whether the paragraphs in styles for code, which only `whole` has, are text.

    Most characters and most letters of the text's script are in them, as in a plain text that was
    pasted into Writer. In the Latin script, which code has too, there is nothing else.
    """
    letters = letters_of(language)
    if letters is None or letters.match("a"):
        return not part.items and bool(whole.items)
    return all(
        _count(part, signs) < MAX_SHARE_OUTSIDE * _count(whole, signs) for signs in (_ANY, letters)
    )


def _count(part: Part, signs: re.Pattern[str]) -> int:
    return sum(len(signs.findall(item.passage.text)) for item in part.items)


def signature_warnings(package: Package) -> list[str]:
    """A warning for a file with a digital signature."""
    if not any(name.startswith("_xmlsignatures/") for name in package.names):
        return []
    return ["This file has a digital signature, which is not valid for a translation."]


def read_part(package: Package, name: str, kind: str, styles: Styles) -> Part:
    """Parse a part of some kind."""
    return Part(XmlSource.of(name, package.read(name)), kind, styles)


def whole_parts(
    package: Package, names: Sequence[tuple[str, str]], styles: Styles
) -> tuple[list[Part], list[str]]:
    """The parts that can be read, and a warning for each damaged part, which stays unchanged."""
    parts, damaged = list[Part](), list[str]()
    for name, kind in names:
        try:
            parts.append(read_part(package, name, kind, styles))
        except FormatError as error:
            damaged.append(f"{error} Its text is not translated.")
    return parts, damaged


def _match_diagrams(parts: Sequence[Part]) -> None:
    """Link texts in diagram drawings to the same texts in diagram data, in order."""
    known = dict[Passage, deque[Item]]()
    for item in (item for part in parts if part.kind == "diagramData" for item in part.items):
        known.setdefault(item.passage, deque()).append(item)
    for item in (item for part in parts if part.kind == "diagramDrawing" for item in part.items):
        if found := known.get(item.passage):
            item.twin = found[0]
            found.rotate(-1)


def _numbered(items: Sequence[Item]) -> tuple[dict[object, int], tuple[Passage, ...]]:
    """The passage number of each item, shared by twins, and all passages."""
    numbers, passages = dict[object, int](), list[Passage]()
    for item in items:
        if item.twin:
            numbers[item] = numbers[item.twin]
        else:
            numbers[item] = len(passages)
            passages.append(item.passage)
    return numbers, tuple(passages)
