"""Presentations in Office Open XML: .pptx.

The format reads the slides in the order of the presentation. A slide is followed by its charts,
diagrams and comments, and by its notes; the title and other properties come last. A passage is a
paragraph or an alternative text. Masters, layouts, fields such as slide numbers,
formulas, media and macros stay unchanged.
"""

from __future__ import annotations

from longways.formats.office.document import (
    OfficeDocument,
    check_kind,
    read_part,
    signature_warnings,
    whole_parts,
)
from longways.formats.office.package import Package
from longways.formats.office.part import Part
from longways.formats.office.relations import main_part
from longways.formats.office.styles import Styles
from longways.formats.pptx.parts import property_parts, slides_of


class Pptx:
    """The format of .pptx files."""

    name = "pptx"
    suffixes = (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> OfficeDocument:
        """Parse a file; `encoding` is ignored, since XML declares its own."""
        package, styles = Package(data), Styles()
        main = main_part(package)
        check_kind(read_part(package, main, "presentation", styles).root, "pptx")
        slides, missing = slides_of(package, main)
        parts, warnings = list[Part](), [_MISSING.format(name) for name in missing]
        known = set[str]()
        for slide in slides:
            for names in (slide.texts[:1], slide.beside, slide.texts[1:]):
                new = [part for part in names if part[0] not in known]
                known.update(name for name, _ in new)
                found, damaged = _read(package, new, styles, strict=names is not slide.beside)
                parts += found
                warnings += damaged
        found, damaged = whole_parts(package, property_parts(package), styles)
        return OfficeDocument(
            package, [*parts, *found], [*warnings, *damaged, *signature_warnings(package)]
        )


_MISSING = "The slide {} is named in this file but not there; it is left out."


def _read(
    package: Package, names: list[tuple[str, str]], styles: Styles, *, strict: bool
) -> tuple[list[Part], list[str]]:
    """The parts, and warnings for damaged ones; a damaged slide raises."""
    if not strict:
        return whole_parts(package, names, styles)
    return [read_part(package, name, kind, styles) for name, kind in names], []
