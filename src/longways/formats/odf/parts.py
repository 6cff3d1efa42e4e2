"""The parts of an OpenDocument file that hold text, and what within them is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from longways.errors import FormatError
from longways.formats.office.package import AGAIN, Package
from longways.formats.office.relations import ordered
from longways.formats.office.xml import XmlElement

CONTENT = "content.xml"

_BODY = re.compile(rb"<(?:[\w.-]{1,40}:)?body(?:\s[^<>]*)?>\s*<(?:[\w.-]{1,40}:)?([\w-]+)")
_SUFFIXES = {"text": "odt", "presentation": "odp", "spreadsheet": "ods"}
_OBJECT = re.compile(r"(?:[^/]+/)+content\.xml")
_HEADERS = re.compile(r"style:(?:header|footer)(?:-left|-first)?")
_NOT_READ = frozenset(["text:tracked-changes", "text:variable-decls", "office:scripts"])
_CELLS = frozenset(["table:table-cell", "table:covered-table-cell"])

IsRead = Callable[[Sequence[XmlElement]], bool]


def check_file(package: Package) -> None:
    """Raise if the file has no content, or a protected one."""
    manifest = "META-INF/manifest.xml"
    if manifest in package.names and b"encryption-data" in package.read(manifest):
        raise FormatError(
            "This file is protected with a password. Open it in its program, remove the password, "
            "and save it again."
        )
    if CONTENT in package.names:
        return
    if "[Content_Types].xml" in package.names:
        raise FormatError(
            "This is a file of Microsoft Office, whatever its name says. Give it the suffix of its "
            "kind, such as .docx, .pptx or .xlsx."
        )
    raise FormatError(f"This is a zip file, but there is no document in it. {AGAIN}")


def check_body(data: bytes, wanted: str) -> None:
    """Raise if the content is of another kind than a format reads."""
    found = _BODY.search(data)
    kind = found[1].decode() if found else "unknown"
    suffix = _SUFFIXES.get(kind)
    if suffix is None:
        raise FormatError(
            f"This is an OpenDocument file of another kind ({kind}), whatever its name says. Open "
            f"it in its program and save it as .{wanted}."
        )
    if suffix != wanted:
        raise FormatError(
            f"This is another kind of OpenDocument file: an .{suffix}, whatever its name says. "
            f"Give it that suffix, or use --format {suffix}."
        )


def object_parts(package: Package) -> list[str]:
    """The charts and other objects of a document, in order."""
    names = [("object", name) for name in package.names if _OBJECT.fullmatch(name)]
    return [name for name, _ in ordered(names, ("object",))]


def in_content(open_: Sequence[XmlElement]) -> bool:
    """Whether text within open elements is read: not deleted text, numbers, dates and results."""
    for outer in reversed(open_):
        if outer.name in _NOT_READ:
            return False
        if outer.name == "office:annotation":
            return True
        if outer.name in _CELLS:
            kind = outer.attributes.get("office:value-type", "string")
            return kind == "string" and "table:formula" not in outer.attributes
    return True


def in_headers(open_: Sequence[XmlElement]) -> bool:
    """Whether text within open elements of the styles is read: headers and footers only."""
    inside = any(_HEADERS.fullmatch(outer.name) for outer in open_)
    return inside and in_content(open_)


def in_properties(open_: Sequence[XmlElement]) -> bool:
    """Whether an element is a property of the whole document."""
    return [outer.name for outer in open_[1:]] == ["office:meta"]
