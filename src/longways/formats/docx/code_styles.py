"""Styles of a Word document that mean code."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from longways.formats.office.package import Package
from longways.formats.office.relations import parse
from longways.formats.office.styles import Styles, is_code_name


def read_styles(package: Package, name: str | None) -> Styles:
    """The styles of a document."""
    if name is None:
        return Styles()
    names, parents = dict[str, str](), dict[str, str]()
    for style in parse(package.read(name), name).findall(".//{*}style"):
        local = {child.tag.rpartition("}")[2]: _value(child) for child in style}
        identifier = _value(style, "styleId")
        names[identifier] = local.get("name", "")
        parents[identifier] = local.get("basedOn", "")
    return Styles(_code_styles(names, parents))


def _code_styles(names: dict[str, str], parents: dict[str, str]) -> frozenset[str]:
    """The styles that are named like one for code, or based on one that is, in linear time."""
    known = dict[str, bool]()
    for first in names:
        chain, style = list[str](), first
        while style and style not in known:
            known[style] = is_code_name(names.get(style, ""))
            chain.append(style)
            style = "" if known[style] else parents.get(style, "")
        found = known.get(style or (chain[-1] if chain else ""), False)
        known |= dict.fromkeys(chain, found)
    return frozenset(style for style, is_code in known.items() if is_code)


def _value(element: Element, name: str = "val") -> str:
    """An attribute of an element, in whatever namespace."""
    found = ((str(key).rpartition("}")[2], str(value)) for key, value in element.attrib.items())
    return next((value for key, value in found if key == name), "")
