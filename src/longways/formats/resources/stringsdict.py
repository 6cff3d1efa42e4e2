"""Apple .stringsdict: the forms of plurals and of widths, and the sentences that they stand in.

    <key>other</key><string>%d 个文件</string>

Keys, types and variables such as %#@files@ stay.
"""

from __future__ import annotations

from collections.abc import Iterator

from longways.errors import FormatError
from longways.formats.resources.inline import Dialect, inline_of
from longways.formats.resources.xml_document import XmlDocument
from longways.formats.resources.xml_tree import Node, read_xml

_TYPES = ("NSStringFormatSpecTypeKey", "NSStringFormatValueTypeKey")
"""Keys whose values are for programs."""


class Stringsdict:
    """The format of the plural rules of macOS and iOS."""

    name = "stringsdict"
    suffixes = (".stringsdict",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> XmlDocument:
        """Parse a file; see `Format`."""
        if data.startswith(b"bplist"):
            raise FormatError(
                "The file is a compiled property list. Convert it with `plutil -convert xml1`."
            )
        file, root = read_xml(data, language, encoding, "a property list")
        if root.name != "plist":
            raise FormatError(
                f"The root of the file is <{root.name}>, but of a .stringsdict it is <plist>. "
                "Check that this is the right file."
            )
        found = (inline_of(file, n.children, Dialect(), language) for n in _texts(file.text, root))
        return XmlDocument(file, [content for content in found if content])


def _texts(text: str, parent: Node) -> Iterator[Node]:
    """The elements with a text below one, in order."""
    key = ""
    for node in parent.elements():
        if node.name == "key":
            key = text[node.inner : node.close].strip()
        elif node.name == "string" and key not in _TYPES:
            yield node
        else:
            yield from _texts(text, node)
