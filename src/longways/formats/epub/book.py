"""The structure of a book: its package documents, reading order, tables of contents, encryption."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from longways.errors import FormatError
from longways.formats.office.package import AGAIN, Package
from longways.formats.resources.xml_tree import Node, read_xml
from longways.formats.text_file import TextFile

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"

_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Algorithms that only make fonts hard to copy."""
_DOCUMENTS = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_PACKAGE = "application/oebps-package+xml"
"""The type of package documents; other root files are the book in another form, such as PDF."""
_NCX = "application/x-dtbncx+xml"


@dataclass(frozen=True)
class Xml:
    """An XML part: its name, its text and its root element."""

    name: str
    file: TextFile
    root: Node


def read_part(package: Package, name: str, language: str) -> Xml:
    """Parse an XML part; raises `FormatError` with the name of the part."""
    try:
        return Xml(name, *read_xml(package.read(name), language, None, "a book"))
    except FormatError as error:
        raise FormatError(f"The part {name} of this book is damaged. {error}") from error


@dataclass(frozen=True)
class Book:
    """A package document and the parts with text that it names."""

    package: Xml
    documents: tuple[str, ...]
    """XHTML documents: first the spine in order, then the others, the navigation last."""
    contents: tuple[str, ...]
    """Tables of contents of EPUB 2."""
    missing: tuple[str, ...]
    """Documents of the spine that the file does not have."""


def read_books(package: Package, language: str) -> list[Book]:
    """The books of a file, of which there are several in rare cases."""
    if CONTAINER not in package.names:
        raise FormatError(
            f"This is a zip file, but no EPUB book: it has no part {CONTAINER}. If it is another "
            "kind of file, give it the suffix of its kind; else get it once more from where it "
            "came."
        )
    _check_encryption(package, language)
    root = read_part(package, CONTAINER, language).root
    files = [found.attributes for found in _below(root, "rootfile")]
    names = [f.get("full-path", "") for f in files if f.get("media-type", _PACKAGE) == _PACKAGE]
    known = [name for name in dict.fromkeys(names) if name in package.names]
    if not known:
        raise FormatError(f"This book names no package document (.opf) that it has. {AGAIN}")
    return [_book(package, name, language) for name in known]


def _check_encryption(package: Package, language: str) -> None:
    """Raise if more than fonts is encrypted."""
    if ENCRYPTION not in package.names:
        return
    for data in _below(read_part(package, ENCRYPTION, language).root, "EncryptedData"):
        methods = [child.attributes.get("Algorithm") for child in data.elements("EncryptionMethod")]
        if not methods or any(method not in _OBFUSCATION for method in methods):
            raise FormatError(
                "This book is encrypted (DRM), and cannot be read without its key. Get a copy "
                "without encryption from where it came."
            )


def _book(package: Package, name: str, language: str) -> Book:
    part = read_part(package, name, language)
    items = _items(part.root)
    folder = posixpath.dirname(name)
    paths = {key: _path(folder, item.attributes.get("href", "")) for key, item in items.items()}
    kinds = {key: item.attributes.get("media-type", "") for key, item in items.items()}
    spine = [found.attributes.get("idref", "") for found in _below(part.root, "itemref")]
    texts = [key for key in items if kinds[key] in _DOCUMENTS]
    rest = sorted(texts, key=lambda key: _is_navigation(items[key]))
    read = dict.fromkeys(key for key in [*spine, *rest] if kinds.get(key) in _DOCUMENTS)
    names = list(dict.fromkeys(paths[key] for key in read))
    ncx = dict.fromkeys(paths[key] for key in items if kinds[key] == _NCX)
    return Book(
        part,
        tuple(path for path in names if path in package.names),
        tuple(path for path in ncx if path in package.names),
        tuple(path for path in names if path not in package.names),
    )


def _items(root: Node) -> dict[str, Node]:
    """The items of the manifest by their identifiers; without one of its own, by their number."""
    items = dict[str, Node]()
    for item in _below(root, "item"):
        key = item.attributes.get("id", "")
        items[f"item {len(items)}" if not key or key in items else key] = item
    return items


def _path(folder: str, address: str) -> str:
    """The name of the part at an address in the package document."""
    plain = unquote(address.partition("#")[0])
    return posixpath.normpath(posixpath.join(folder, plain))


def _is_navigation(item: Node) -> bool:
    return "nav" in item.attributes.get("properties", "").split()


def _below(node: Node, name: str) -> Iterator[Node]:
    """All elements of a local name, in order."""
    for child in node.elements():
        if child.local == name:
            yield child
        yield from _below(child, name)
