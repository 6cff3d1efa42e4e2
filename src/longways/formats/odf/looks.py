"""Looks of spans: which styles look alike, and which mean code.

A word processor splits text into spans for reasons that nobody sees, such as the editing session.
Spans whose styles differ in nothing visible have the same look.
"""

from __future__ import annotations

import re

from longways.formats.office.styles import PLAIN, Key, Look, is_code_name

_STYLE = re.compile(
    rb"<style:style\s([^<>]{0,2000})>\s{0,200}"
    rb"(?:<style:paragraph-properties[^<>]{0,2000}/>\s{0,200})?"
    rb"(?:<style:text-properties([^<>]{0,4000})/>)?"
)
_ATTRIBUTE = re.compile(rb"([\w:.-]{1,80})\s?=\s?\"([^\"]{0,1000})\"")
_UNSEEN = re.compile(rb"officeooo:|fo:language|fo:country|style:(?:language|country|rfc)|fo:hyphen")
_HEX = re.compile(r"_([0-9a-f]{2,4})_")


class SpanLooks:
    """The looks of the character styles of one part, by name."""

    def __init__(self, data: bytes) -> None:
        self._keys, self._parents = dict[str, Key](), dict[str, str]()
        for match in _STYLE.finditer(data):
            own = {key.decode(): value.decode() for key, value in _ATTRIBUTE.findall(match[1])}
            name, parent = own.get("style:name", ""), own.get("style:parent-style-name", "")
            self._parents[name] = parent
            if own.get("style:family") == "text":
                seen = _ATTRIBUTE.findall(match[2] or b"")
                pairs = sorted(pair for pair in seen if not _UNSEEN.match(pair[0]))
                self._keys[name] = (*((parent,) if parent else ()), *pairs)
        self._looks = dict[tuple[str, Key], Look]()

    def look(self, style: str, outer: Look) -> Look:
        """The look of a span of this style within text of another look."""
        known = self._looks.get((style, outer.key))
        if known is None:
            key = outer.key + self._keys.get(style, (style,) if style else ())
            code = outer.code or self.is_code(style)
            known = Look(b"", key, code) if key or code else PLAIN
            self._looks[style, outer.key] = known
        return known

    def is_code(self, style: str) -> bool:
        """Whether a style, or the one that it is made from, is for code."""
        return any(
            is_code_name(_HEX.sub(lambda match: chr(int(match[1], 16)), name))
            for name in (style, self._parents.get(style, ""))
            if name
        )
