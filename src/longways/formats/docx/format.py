"""Word documents in Office Open XML: .docx.

The format reads the body, headers, footers, footnotes, endnotes and comments, in this order, a
passage for each paragraph with text; then the words around list numbers, the texts of charts and
diagrams, and the title and other properties. The alternative text of an image is a passage too.
Deleted text, field results, formulas and images stay unchanged.
"""

from __future__ import annotations

from longways.formats.docx.code_styles import read_styles
from longways.formats.docx.parts import TextParts, text_parts
from longways.formats.office.document import (
    TEXT_IN_CODE_STYLE,
    OfficeDocument,
    check_kind,
    is_text,
    read_part,
    signature_warnings,
    whole_parts,
)
from longways.formats.office.package import Package
from longways.formats.office.styles import Styles


class Docx:
    """The format of .docx files."""

    name = "docx"
    suffixes = (".docx", ".docm")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> OfficeDocument:
        """Parse a file; `encoding` is ignored, since XML declares its own."""
        package = Package(data)
        names = text_parts(package)
        styles = read_styles(package, names.styles)
        main = read_part(package, names.main, "document", styles)
        check_kind(main.root, "docx")
        warnings = _warnings(names)
        if styles.found_code:
            whole = read_part(package, names.main, "document", Styles(styles.code, True))
            if is_text(main, whole, language):
                main, warnings = whole, [*warnings, TEXT_IN_CODE_STYLE]
        parts = [read_part(package, name, kind, styles) for name, kind in names.others]
        more, damaged = whole_parts(package, names.beside, styles)
        warnings += [*damaged, *signature_warnings(package)]
        return OfficeDocument(
            package,
            [main, *parts, *more],
            warnings,
        )


def _warnings(names: TextParts) -> list[str]:
    missing = "The part {} is named in this file but not there; it is left out."
    foreign = "The part {} of this file is a file of another kind; its text is not translated."
    return [
        *(missing.format(name) for name in names.missing),
        *(foreign.format(name) for name in names.foreign),
    ]
