"""OpenDocument files: texts (.odt), presentations (.odp) and spreadsheets (.ods).

The format reads the content, the headers and footers of pages, charts, and the title and other
properties. A passage is a paragraph; notes, annotations and text boxes have passages of their own.
Deleted text of tracked changes, fields, formulas with their results, numbers, dates, names, master
pages and images stay unchanged.
"""

from __future__ import annotations

from longways.errors import FormatError
from longways.formats.odf.cells import named_texts, without_named
from longways.formats.odf.paragraph import Paragraphs
from longways.formats.odf.parts import (
    CONTENT,
    IsRead,
    check_body,
    check_file,
    in_content,
    in_headers,
    in_properties,
    object_parts,
)
from longways.formats.office.document import TEXT_IN_CODE_STYLE, OfficeDocument, is_text
from longways.formats.office.package import Package
from longways.formats.office.part import Part
from longways.formats.office.styles import Styles
from longways.formats.office.xml import XmlSource

_SIGNATURE = "META-INF/documentsignatures.xml"


class OpenDocument:
    """What the three formats share."""

    name = ""
    suffixes: tuple[str, ...] = ()

    def read(self, data: bytes, language: str, encoding: str | None = None) -> OfficeDocument:
        """Parse a file; `encoding` is ignored, since XML declares its own."""
        package = Package(data)
        check_file(package)
        content, found_code = _part(package, CONTENT, in_content)
        check_body(content.source.data, self.name)
        warnings = list[str]()
        if found_code:
            whole, _ = _part(package, CONTENT, in_content, reads_code=True)
            if is_text(content, whole, language):
                content, warnings = whole, [TEXT_IN_CODE_STYLE]
        parts = [content]
        if self.name == "ods":
            named = named_texts(content.source.data)
            content.items, more = without_named(content.items, named)
            warnings += more
        beside = [("styles.xml", in_headers)] if "styles.xml" in package.names else []
        beside += [(name, in_content) for name in object_parts(package)]
        beside += [("meta.xml", in_properties)] if "meta.xml" in package.names else []
        for name, is_read in beside:
            try:
                parts.append(_part(package, name, is_read)[0])
            except FormatError as error:
                warnings.append(f"{error} Its text is not translated.")
        if _SIGNATURE in package.names:
            warnings.append(
                "This file has a digital signature, which is not valid for a translation."
            )
        return OfficeDocument(package, parts, warnings)


def _part(
    package: Package, name: str, is_read: IsRead, *, reads_code: bool = False
) -> tuple[Part, bool]:
    """A part, and whether paragraphs in styles for code were left in it."""
    source = XmlSource.of(name, package.read(name))
    paragraphs = Paragraphs(source.data, reads_code=reads_code)
    return Part(source, name, Styles(), paragraphs.read, is_read), paragraphs.found_code


class Odt(OpenDocument):
    """The format of .odt files."""

    name = "odt"
    suffixes = (".odt", ".ott")


class Odp(OpenDocument):
    """The format of .odp files."""

    name = "odp"
    suffixes = (".odp", ".otp")


class Ods(OpenDocument):
    """The format of .ods files."""

    name = "ods"
    suffixes = (".ods", ".ots")
