"""Looks of runs: equality of formatting, and code styles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from longways.formats.docx.package import Package, parse
from longways.formats.docx.xml import XmlElement

Key = tuple[object, ...]
"""Visible properties of a run, equal for runs that look alike."""

_UNSEEN = frozenset(
    [
        *("w:lang", "w:noProof", "w:rPrChange", "w:spacing", "w:kern", "w:w", "w:snapToGrid"),
        "w:fitText",
    ]
)
_OFF = frozenset(["0", "false", "off"])
_CODE = re.compile(
    r"""(?: html | source | inline | program | fenced | computer )? [ _-]?
        (?: code | verbatim | preformatted | typewriter | keyboard | sample | macro[ ]?text )
        (?: [ _-]? (?: char | text | block | inline | listing | example | snippet | line ) )*
      | source[ _-]?text
      | (?: html )? [ ]? (?: 源? 代码 | 预设格式 | 程序代码 | 代码块 ) (?: [ ]? char )?
    """,
    re.VERBOSE | re.IGNORECASE,
)


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """The properties of a run."""

    raw: bytes = b""
    """The original XML."""
    key: Key = ()
    code: bool = False
    hidden: bool = False


PLAIN = Look()
"""The look of a run without properties."""


@dataclass
class Styles:
    """Identifiers of code styles, and a cache of looks."""

    code: frozenset[str] = frozenset()
    _looks: dict[bytes, Look] = field(default_factory=dict)

    def look(self, raw: bytes, properties: XmlElement | None) -> Look:
        """The look that these properties give, the same object for the same bytes."""
        if properties is None:
            return PLAIN
        if raw not in self._looks:
            style, vanish = properties.child("w:rStyle"), properties.child("w:vanish")
            self._looks[raw] = Look(
                raw,
                _seen(properties),
                style is not None and style.attributes.get("w:val") in self.code,
                vanish is not None and vanish.attributes.get("w:val") not in _OFF,
            )
        return self._looks[raw]

    def is_code(self, properties: XmlElement | None) -> bool:
        """Whether a paragraph is code."""
        style = properties.child("w:pStyle") if properties else None
        return style is not None and style.attributes.get("w:val") in self.code


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
            known[style] = bool(_CODE.fullmatch(names.get(style, "").strip()))
            chain.append(style)
            style = "" if known[style] else parents.get(style, "")
        found = known.get(style or (chain[-1] if chain else ""), False)
        known |= dict.fromkeys(chain, found)
    return frozenset(style for style, is_code in known.items() if is_code)


def _value(element: Element, name: str = "val") -> str:
    """An attribute of an element, in whatever namespace."""
    found = ((str(key).rpartition("}")[2], str(value)) for key, value in element.attrib.items())
    return next((value for key, value in found if key == name), "")


def _seen(properties: XmlElement) -> Key:
    """The key of a look; in a drawing, most properties are attributes."""
    _, attributes, *inner = _key(properties)
    return (attributes, *inner) if attributes else tuple(inner)


def _key(node: XmlElement) -> Key:
    """Visible properties of an element in canonical order."""
    attributes = sorted(pair for pair in node.attributes.items() if pair[0] != "w:hint")
    inner = [_key(child) for child in node.children if child.name not in _UNSEEN]
    if node.name == "w:rFonts" and not attributes:
        return ()
    return (node.name, tuple(attributes), *sorted((key for key in inner if key), key=repr))
