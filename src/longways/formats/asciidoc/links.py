"""The addresses of pages in AsciiDoc: cross references, links and includes; code has none."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.formats.asciidoc.markers import VERBATIM
from longways.formats.html.links import Change, LinkEdit, renamed_page
from longways.formats.rst.lines import lines_of
from longways.formats.text_file import read_text

_ADDRESS = re.compile(
    r"(?:xref|link):(?P<named>[^\s\[\]]+)\[|<<(?P<reference>[^<>,\n]+\.\w+(?:\#[^<>,\n]*)?)[,>]"
    r"|\Ainclude::(?P<file>[^\s\[\]]+)\["
)


def edit_asciidoc_links(data: bytes, encoding: str | None, change: Change) -> bytes:
    """The file with some addresses changed; all other bytes stay the same."""
    file = read_text(data, "", encoding)
    return file.edited(_edits(file.text, change))


def _edits(text: str, change: Change) -> Iterator[LinkEdit]:
    """The new addresses of a text, in order."""
    fence = ""
    for line in lines_of(text):
        own = text[line.begin : line.end]
        if fence or (VERBATIM.match(own) and not line.column):
            fence = "" if own == fence else fence or ("```" if own.startswith("```") else own)
            continue
        for match in _ADDRESS.finditer(own):
            group = next(name for name, value in match.groupdict().items() if value is not None)
            if new := renamed_page(match[group], change):
                start, end = match.span(group)
                yield line.begin + start, line.begin + end, new
