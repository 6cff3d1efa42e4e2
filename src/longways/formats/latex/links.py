r"""The files that a LaTeX file names: `\input`, `\include`, `\import` and the main file.

LaTeX names a file without its suffix: where `part.tex` becomes `part.en.tex`, `\input{part}`
becomes `\input{part.en}`. Comments and listings keep their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.formats.html.links import Change, LinkEdit, renamed_page
from longways.formats.latex.environments import is_hidden
from longways.formats.text_file import read_text

SUFFIXES = (".tex", ".ltx")

_NAMES = re.compile(
    r"""\\(?: (?:input|include|includeonly|subfile|subfileinclude|externaldocument(?:\[[^\]]*\])?)
        \s*\{ (?P<files>[^{}%\\]+) \}
      | input [ ] (?P<bare>[^\s{}%\\]+)
      | (?:sub)?(?:import|includefrom|inputfrom) \s*\{ (?P<folder>[^{}%\\]*) \}
        \s*\{ (?P<inside>[^{}%\\]+) \}
      | documentclass\[ (?P<main>[^\[\]{}%\\,=]+) \]\{subfiles\}
      | begin\{ (?P<begin>[^{}\\]+) \} )
    | (?P<comment> (?<!\\) (?:\\\\)*+ % [^\r\n]* )""",
    re.VERBOSE,
)
_FILE = re.compile(r"[^,\s][^,]*?(?=\s*(?:,|\Z))")


def edit_latex_links(data: bytes, encoding: str | None, change: Change) -> bytes:
    """The file with some names of files changed; all other bytes stay the same."""
    file = read_text(data, "", encoding)
    return file.edited(_edits(file.text, change))


def _edits(text: str, change: Change) -> Iterator[LinkEdit]:
    """The new names in a text, in order."""
    place, endless = 0, set[str]()
    while match := _NAMES.search(text, place):
        place = match.end()
        if match["begin"]:
            name = match["begin"]
            if name not in endless and is_hidden(name.removesuffix("*")):
                end = text.find(f"\\end{{{name}}}", place)
                endless.update([name] if end < 0 else [])
                place = max(place, end)
        elif match["inside"]:
            yield from _named(text, match.span("inside"), match["folder"], change)
        elif group := next((name for name in ("files", "bare", "main") if match[name]), None):
            yield from _named(text, match.span(group), "", change)


def _named(text: str, place: tuple[int, int], folder: str, change: Change) -> Iterator[LinkEdit]:
    """The new names of the files between commas; a file of a folder stays in it."""
    for match in _FILE.finditer(text[slice(*place)]):
        own = f"{folder.rstrip('/')}/{match[0]}" if folder else match[0]
        new = renamed_page(own, change, SUFFIXES)
        if new and new.startswith(own[: -len(match[0])]):
            start, end = (place[0] + offset for offset in match.span())
            yield start, end, new.removeprefix(own[: -len(match[0])])
