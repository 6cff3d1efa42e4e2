"""Explicit markup: notes, targets, substitutions, comments and directives, `.. name:: argument`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from longways.formats.rst.blocks import Block, Place
from longways.formats.rst.directives import (
    ADMONITIONS,
    CODE,
    DIRECTIVE,
    INLINE_OPTIONS,
    OBJECTS,
    OPTION,
    READ_OPTIONS,
    TITLED,
    VERSIONS,
    looks_like_code,
)
from longways.formats.rst.lines import Line, trimmed
from longways.formats.rst.tables.csv_table import csv_cells

if TYPE_CHECKING:
    from longways.formats.rst.body import Body

_NOTE = re.compile(r"\[(?:[0-9]+|#[\w.+:-]*|\*|[^\W_][\w.+:-]*)\](?:\s+|\Z)")
_SUBSTITUTION = re.compile(r"\|(?![ ])[^|]*(?<![ ])\|\s+")
_ENTRY = re.compile(r"(?P<title>[^\s<][^<>]*?)\s*<[^<>]+>\Z")
_VERSION = re.compile(r"\S*[0-9]\S*(?:\s+\S*[0-9]\S*)?(?:\s+|\Z)|\S+\s+|\S+\Z")


class Parts(NamedTuple):
    """The lines of a directive: its argument, its options and its content."""

    argument: list[Line]
    options: list[Line]
    content: list[Line]


def explicit_markup(
    body: Body, lines: Sequence[Line], at: int, match: re.Match[str], place: Place
) -> tuple[int, list[Block]]:
    """The blocks of explicit markup, and the number of the line after it."""
    marker = lines[at].inner(body.text, match.end())
    if marker.is_blank and (at + 1 == len(lines) or lines[at + 1].is_blank):
        return at + 1, []  # an empty comment, which ends a block
    end, within = body.hanging(lines, at, match.end())
    own = body.own(within[0])
    if note := _NOTE.match(own):
        _, within = body.hanging(lines, at, match.end() + note.end())
        return end, body.inside(within, place)
    substitution = _SUBSTITUTION.match(own)
    offset = substitution.end() if substitution else 0
    if found := DIRECTIVE.match(own, offset):
        start = match.end() + found.end()
        _, within = body.hanging(lines, at, start)
        return end, _directive(body, found[1].lower(), within, place, bool(substitution))
    if own.startswith("_"):  # a target, which ends at a blank line
        end = next((n for n in range(at, end) if lines[n].is_blank), end)
    return end, []


def _directive(
    body: Body, name: str, within: list[Line], place: Place, is_substitution: bool
) -> list[Block]:
    """The blocks of a directive, whose lines begin behind its `::`."""
    first = within[0]
    if name == "replace":
        return list(body.slot(trimmed(within), "argument")) if trimmed(within) else []
    if name == "toctree":
        parts = _parts(body, within)
        return [*_options(body, name, parts.options), *_entries(body, parts.content)]
    if name == "glossary":
        parts = _parts(body, within)
        return _glossary(body, parts.content, place)
    if name == "line-block":
        lines = [line for line in _parts(body, within).content if not line.is_blank]
        return [slot for line in lines for slot in body.slot([line], "argument")]
    if name == "meta":
        return _meta(body, trimmed(within))
    if name in ADMONITIONS and not first.is_blank:
        return _note(body, within, place)
    parts = _parts(body, within)
    found: list[Block] = []
    if name in VERSIONS and parts.argument:
        return _version(body, parts, place)
    if name in TITLED and parts.argument:
        found += body.slot(parts.argument, "argument")
    found += _options(body, name, parts.options)
    if is_substitution or name in CODE or name.startswith("auto"):
        return found + (body.inside(parts.content, place) if name.startswith("auto") else [])
    if name == "csv-table":
        return found + csv_cells(body, parts.options, parts.content)
    if _is_code(body, name, parts.content):
        return found
    return found + body.inside(parts.content, place)


def _is_code(body: Body, name: str, content: list[Line]) -> bool:
    """Whether the content of a directive is code; one with a domain, `py:function`, has text."""
    if ":" in name or name in TITLED or name in ADMONITIONS or name in OBJECTS:
        return False
    base = min((line.column for line in content if not line.is_blank), default=0)
    outer = [body.own(line) for line in content if not line.is_blank and line.column == base]
    return looks_like_code(outer)


def _parts(body: Body, within: list[Line]) -> Parts:
    """The parts of a directive: options are lines of fields below the argument."""
    at = 0 if not within[0].is_blank else 1
    if at == 1 and len(within) > 1 and within[1].is_blank:
        return Parts([], [], trimmed(within[1:]))
    start = at
    while at < len(within) and not within[at].is_blank and not OPTION.match(body.own(within[at])):
        at += 1
    argument = list(within[start:at])
    options_start = at
    while at < len(within) and not within[at].is_blank:
        at += 1
    options = list(within[options_start:at])
    if start == 1 and argument:  # content without a blank line above
        return Parts([], [], trimmed(within[1:]))
    return Parts(argument, options, trimmed(within[at:]))


def _note(body: Body, within: list[Line], place: Place) -> list[Block]:
    """The content of an admonition that begins in its first line."""
    end = next((n for n, line in enumerate(within) if n and _is_option(body, line)), len(within))
    if any(line.is_blank for line in within[:end]):
        return body.inside(within, place)
    after = end
    while after < len(within) and _is_option(body, within[after]):
        after += 1
    return [*body.inside(within[:end], place), *body.inside(within[after:], place)]


def _is_option(body: Body, line: Line) -> bool:
    return OPTION.match(body.own(line)) is not None


def _version(body: Body, parts: Parts, place: Place) -> list[Block]:
    """The text behind the version in the argument, and the content."""
    first, *more = parts.argument
    version = _VERSION.match(body.own(first))
    behind = first.inner(body.text, version.end() if version else 0)
    rest = [behind, *more] if not behind.is_blank else more
    return [*(body.slot(rest, "argument") if rest else []), *body.inside(parts.content, place)]


def _options(body: Body, name: str, options: list[Line]) -> list[Block]:
    """The options with text for a reader; one may be on several lines."""
    found, at = list[Block](), 0
    while at < len(options):
        match, start = OPTION.match(body.own(options[at])), at
        at += 1
        while at < len(options) and not _is_option(body, options[at]):
            at += 1
        if match and match[1].lower() in READ_OPTIONS and match[1].lower() != "header":
            value = [options[start].inner(body.text, match.end()), *options[start + 1 : at]]
            is_inline = match[1].lower() in INLINE_OPTIONS and name != "toctree"
            value = [line for line in value if not line.is_blank]
            found += body.slot(value, "argument" if is_inline else "plain") if value else []
    return found


def _entries(body: Body, content: list[Line]) -> list[Block]:
    """The titles in a table of contents: `title <page>`."""
    found = list[Block]()
    for line in content:
        if match := _ENTRY.match(body.own(line)):
            title = Line(line.begin, line.begin + match.end("title"), line.column)
            found += body.slot([title], "plain")
    return found


def _glossary(body: Body, content: list[Line], place: Place) -> list[Block]:
    """The terms of a glossary, several of which may have one definition, and the definitions."""
    found, at = list[Block](), 0
    base = min((line.column for line in content if not line.is_blank), default=0)
    while at < len(content):
        line, start = content[at], at
        at += 1
        if line.is_blank or body.own(line).startswith(".. "):
            continue
        if line.column == base:
            found += body.term(line)
            continue
        while at < len(content) and (content[at].is_blank or content[at].column > base):
            at += 1
        found += body.inside(content[start:at], place)
    return found


def _meta(body: Body, content: list[Line]) -> list[Block]:
    """The descriptions and keywords of a page."""
    found = list[Block]()
    for line in content:
        match = OPTION.match(body.own(line))
        if match and match[1].split()[0].lower() in ("description", "keywords", "title"):
            value = line.inner(body.text, match.end())
            found += body.slot([value], "plain") if not value.is_blank else []
    return found
