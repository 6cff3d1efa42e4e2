"""The files that an Org file links to or includes; code and comments keep their names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.formats.html.links import Change, LinkEdit, renamed_page
from longways.formats.text_file import read_text

_NAMES = re.compile(
    r"""\[\[ (?: file: | (?=\.{0,2}/) ) (?P<link> (?: (?!::) [^\[\]\r\n] )+ ) (?: ::[^\[\]]* )? \]
    | ^[ \t]*\#\+(?:include|setupfile): [ \t]+ (?: "(?P<quoted>[^"\r\n:]+) | (?P<bare>[^\s":]+) )
    | ^[ \t]*\#\+begin_(?P<block> src | example | export | comment ) \b
    | ^[ \t]*(?: \#[ ] | :[ ] )(?P<kept>[^\r\n]*)""",
    re.VERBOSE | re.IGNORECASE | re.MULTILINE,
)


def edit_org_links(data: bytes, encoding: str | None, change: Change) -> bytes:
    """The file with some names of files changed; all other bytes stay the same."""
    file = read_text(data, "", encoding)
    return file.edited(_edits(file.text, change))


def _edits(text: str, change: Change) -> Iterator[LinkEdit]:
    """The new names in a text, in order."""
    place, endless = 0, set[str]()
    while match := _NAMES.search(text, place):
        place = match.end()
        block = (match["block"] or "").lower()
        if block and block not in endless:
            end = re.compile(rf"^[ \t]*#\+end_{block}\b", re.IGNORECASE | re.MULTILINE)
            closed = end.search(text, place)
            place = closed.end() if closed else place
            endless.update([] if closed else [block])
        group = next((name for name in ("link", "quoted", "bare") if match[name]), "")
        new = renamed_page(match[group], change) if group else None
        if new:
            yield *match.span(group), new
