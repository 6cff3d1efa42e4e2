"""The parts of a presentation that hold text, slide by slide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from longways.formats.office.package import Package
from longways.formats.office.relations import identified, ordered, parse, relations

_DRAWINGS = ("chart", "chartEx", "diagramData", "diagramDrawing", "chartUserShapes")
_NOTES = "notesSlide"
_BESIDE = (*_DRAWINGS, "comments")

Named = tuple[str, str]
"""Name and kind of a part."""


@dataclass(frozen=True)
class SlideParts:
    """A slide with its notes, and what is beside them."""

    texts: tuple[Named, ...]
    """The slide and its notes; a damaged one makes the file unreadable."""
    beside: tuple[Named, ...]
    """Charts, diagrams and comments, which may be damaged."""


def slides_of(package: Package, main: str) -> tuple[list[SlideParts], list[str]]:
    """The slides in the order of the presentation, and the names of those that are missing."""
    names = list(dict.fromkeys(_slide_names(package, main)))
    found = [_slide(package, name) for name in names if name in package.names]
    return found, [name for name in names if name not in package.names]


def _slide_names(package: Package, main: str) -> Iterator[str]:
    named = dict(identified(package, main))
    for slide in parse(package.read(main), main).iterfind("./{*}sldIdLst/{*}sldId"):
        identifiers = (
            str(value) for key, value in slide.attrib.items() if str(key).endswith("}id")
        )
        for identifier in identifiers:
            if identifier in named:
                yield named[identifier][1]


def _slide(package: Package, name: str) -> SlideParts:
    own = relations(package, name)
    notes = [(target, kind) for kind, target in own if kind == _NOTES and target in package.names]
    beside = [part for part in ordered(own, _BESIDE) if part[0] in package.names]
    shapes = [
        part
        for chart, kind in beside
        if kind.startswith("chart")
        for part in ordered(relations(package, chart), ("chartUserShapes",))
        if part[0] in package.names
    ]
    return SlideParts(((name, "slide"), *notes), (*beside, *shapes))


def property_parts(package: Package) -> list[Named]:
    """The part with the title and other properties."""
    found = ordered(relations(package, ""), ("core-properties",))
    return [part for part in found if part[0] in package.names]
