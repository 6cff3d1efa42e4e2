r"""Android resources, strings.xml: strings, arrays of strings and plurals.

    <string name="greeting">你好 <b>%1$s</b>。</string>
    <plurals name="files"><item quantity="other">%d 个文件</item></plurals>

Inline tags are marks; what is in `<xliff:g>` stays. Apostrophes and quotes of new text are escaped,
unless the whole text is in quotes; tags in CDATA and in references, `&lt;b>`, stay as they are.
Texts with `translatable="false"`, references such as `@string/app_name` and comments stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from longways.errors import FormatError
from longways.formats.resources.inline import Dialect, Inline, Role, inline_of
from longways.formats.resources.xml_document import XmlDocument
from longways.formats.resources.xml_tree import Node, read_xml
from longways.formats.text_file import TextFile

_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|\s*\n\s*|(.))|([\s\"]+)")
_CHARACTERS = {"n": "\n", "t": "\t"}
_ESCAPES = {ord(char): f"\\{char}" for char in "'\"\\"} | {10: "\\n", 9: "\\t"}
_REFERENCE = re.compile(r"\s*[@?][\w.:+/-]+\s*")
_TAG = re.compile(r"(</?[A-Za-z](?:[^<>\n]{0,400})>)")
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
    has_tags = "&lt;" in raw or "<![CDATA[" in raw
    return inline_of(file, node.children, _TAGGED if has_tags else _BARE, language)


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


def _meaning_with_tags(text: str) -> str:
    """What is read, with tags as they are in the file."""
    return _outside_of_tags(text, _meaning)


def _escape_with_tags(text: str) -> str:
    """The reverse."""
    return _outside_of_tags(text, _escape)


def _outside_of_tags(text: str, change: Callable[[str], str]) -> str:
    parts = _TAG.split(text)
    return "".join(part if number % 2 else change(part) for number, part in enumerate(parts))


def _escape_in_quotes(text: str) -> str:
    return text.translate({key: new for key, new in _ESCAPES.items() if key != ord("'")})


_TAGGED = Dialect(_role, _meaning_with_tags, _escape_with_tags)
_BARE = Dialect(_role, _meaning, _escape)
_QUOTED = Dialect(_role, _meaning, _escape_in_quotes)
