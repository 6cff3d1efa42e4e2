"""TMX files and documents for the tests of translation memories."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

HEADER = (
    '<header creationtool="x" creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" '
    'srclang="{}" datatype="plaintext"/>'
)


def tmx(units: str, srclang: str = "zh-CN", declaration: str = "") -> str:
    """A TMX file around some units."""
    return f'{declaration}<tmx version="1.4">{HEADER.format(srclang)}<body>{units}</body></tmx>'


def unit(source: str, target: str, attributes: str = "", properties: str = "") -> str:
    """A unit of two texts, which may have inline codes."""
    return (
        f'<tu {attributes}>{properties}<tuv xml:lang="zh-CN"><seg>{source}</seg></tuv>'
        f'<tuv xml:lang="en-US"><seg>{target}</seg></tuv></tu>'
    )


def write_tmx(path: Path, pairs: Iterable[tuple[str, str]]) -> Path:
    """A TMX file of pairs of texts."""
    path.write_text(tmx("".join(unit(escape(a), escape(b)) for a, b in pairs)), encoding="utf-8")
    return path
