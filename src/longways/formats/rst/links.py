"""The addresses of pages in reStructuredText: `:doc:`, tables of contents, includes and links.

Sphinx names a page without its suffix: where `start.rst` becomes `start.en.rst`, `:doc:`start``
becomes `:doc:`start.en``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from longways.formats.html.links import Change, LinkEdit, renamed_page
from longways.formats.rst.lines import Line, indented, lines_of
from longways.formats.text_file import read_text

SUFFIXES = (".rst", ".rest", ".md", ".txt")
"""The suffixes of pages that Sphinx finds without one."""

_CODE = re.compile(
    r"\.\.\s+(?:code|code-block|sourcecode|literalinclude|raw|math|parsed-literal|highlight)::"
    r"|\.\.\s+(?![\w:.+-]+::|_|\[|\|)\S|(?!\.\.\s).*::\Z"
)
"""A line above code, or the first line of a comment."""
_TOCTREE = re.compile(r"\.\.\s+toctree::")
_ENTRY = re.compile(r"(?:[^<>]*<(?P<titled>[^<>\s]+)>|(?P<bare>[^\s<>:][^<>]*?))\Z")
_PAGE = re.compile(r":doc:`(?:[^`<>]*<(?P<titled>[^<>`]+)>|(?P<bare>[^`<>]+))`")
_FILE = re.compile(
    r"\.\.[ \t]+include::[ \t]+(?P<file>\S+)|<(?P<link>[^<>`\s:]+\.\w+(?:\#[^<>`\s]*)?)>`_"
)
_TARGET = re.compile(r"\.\.[ \t]+_[^:\n]+:[ \t]+(?P<file>[^\s:]+\.\w+(?:\#\S*)?)\Z")

_Find = Callable[[str, int, int], re.Match[str] | Iterator[re.Match[str]] | None]


def edit_rst_links(data: bytes, encoding: str | None, change: Change) -> bytes:
    """The file with some addresses changed; all other bytes stay the same."""
    file = read_text(data, "", encoding)
    return file.edited(_edits(file.text, change))


def _edits(text: str, change: Change) -> Iterator[LinkEdit]:
    """The new addresses of a text, in order."""
    lines, at = lines_of(text), 0
    while at < len(lines):
        own = text[lines[at].begin : lines[at].end]
        end = at + 1
        if _TOCTREE.match(own):
            end = indented(lines, at + 1, lines[at].column + 1)
            for line in lines[at + 1 : end]:
                yield from _changed(text, line, _ENTRY.match, change, is_page=True)
        elif _CODE.match(own):
            yield from _in_line(text, lines[at], change)
            end = indented(lines, at + 1, lines[at].column + 1)
        else:
            yield from _in_line(text, lines[at], change)
        at = max(end, at + 1)


def _in_line(text: str, line: Line, change: Change) -> Iterator[LinkEdit]:
    found = [
        *_changed(text, line, _PAGE.finditer, change, is_page=True),
        *_changed(text, line, _FILE.finditer, change, is_page=False),
        *_changed(text, line, _TARGET.match, change, is_page=False),
    ]
    yield from sorted(found)


def _changed(
    text: str, line: Line, find: _Find, change: Change, *, is_page: bool
) -> list[LinkEdit]:
    """The new addresses that a pattern finds in a line."""
    result = find(text, line.begin, line.end)
    matches = [result] if isinstance(result, re.Match) else list(result or ())
    edits = list[LinkEdit]()
    for match in matches:
        group = next(name for name, value in match.groupdict().items() if value is not None)
        own = match[group]
        new = renamed_page(own, change, SUFFIXES if is_page else ())
        if new and new != own:
            edits.append((*match.span(group), new))
    return edits
