"""The parts of a Word document that hold text."""

from __future__ import annotations

from dataclasses import dataclass

from longways.formats.office.package import Package
from longways.formats.office.relations import main_part, ordered, relations

_KINDS = ("header", "footer", "footnotes", "endnotes", "comments")
_DRAWINGS = ("chart", "chartEx", "diagramData", "diagramDrawing")
_NUMBERING = ("numbering",)
_PROPERTIES = ("core-properties",)
_FOREIGN = ("aFChunk", "subDocument")


@dataclass(frozen=True)
class TextParts:
    """Names of the parts of a document that hold readable text, and of its styles."""

    main: str
    others: tuple[tuple[str, str], ...]
    """Name and kind of each, headers first and comments last."""
    beside: tuple[tuple[str, str], ...]
    """Name and kind of optional parts: lists, charts, properties."""
    styles: str | None
    missing: tuple[str, ...]
    """Parts that the document refers to but does not contain."""
    foreign: tuple[str, ...]
    """Parts that are whole files of another kind, which a word processor shows as text."""


def text_parts(package: Package) -> TextParts:
    """The parts with text, in reading order."""
    main, whole = main_part(package), relations(package, "")
    own = relations(package, main)
    texts = ordered(own, _KINDS)
    beside = ordered(own, _NUMBERING)
    drawn = [r for of in [main, *(name for name, _ in texts)] for r in relations(package, of)]
    beside += [*ordered(drawn, _DRAWINGS), *ordered(whole, _PROPERTIES)]
    styles = (target for kind, target in own if kind == "styles")
    return TextParts(
        main,
        tuple(part for part in texts if part[0] in package.names),
        tuple(part for part in beside if part[0] in package.names),
        next((name for name in styles if name in package.names), None),
        tuple(name for name, _ in texts if name not in package.names),
        tuple(target for kind, target in own if kind in _FOREIGN),
    )
