"""Page headers and footers of a sheet: the texts between their codes, such as &P or &"Arial"."""

from __future__ import annotations

import re
from html import unescape

from longways.formats.base import Passage
from longways.formats.office.labels import Label
from longways.formats.office.xml import Scanner, XmlElement, XmlSource
from longways.formats.placeholders import kept_parts

MAX_HEADER_CHARACTERS = 255
"""The most characters of a header with its codes."""

_HEADERS = frozenset(
    f"x:{pages}{place}" for pages in ("odd", "even", "first") for place in ("Header", "Footer")
)
_CODE = re.compile(
    rb"&amp;(?:\"[^\"<]*\"|&quot;[^<&]*&quot;|\d+|K[0-9A-Fa-f]{6}|K\d\d[+-]\d{3}|[A-Z]|&amp;)"
    rb"|&#(?:10|13|x0?[AaDd]);|[\r\n]|_x000[aAdD]_"
)

_AMPERSAND = b"&amp;&amp;"
"""The code for the sign itself."""


class HeaderLabel(Label):
    """A text between two codes."""

    def written(self, passage: Passage, *, bilingual: bool) -> bytes:
        """The new text; a digit at its start does not continue a code for a size."""
        plain = super().written(passage, bilingual=bilingual)
        text = re.sub(rb"&amp;", b"&amp;&amp;", plain)
        return b" " + text if text[:1].isdigit() else text


def header_labels(source: XmlSource) -> list[Label]:
    """The texts of all headers and footers of a sheet."""
    labels = list[Label]()

    def ended(node: XmlElement, _: list[XmlElement]) -> None:
        if node.name in _HEADERS:
            labels.extend(_labels(source.data, node))

    if b"eader>" in source.data or b"ooter>" in source.data:
        Scanner(source, ended).scan()
    return labels


def _labels(data: bytes, node: XmlElement) -> list[Label]:
    places, start = list[tuple[int, int]](), node.inner
    for code in _CODE.finditer(data, node.inner, node.close):
        if code[0] == _AMPERSAND:
            continue
        places.append((start, code.start()))
        start = code.end()
    places.append((start, node.close))
    texts = [(place, _text(data[slice(*place)])) for place in places]
    read = [(place, text) for place, text in texts if any(map(str.isalpha, text))]
    free = MAX_HEADER_CHARACTERS - len(_text(data[node.inner : node.close]))
    return [
        HeaderLabel(
            *place,
            Passage(text, (), kept_parts(text)),
            max_characters=len(text) + max(free, 0) // (len(read) + 1),
        )
        for place, text in read
    ]


def _text(raw: bytes) -> str:
    return unescape(raw.decode()).replace("&&", "&")
