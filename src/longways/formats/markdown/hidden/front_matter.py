"""Readable settings of front matter, `title: Overview`, in YAML, TOML and JSON.

A value keeps its style. A plain value gets quotes if its new text needs them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from longways.formats.html.elements import names

READ = names(
    "about abstract actiontext alt caption deck desc description details excerpt heading headline "
    "hint intro label lead leadtext lede linktext linktitle metadescription metatitle navlabel "
    "navtitle note ogdescription ogtitle pagetitle pagination_label paginationlabel placeholder "
    "seodescription seotitle shorttitle sidebarlabel sidebartitle subheading subtitle summary "
    "tagline text title titlefortitletag titletemplate tooltip twitterdescription twittertitle"
)
"""Names of readable settings, without `-` and `_` and in lower case. Tags, groups and authors are
not: sites find pages by them."""

_ENDINGS = ("title", "description")
"""Endings of other readable names, such as `unitTitle`."""


class Setting(NamedTuple):
    """A readable value, `text[start:end]` of the file with its quotes."""

    text: str
    start: int
    end: int
    write: Callable[[str], str]


def settings(text: str, end: int) -> Iterator[Setting]:
    """The readable settings of the front matter `text[:end]`."""
    if text.startswith("---"):
        yield from _yaml(text, end)
    elif text.startswith("+++"):
        yield from _strings(text, end, _TOML)
    else:
        yield from _strings(text, end, _JSON)


def _is_read(name: str) -> bool:
    bare = re.sub(r"[-_\s\"']", "", name).lower()
    return bare in READ or bare.endswith(_ENDINGS)


# --- YAML

_KEY = re.compile(
    r"(?P<indent>[ ]*(?:-[ ]+)*)(?P<key>[\w-]+|\"[\w -]+\"|'[\w -]+'):"
    r"(?:[ \t]+(?P<value>[^\n]*))?$",
    re.MULTILINE,
)
_BLOCK = re.compile(r"[|>][-+0-9]{0,2}[ \t]*(?:#.*)?$")
_PLAIN = re.compile(r"[^\s\-?:,\[\]{}#&*!|>'\"%@`][^\n]*|[-?:](?=\S)[^\n]*")
_QUOTED = re.compile(r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*'""")
_AFTER = re.compile(r"[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]+#[^\n]*")
_NO_STRING = re.compile(
    r"(?i:true|false|yes|no|on|off|null|y|n|~|[-+]?[\d._]+(?:e[-+]?\d+)?|0[xo]\w+|[-+]?\.inf|\.nan"
    r"|\d{4}-\d\d?-\d\d?(?:[Tt \t].*)?|[\d:]+)"
)
_SAFE = re.compile(r"[^\W_][^\n]*")
_UNSAFE = re.compile(r":(?:\s|$)|\s#|[\x00-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")


def _yaml(text: str, end: int) -> Iterator[Setting]:
    """The settings of YAML, also in lists and tables."""
    place = text.find("\n") + 1
    while place < end:
        stop = text.find("\n", place, end)
        stop = end if stop < 0 else stop
        match = _KEY.match(text, place, stop)
        following = stop + 1
        if match and match["value"] and not text.startswith("#", place):
            indent = len(match["indent"])
            following = _more_indented(text, stop + 1, end, indent)
            value = match["value"].rstrip()
            if _BLOCK.fullmatch(value):
                if _is_read(match["key"]):
                    yield from _block(text, stop + 1, following, folded=value[0] == ">")
            elif _is_read(match["key"]):
                yield from _scalar(text, match.start("value"), stop, following)
            else:
                following = stop + 1 if value[0] in "&!" else following
        place = following


def _more_indented(text: str, place: int, end: int, indent: int) -> int:
    """The offset after the lines that are empty or more indented."""
    while place < end:
        stop = text.find("\n", place, end)
        stop = end if stop < 0 else stop + 1
        line = text[place:stop]
        if line.strip() and len(line) - len(line.lstrip(" ")) <= indent:
            return place
        place = stop
    return end


def _block(text: str, start: int, end: int, *, folded: bool) -> Iterator[Setting]:
    """The text of a block scalar: its paragraphs if it is folded, else its lines."""
    lines, place = list[tuple[int, int]](), start
    while place < end:
        stop = text.find("\n", place, end)
        stop = end if stop < 0 else stop
        inner = text[place:stop].strip()
        begin = place + len(text[place:stop]) - len(text[place:stop].lstrip())
        if lines and not (folded and inner):
            yield _lines(text, lines)
            lines = []
        if inner:
            lines.append((begin, begin + len(inner)))
        place = stop + 1
    if lines:
        yield _lines(text, lines)


def _lines(text: str, lines: list[tuple[int, int]]) -> Setting:
    said = "\n".join(text[start:end] for start, end in lines)
    return Setting(said, lines[0][0], lines[-1][1], _no_control)


def _scalar(text: str, start: int, stop: int, following: int) -> Iterator[Setting]:
    """The text of a plain or quoted scalar; one over several lines is plain."""
    if quoted := _QUOTED.match(text, start, stop):
        if _AFTER.match(text, quoted.end(), stop) and (said := _unquoted(quoted[0])):
            yield Setting(said, start, quoted.end(), partial(_quote, mark=quoted[0][0]))
        return
    plain = _PLAIN.match(text, start, stop)
    if not plain or _NO_STRING.fullmatch(plain[0].strip()):
        return
    if comment := _COMMENT.search(text, start, stop):
        yield Setting(text[start : comment.start()], start, comment.start(), _plain)
        return
    lines = text[start:following].rstrip()
    if "\n" in lines and re.search(r"\n[ \t]*(?:\n|#|-[ ]|[\w-]+:(?:\s|$))|\s#", lines):
        return
    said = "\n".join(line.strip() for line in lines.split("\n"))
    yield Setting(said, start, start + len(lines), _plain)


def _unquoted(source: str) -> str | None:
    """The text of a quoted scalar of YAML or TOML; None with unknown escapes."""
    if source[0] == "'":
        return source[1:-1].replace("''", "'")
    try:
        return str(json.loads(source.replace("\t", "\\t")))
    except ValueError:
        return None


def _no_control(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\ufeff\ufffe\uffff]", " ", text)


def _quote(text: str, mark: str) -> str:
    if mark == "'":
        return "'" + _no_control(text).replace("'", "''") + "'"
    return json.dumps(_no_control(text), ensure_ascii=False)


def _plain(text: str) -> str:
    """A plain scalar, or a quoted one if it would not be read as this text."""
    safe = _SAFE.fullmatch(text) and not _UNSAFE.search(text) and not _NO_STRING.fullmatch(text)
    return text if safe and text == text.strip() else _quote(text, '"')


# --- TOML and JSON

_TOML = re.compile(
    r"""^[ \t]*(?P<key>[\w-]+|"[\w -]+")[ \t]*=[ \t]*
        (?P<value>"{3}(?:[^"\\]|\\["\\]|"(?!""))*"{3}|'{3}[^']*'{3}|"(?!"")(?:[^"\\\n]|\\.)*"|'(?!'')[^'\n]*')
        [ \t]*(?:\#[^\n]*)?$""",
    re.VERBOSE | re.MULTILINE,
)
_JSON = re.compile(r'(?P<key>"[\w -]+")\s*:\s*(?P<value>"(?:[^"\\\n]|\\.)*")')


def _strings(text: str, end: int, pattern: re.Pattern[str]) -> Iterator[Setting]:
    """The settings of TOML or JSON."""
    for match in pattern.finditer(text, 0, end):
        start, stop = match.span("value")
        value = match["value"]
        if not _is_read(match["key"]):
            continue
        if value.startswith(('"""', "'''")):
            inner = value[3:-3]
            said = re.sub(r'\\(["\\])', r"\1", inner) if value[0] == '"' else inner
            lead = len(inner) - len(inner.lstrip())
            begin = start + 3 + lead
            if inner.strip():
                write = partial(_long, mark=value[0])
                yield Setting(said.strip(), begin, begin + len(inner.strip()), write)
        elif value[0] == "'":
            yield Setting(value[1:-1], start, stop, _literal)
        elif said := _unquoted(value):
            yield Setting(said, start, stop, partial(_quote, mark='"'))


def _long(text: str, mark: str) -> str:
    """Text between three quotes."""
    text = _no_control(text)
    if mark == "'":
        return text.replace("'", "\u2019")
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _literal(text: str) -> str:
    """A literal string of TOML, or a basic one if it has a quote."""
    return _quote(text, '"') if "'" in text else f"'{_no_control(text)}'"
