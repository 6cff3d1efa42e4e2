"""Lines of a paragraph: which of them are readable, and which belong together.

Containers, tags of components, template tags, formulas and fields are not Markdown; Markdown parses
their lines as a paragraph, together with the text around them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from longways.formats.html.components import is_prose
from longways.formats.markdown.containers.directives import NOTES
from longways.formats.markdown.hidden.masks import TAG_CONTINUATION, VALUE_CONTINUATION
from longways.formats.markdown.inline import Range, is_formula
from longways.formats.markdown.rules import Line

_ALONE = re.compile(
    "(?![\ufdd1\ufdd3])[\ufdd0-\ufdd3 \t]+$"  # tags of templates only, and no end of a tag
    r"|:::+.*$|///+[^/]*$|\[!\w+\][+-]?[ \t]*$|\[\[?_?toc_?\]\]?[ \t]*$"
    r"|(?:</?(?-i:[A-Z])[\w.]*(?:\s[^<>]*)?>[ \t]*)+$"
    r"|:[a-z][\w-]*:(?:[ \t]*`[^`]*`|[ \t]+[!-~]+)?[ \t]*$",
    re.IGNORECASE,
)
"""Machine-readable lines that Markdown parses as a paragraph: containers, notes, tables of
contents, tags of components, and fields and roles as in reStructuredText."""

_CONTAINER = re.compile(
    r"""(?::::+|///+) [ \t]* (?: \{? (?P<name>[\w-]+) \}? )? (?: \[(?P<label>[^\[\]\n]+)\] )?
        (?:[ \t]*\|)? [ \t]* (?:(?<![\w}\]-])(?P<title>[^\s\ufdd0-\ufdd4][^\n]*?))?
        [ \t\ufdd0-\ufdd4]*$""",
    re.VERBOSE,
)
"""The first line of a container, `:::tip Title` or `/// tip | Title`."""
_DIRECTIVE = re.compile(r"\.\.[ \t]+[\w:-]+::[ \t]*([^\n]*?)[ \t]*$")
_OPTION, _OPTION_INDENT = re.compile(r"[\w-]+:(?:[ \t]|$)"), 4
"""A line of options below `/// tip`."""

_PROGRAM = re.compile(
    r"""import\s+(?:[\w*{$][^'"\n]*\sfrom\s+)?['"][^'"\n]+['"];?\s*$
      | export\s+(?:default|const|let|var|function|async|class)\s[^\n]*[={(;]
      | <[A-Z][\w.]*[ \t]*$""",
    re.VERBOSE | re.ASCII,
)
"""The first line of a paragraph of MDX code."""

_ROW = re.compile(r"\|(?:[^|\n]*\|){2,}[ \t]*$")
"""A row of a table whose head has another number of cells, or is missing."""
_LETTER = re.compile(r"[^\W\d_]")

_FORMULAS = {"$$": "$$", r"\[": r"\]"}
"""Opening and closing of a display formula."""

NOTE = re.compile(r"\[!\w+\][+-]?[ \t]+")
TERM = re.compile(
    r":[ \t]+(?=\S)|\*\[[^\[\]\n]+\]:[ \t]+(?=\S)"
    r"|:[A-Za-z][\w-]*:(?:[ \t]+(?=\S)|(?=[^\W\d_]))|\.\.[ \t]+[\w:-]+::[ \t]*|[?!]>[ \t]+(?=\S)"
)
"""Marker of the definition of a term or of an abbreviation, of a field, an emoji, a directive or a
note `!> Text`."""


class Group(NamedTuple):
    """Lines of a paragraph that belong together."""

    lines: list[Line]
    is_readable: bool
    is_row: bool = False
    """Whether the line is the row of a table that Markdown does not read as one."""


def line_groups(lines: list[Line], hidden: str) -> Iterator[Group]:
    """Readable lines and machine-readable lines in turn; titles of notes and rows are alone."""
    group, alone = list[Line](), False
    number, closing = 0, _formula_ends(lines, hidden)
    while number < len(lines):
        if skipped := _machine_lines(lines, number, hidden, closing):
            if group:
                yield Group(group, True)
            yield Group(lines[number : number + skipped], False)
            group, number = [], number + skipped
            continue
        if _ROW.match(hidden, *lines[number][1:]):
            if group:
                yield Group(group, True)
            yield Group([lines[number]], bool(_LETTER.search(hidden, *lines[number][1:])), True)
            group, number = [], number + 1
            continue
        if group and (alone or TERM.match(hidden, *lines[number][1:])):
            yield Group(group, True)
            group = []
        alone = bool(not group and NOTE.match(hidden, *lines[number][1:]))
        group.append(lines[number])
        number += 1
    if group:
        yield Group(group, True)


def _continues(line: Line, hidden: str, options: bool) -> bool:
    """Whether a line is of the tag above, or an option of the container above."""
    begin, start, end = line
    is_option = options and start - begin >= _OPTION_INDENT and _OPTION.match(hidden, start, end)
    return bool(is_option) or hidden[start] in (TAG_CONTINUATION, VALUE_CONTINUATION)


def title_of_container(hidden: str, start: int, end: int) -> Range | None:
    """The range of the title in the first line of a container, if it is readable."""
    match = _CONTAINER.match(hidden, start, end)
    if not match:
        return None
    if match["label"]:
        return match.span("label")
    title, name = match["title"] or "", (match["name"] or "").lower()
    return match.span("title") if title and (name in NOTES or is_prose(title)) else None


def _formula_ends(lines: list[Line], hidden: str) -> dict[str, list[int]]:
    """For each opening of a formula, the numbers of lines that end with its closing."""
    found, (first, last) = dict[str, list[int]](), (lines[0][1], lines[-1][2])
    for sign, closing in _FORMULAS.items():
        if hidden.find(sign, first, last) >= 0:
            ends = (
                n for n, (_, s, e) in enumerate(lines) if hidden[s:e].rstrip().endswith(closing)
            )
            found[sign] = list(ends)
    return found


def _machine_lines(
    lines: list[Line], number: int, hidden: str, closing: dict[str, list[int]]
) -> int:
    """Number of machine-readable lines from this one on: one, or a whole formula."""
    _, start, end = lines[number]
    if number == 0 and _PROGRAM.match(hidden, start, end):
        return len(lines)
    if _ALONE.match(hidden, start, end):
        following = number + 1
        options = hidden.startswith("///", start)
        while following < len(lines) and _continues(lines[following], hidden, options):
            following += 1
        return following - number
    if (found := _DIRECTIVE.match(hidden, start, end)) and not is_prose(found[1]):
        return int(" " not in found[1])
    sign = hidden[start : min(start + 2, end)]
    if sign not in closing:
        return 0
    first = hidden[start + 2 : end].strip()
    brackets = sign != "$$"  # which may be literal brackets
    if first.endswith(_FORMULAS[sign]) and (not brackets or is_formula(first[:-2])):
        return 1
    ends = closing[sign]
    following = bisect_right(ends, number) if not (brackets and first) else len(ends)
    return ends[following] - number + 1 if following < len(ends) else 0
