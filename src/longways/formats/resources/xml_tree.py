"""XML with the place of every element and text, for files that are edited in place.

A file is first checked by a parser; a document type with declarations of its own, by which entities
could be expanded or files read, is refused. Then its elements are found again with their offsets.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from longways.errors import FormatError
from longways.formats.text_file import TextFile, read_text
from longways.text.charset import split_mark

MAX_DEPTH = 256
"""Maximum nesting of elements."""
_TOKEN = re.compile(
    r"""<!--.*?--> | <!\[CDATA\[.*?\]\]> | <\?.*?\?> | <![^>]*>
      | <[^>"']*(?:(?:"[^"]*"|'[^']*')[^>"']*)*>""",
    re.VERBOSE | re.DOTALL,
)
_ATTRIBUTE = re.compile(r"""([^\s=<>/"']+)\s*=\s*("[^"]*"|'[^']*')""")
_NAME = re.compile(r"</?\s*([^\s/>]+)")
_ENCODING = re.compile(rb"\s*<\?xml[^>]*?\sencoding\s*=\s*[\"']([\w.-]+)[\"']", re.ASCII)
_REFERENCE = re.compile(r"&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|(amp|lt|gt|quot|apos));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


_NO_CHILDREN: list[Node] = []
"""The children of everything but elements with an end tag; one list for all, to save memory."""
_NO_ATTRIBUTES: Mapping[str, str] = {}


@dataclass(slots=True)
class Node:
    """A part of a file: `text[start:end]`; its content is `text[inner:close]`."""

    name: str
    """The name of an element, as in the file; #text, #cdata or #other."""
    start: int
    end: int
    inner: int
    close: int
    children: list[Node] = field(default_factory=lambda: _NO_CHILDREN)
    source: str = field(default="", repr=False)
    """The text of the whole file, in which the start tag of an element is read again: most files
    have far more attributes than are asked for."""

    @property
    def attributes(self) -> Mapping[str, str]:
        """Decoded attributes by their names as in the file."""
        if not self.source:
            return _NO_ATTRIBUTES
        found = _ATTRIBUTE.findall(self.source, self.start + 1 + len(self.name), self.inner)
        return {key: decoded(value[1:-1]) for key, value in found}

    @property
    def local(self) -> str:
        """The name without a prefix."""
        return self.name.rpartition(":")[2]

    @property
    def is_element(self) -> bool:
        """Whether it is an element."""
        return not self.name.startswith("#")

    def elements(self, *names: str) -> Iterator[Node]:
        """The child elements, of these local names if any are given."""
        for child in self.children:
            if child.is_element and (not names or child.local in names):
                yield child

    def first(self, name: str) -> Node | None:
        """The first child element of a local name."""
        return next(self.elements(name), None)

    def forget_children(self) -> None:
        """Free the memory of the nodes inside."""
        self.children = _NO_CHILDREN


def read_xml(
    data: bytes,
    language: str,
    encoding: str | None,
    what: str,
    around: frozenset[str] = frozenset(),
) -> tuple[TextFile, Node]:
    """The text and the root element of a file; `what` names the format in messages.

    `around` are the local names of elements that have only elements: whitespace is no child.
    """
    file = read_text(data, language, encoding or _declared(data))
    _check(file.text, what)
    return file, _tree(file.text, around)


def decoded(text: str) -> str:
    """A text with its character references replaced."""
    return _REFERENCE.sub(_character, text) if "&" in text else text


def escaped(text: str, file: TextFile) -> str:
    """A text for the content of an element; what the encoding lacks becomes a reference."""
    text = _NOT_XML.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;")
    text = text.replace("]]>", "]]&gt;")
    if file.can_encode(text):
        return text
    return "".join(char if file.can_encode(char) else f"&#{ord(char)};" for char in text)


def line_of(text: str, place: int) -> int:
    """The number of a line, from 1."""
    return text.count("\n", 0, place) + 1


def _declared(data: bytes) -> str | None:
    """The encoding of a file without a mark: by its first bytes, else as it declares."""
    if split_mark(data)[1]:
        return None
    if data[:2] in (b"<\0", b"\0<"):
        return "utf-16-le" if data[:1] == b"<" else "utf-16-be"
    found = _ENCODING.match(data[:500])
    name = found[1].decode() if found else None
    return None if name and name.lower() in ("utf-8", "us-ascii") else name


def _check(text: str, what: str) -> None:
    """Raise if a parser does not accept a text."""
    parser, data = expat.ParserCreate("utf-8"), text.encode("utf-8", "surrogatepass")
    check = _Checker(parser, what)
    parser.StartDoctypeDeclHandler = check.document_type
    parser.StartElementHandler, parser.EndElementHandler = check.start, check.end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        line = data[: parser.ErrorByteIndex].decode("utf-8", "replace").rpartition("\n")[2]
        raise FormatError(
            f"Line {error.lineno}, column {len(line) + 1}: the file is not well-formed XML "
            f"({expat.ErrorString(error.code)}). Correct it, or get it once more from where it "
            "came."
        ) from error


class _Checker:
    """Refuses what a parser accepts, but no file of texts needs."""

    def __init__(self, parser: expat.XMLParserType, what: str) -> None:
        self._parser, self._what, self._depth = parser, what, 0

    def document_type(self, _: str, __: str | None, ___: str | None, has_own: int) -> None:
        if has_own:
            raise FormatError(
                f"The file declares entities or elements of its own (line "
                f"{self._parser.CurrentLineNumber}), which may be made to do harm. Write their "
                f"text in place of them and remove the declarations; {self._what} needs none."
            )

    def start(self, *_: object) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise FormatError(
                f"Line {self._parser.CurrentLineNumber}: elements lie more than {MAX_DEPTH} deep "
                f"within each other, which {self._what} never does. Check that the file is whole."
            )

    def end(self, _: str) -> None:
        self._depth -= 1


def _tree(text: str, around: frozenset[str]) -> Node:
    """The root element of a well-formed text."""
    top = Node("#other", 0, len(text), 0, len(text), [])
    opened, place = [top], 0
    for token in _TOKEN.finditer(text):
        start, end = token.span()
        if start > place and not (opened[-1].local in around and text[place:start].isspace()):
            opened[-1].children.append(Node("#text", place, start, place, start))
        place = end
        if text.startswith("</", start):
            node = opened.pop()
            node.close, node.end = start, end
            continue
        node = _node(text, start, end)
        opened[-1].children.append(node)
        if node.is_element and not text.startswith("/>", end - 2):
            node.children = []
            opened.append(node)
    return next(top.elements())


def _node(text: str, start: int, end: int) -> Node:
    """The node that a token begins."""
    if text.startswith("<![CDATA[", start):
        return Node("#cdata", start, end, start + len("<![CDATA["), end - len("]]>"))
    if text[start + 1] in "!?":
        return Node("#other", start, end, start, end)
    name = _NAME.match(text, start, end)
    assert name  # the parser accepts it
    return Node(sys.intern(name[1]), start, end, end, end, source=text)


def _character(reference: re.Match[str]) -> str:
    decimal, hexadecimal, name = reference.groups()
    if name:
        return _NAMED[name]
    return chr(int(decimal) if decimal else int(hexadecimal, 16))
