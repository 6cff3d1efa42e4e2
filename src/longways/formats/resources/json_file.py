r"""JSON and ARB: the string values of a file of texts, by any nesting of objects and lists.

    {"cart": {"title": "购物车", "items": "{n, plural, other {# 件商品}}"}}

Keys, numbers, order, whitespace and comments stay. New text is escaped as the file does it: in
ASCII if the whole file is in ASCII, `\/` and `\u003c` where it has these. In an .arb file of
Flutter, the metadata below `@key` stays, and `@@locale` becomes the language of the translation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

from longways.errors import FormatError
from longways.formats.resources.decoded import Decoded
from longways.formats.resources.document import Edit, ResourceDocument, Value
from longways.formats.resources.json_scanner import JsonScanner, JsonString
from longways.formats.resources.messages import messages_of
from longways.formats.text_file import read_text

_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u\w{4}|.)")
_ASCII_ESCAPE = re.compile(r"\\u00([2-7][0-9a-fA-F])")
_BARE_SLASH = re.compile(r"(?<!\\)/")
_PACKAGE = ("dependencies", "devDependencies", "peerDependencies", "engines", "scripts")
_PACKAGE_NAME = re.compile(r'"[a-z0-9@._/-]+"')
_MAPS = ('"FeatureCollection"', '"Feature"', '"Topology"')
"""Types of GeoJSON and TopoJSON."""


class JsonEscapes:
    """How the strings of a file are escaped."""

    def __init__(self, text: str) -> None:
        self.ascii = text.isascii() and "\\u" in text
        signs = {chr(int(code, 16)) for code in _ASCII_ESCAPE.findall(text)} - {'"', "\\"}
        self._signs = {ord(sign): f"\\u{ord(sign):04x}" for sign in signs}
        if "\\/" in text and ord("/") not in self._signs:
            self._signs[ord("/")] = "\\/"

    def escape(self, text: str) -> str:
        """A text between the quotes of a string."""
        return json.dumps(text, ensure_ascii=self.ascii)[1:-1].translate(self._signs)


class Json:
    """The format of JSON files."""

    name = "json"
    suffixes: tuple[str, ...] = (".json",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> ResourceDocument:
        """Parse a file; see `Format`."""
        file = read_text(data, language, encoding)
        scanner = JsonScanner(file.text)
        strings = list(scanner.strings())
        _check_kind(scanner)
        escape = JsonEscapes(file.text).escape
        values = (
            Value(messages_of(json_value(file.text, string), language), escape)
            for string in strings
            if self._is_text(string)
        )
        edits = [edit for string in strings for edit in self._locale(string)]
        return ResourceDocument(
            file, values, list(_warnings(scanner)), lambda to: _named(edits, to)
        )

    def _is_text(self, string: JsonString) -> bool:
        """Whether a value is a text by its key."""
        return string.key != "$schema"

    def _locale(self, string: JsonString) -> Iterator[Edit]:
        """The range of a value that names the language of the file."""
        yield from ()


class Arb(Json):
    """The format of the resources of Flutter."""

    name = "arb"
    suffixes = (".arb",)

    def _is_text(self, string: JsonString) -> bool:
        return not string.top.startswith("@")

    def _locale(self, string: JsonString) -> Iterator[Edit]:
        if string.top == string.key == "@@locale":
            yield string.start, string.end, ""


def _named(edits: Iterable[Edit], language: str) -> Iterator[Edit]:
    return ((start, end, language.replace("-", "_")) for start, end, _ in edits)


def json_value(text: str, string: JsonString) -> Decoded:
    """The value of a string, without its escapes."""
    escaped = text.find("\\", string.start, string.end) >= 0
    return Decoded(text, string.start, string.end, _ESCAPE if escaped else None, _meaning)


def _meaning(escape: re.Match[str]) -> str:
    meaning: str = json.loads(f'"{escape[0]}"')
    return meaning


def _check_kind(scanner: JsonScanner) -> None:
    """Raise for files that are JSON, but of another purpose than texts."""
    keys, kind = scanner.keys, ""
    is_package = _PACKAGE_NAME.match(keys.get("name", "")) is not None
    if keys.get("cells", "").startswith("[") and "nbformat" in keys:
        kind = "a Jupyter notebook (--format ipynb)"
    elif is_package and any(keys.get(key, "").startswith("{") for key in _PACKAGE):
        kind = "the manifest of a package"
    elif keys.get("lockfileVersion", "")[:1].isdigit():
        kind = "a list of the packages that a program needs"
    elif keys.get("type", "").startswith(_MAPS):
        kind = "a map, whose names programs compare"
    if kind:
        raise FormatError(
            f"The file is JSON, but {kind}, not a file of texts. Name the files with the texts of "
            "the program, or leave this one out with --exclude."
        )


def _warnings(scanner: JsonScanner) -> Iterator[str]:
    if scanner.twice:
        line, key, count = scanner.twice
        more = f" There are {count - 1:,} more such places." if count > 1 else ""
        yield (
            f"Line {line}: an object has the key {key!r} twice, of which most programs read only "
            f"the last; both are translated.{more}"
        )
