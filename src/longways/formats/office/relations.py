"""Relations between the parts of an Office Open XML package, and small parts as trees."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from longways.errors import FormatError
from longways.formats.office.package import AGAIN, Package, as_utf8, declared

Relation = tuple[str, str]
"""Kind and name of a part that another part refers to."""


def parse(data: bytes, name: str) -> Element:
    """The root of a small part that is not text: relations, styles. A document type is refused."""
    tree, parser = TreeBuilder(), expat.ParserCreate("utf-8", namespace_separator="}")

    def refuse(*_: object) -> None:
        raise declared(name)

    def start(tag: str, attributes: dict[str, str]) -> None:
        tree.start(_qualified(tag), {_qualified(key): value for key, value in attributes.items()})

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: tree.end(_qualified(tag))
    try:
        parser.Parse(as_utf8(name, data)[0], True)
    except (expat.ExpatError, ValueError) as error:
        raise FormatError(
            f"The part {name} of this file is not well-formed XML ({error}). {AGAIN}"
        ) from error
    return tree.close()


def _qualified(name: str) -> str:
    return "{" + name if "}" in name else name


def relations(package: Package, of: str) -> list[Relation]:
    """Kind and name of each part that a part refers to; the file itself is the part ""."""
    folder, name = posixpath.split(of)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    if path not in package.names:
        return []
    found = list[Relation]()
    for element in parse(package.read(path), path).findall(".//{*}Relationship"):
        if element.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, element.get("Target") or ""))
            found.append(((element.get("Type") or "").rpartition("/")[2], target.lstrip("/")))
    return found


def ordered(relations: Sequence[Relation], kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Name and kind of each part that is of one of these kinds, once, in the order of the kinds."""
    found = [(kinds.index(kind), _numbers(name), name) for kind, name in relations if kind in kinds]
    return list(dict.fromkeys((name, kinds[order]) for order, _, name in sorted(found)))


def _numbers(name: str) -> list[tuple[int, str]]:
    """A key that puts header2 before header10."""
    return [(int(digits or 0), text) for text, digits in re.findall(r"(\D+)(\d{0,9})", name)]
