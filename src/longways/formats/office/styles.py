"""Looks of runs: equality of formatting, and code styles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from longways.formats.office.xml import XmlElement

Key = tuple[object, ...]
"""Visible properties of a run, equal for runs that look alike."""

_UNSEEN = frozenset(
    [
        *("w:lang", "w:noProof", "w:rPrChange", "w:spacing", "w:kern", "w:w", "w:snapToGrid"),
        "w:fitText",
        *("x:charset", "x:family", "x:scheme"),
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


def is_code_name(name: str) -> bool:
    """Whether a style is named like one for code."""
    return bool(_CODE.fullmatch(name.strip()))


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
    reads_code: bool = False
    """Whether paragraphs in styles for code are read all the same."""
    found_code: bool = False
    """Whether a paragraph was left because of its style."""
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
        """Whether a paragraph is code, which is not read."""
        if self.reads_code:
            return False
        style = properties.child("w:pStyle") if properties else None
        is_code = style is not None and style.attributes.get("w:val") in self.code
        self.found_code = self.found_code or is_code
        return is_code


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
