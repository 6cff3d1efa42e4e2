r"""Android resources, strings.xml: strings, arrays of strings and plurals.

    <string name="greeting">你好 <b>%1$s</b>。</string>
    <plurals name="files"><item quantity="other">%d 个文件</item></plurals>

Inline tags are marks; what is in `<xliff:g>` stays. Apostrophes and quotes of new text are escaped,
unless the whole text is in quotes. Texts with `translatable="false"`, references such as
`@string/app_name` and comments stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.errors import FormatError
from longways.formats.resources.inline import Dialect, Inline, Role, inline_of
from longways.formats.resources.xml_document import XmlDocument
from longways.formats.resources.xml_tree import Node, read_xml
from longways.formats.text_file import TextFile

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|\s*\n\s*|(.))|([\s\"]+)")
_CHARACTERS = {"n": "\n", "t": "\t"}
_ESCAPES = {ord(char): f"\\{char}" for char in "'\"\\"} | {10: "\\n", 9: "\\t"}
_REFERENCE = re.compile(r"\s*[@?][\w.:+/-]+\s*")
_ARRAYS = ("string-array", "plurals", "array")


class Android:
    """The format of the string resources of Android."""

    name = "android"
    suffixes = (".xml",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> XmlDocument:
        """Parse a file; see `Format`."""
        file, root = read_xml(data, language, encoding, "a file of strings")
        if root.name != "resources":
            raise FormatError(
                f"The root of this XML file is <{root.name}>. Of .xml files, only the string "
                "resources of Android are known, whose root is <resources>. Use --format html for "
                "a file that is a page, or leave this one out with --exclude."
            )
        found = (_inline(file, node, language) for node in _strings(root))
        return XmlDocument(file, [content for content in found if content])


def _strings(parent: Node) -> Iterator[Node]:
    """The elements with a text, in order."""
    for node in parent.elements():
        if node.attributes.get("translatable") == "false":
            continue
        if node.name == "string" or (node.name == "item" and _is_string(node, parent)):
            yield node
        elif node.name in _ARRAYS:
            yield from _strings(node)


def _is_string(item: Node, parent: Node) -> bool:
    return parent.name in _ARRAYS or item.attributes.get("type") == "string"


def _inline(file: TextFile, node: Node, language: str) -> Inline | None:
    """The words of a string; quotes around all of it stay."""
    raw = file.text[node.inner : node.close]
    if _REFERENCE.fullmatch(raw):
        return None
    own = raw.strip()
    if len(own) > 1 and own[0] == own[-1] == '"' and own.count('"') - own.count('\\"') == 2:
        start = node.inner + raw.index('"') + 1
        end = start + len(own) - 2
        if all(child.name == "#text" for child in node.children):
            inside = Node("#text", start, end, start, end)
            return inline_of(file, [inside], _QUOTED, language)
    return inline_of(file, node.children, _BARE, language)


def _role(node: Node) -> Role:
    return "kept" if node.name.endswith(":g") else "pair"


def _meaning(text: str) -> str:
    return _ESCAPE.sub(_character, text)


def _character(escape: re.Match[str]) -> str:
    code, sign, spaces = escape.groups()
    if code:
        return chr(int(code, 16))
    if sign:
        return _CHARACTERS.get(sign, sign)
    return "" if spaces and not spaces.strip('"') else " "  # quotes alone are not shown


def _escape(text: str) -> str:
    escaped = text.translate(_ESCAPES)
    return f"\\{escaped}" if escaped.startswith(("@", "?")) else escaped


def _escape_in_quotes(text: str) -> str:
    return text.translate({key: new for key, new in _ESCAPES.items() if key != ord("'")})


_BARE = Dialect(_role, _meaning, _escape)
_QUOTED = Dialect(_role, _meaning, _escape_in_quotes)
