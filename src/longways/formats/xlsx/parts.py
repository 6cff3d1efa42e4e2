"""The parts of a workbook that hold text, sheet by sheet."""

from __future__ import annotations

from dataclasses import dataclass

from longways.formats.office.package import Package
from longways.formats.office.relations import identified, ordered, parse, relations

Named = tuple[str, str]
"""Name and kind of a part."""

_CHARTS = ("chart", "chartEx", "diagramData", "diagramDrawing")
_KNOWING = ("table", "pivotCacheDefinition")


@dataclass(frozen=True)
class SheetParts:
    """A sheet with its tables, and what is beside its cells."""

    name: str
    tables: tuple[str, ...]
    beside: tuple[Named, ...]
    """Comments, text boxes and charts, which may be damaged."""


@dataclass(frozen=True)
class BookParts:
    """The parts of a workbook."""

    sheets: tuple[SheetParts, ...]
    strings: str | None
    knowing: tuple[str, ...]
    """Parts other than sheets that know cells by their text."""
    properties: tuple[Named, ...]
    missing: tuple[str, ...]


def book_parts(package: Package, main: str) -> BookParts:
    """The sheets in the order of the workbook, and other parts with text."""
    own = identified(package, main)
    named, whole = dict(own), [relation for _, relation in own]
    values = (
        str(value)
        for sheet in parse(package.read(main), main).iterfind("./{*}sheets/{*}sheet")
        for key, value in sheet.attrib.items()
        if str(key).endswith("}id")
    )
    names = list(dict.fromkeys(named[value][1] for value in values if value in named))
    strings = (name for kind, name in whole if kind == "sharedStrings")
    sheets = tuple(_sheet(package, name) for name in names if name in package.names)
    caches = (name for name, _ in _there(package, whole, _KNOWING))
    tables = (name for sheet in sheets for name in sheet.tables)
    return BookParts(
        sheets,
        next((name for name in strings if name in package.names), None),
        (main, *caches, *tables),
        tuple(_there(package, relations(package, ""), ("core-properties",))),
        tuple(name for name in names if name not in package.names),
    )


def _sheet(package: Package, name: str) -> SheetParts:
    own = relations(package, name)
    drawings = _there(package, own, ("drawing",))
    drawn = [r for drawing, _ in drawings for r in relations(package, drawing)]
    charts = _there(package, drawn, _CHARTS)
    shapes = [r for chart, _ in charts for r in relations(package, chart)]
    return SheetParts(
        name,
        tuple(name for name, _ in _there(package, own, ("table",))),
        (
            *_there(package, own, ("comments", "threadedComment")),
            *drawings,
            *charts,
            *_there(package, shapes, ("chartUserShapes",)),
        ),
    )


def _there(package: Package, of: list[Named], kinds: tuple[str, ...]) -> list[Named]:
    return [part for part in ordered(of, kinds) if part[0] in package.names]
