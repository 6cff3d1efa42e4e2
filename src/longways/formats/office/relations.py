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


def main_part(package: Package) -> str:
    """The name of the part that holds the document, or the list of its slides or sheets."""
    whole = relations(package, "")
    main = next((target for kind, target in whole if kind == "officeDocument"), "")
    if main in package.names:
        return main
    if "mimetype" in package.names and b"opendocument" in package.read("mimetype"):
        raise FormatError(
            "This is an OpenDocument file, whatever its name says. Give it the suffix of its kind, "
            "such as .odt, .odp or .ods."
        )
    raise FormatError(f"This is a zip file, but there is no document in it. {AGAIN}")


def relations(package: Package, of: str) -> list[Relation]:
    """Kind and name of each part that a part refers to; the file itself is the part ""."""
    return [relation for _, relation in identified(package, of)]


def identified(package: Package, of: str) -> list[tuple[str, Relation]]:
    """The identifier of each relation of a part, and the relation."""
    folder, name = posixpath.split(of)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    if path not in package.names:
        return []
    found = list[tuple[str, Relation]]()
    for element in parse(package.read(path), path).findall(".//{*}Relationship"):
        if element.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, element.get("Target") or ""))
            kind = (element.get("Type") or "").rpartition("/")[2]
            found.append((element.get("Id") or "", (kind, target.lstrip("/"))))
    return found


def ordered(relations: Sequence[Relation], kinds: Sequence[str]) -> list[tuple[str, str]]:
    """Name and kind of each part that is of one of these kinds, once, in the order of the kinds."""
    found = [(kinds.index(kind), _numbers(name), name) for kind, name in relations if kind in kinds]
    return list(dict.fromkeys((name, kinds[order]) for order, _, name in sorted(found)))


def _numbers(name: str) -> list[tuple[int, str]]:
    """A key that puts header2 before header10."""
    return [(int(digits or 0), text) for text, digits in re.findall(r"(\D+)(\d{0,9})", name)]
