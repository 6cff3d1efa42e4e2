"""Attributes of a tag with their positions, and which of them hold readable text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from longways.formats.html.components import is_component, is_prose, is_read
from longways.formats.html.tokens import Token

_ATTRIBUTE = re.compile(
    r"""
    [\t\n\f\r /]*+ (?P<name> [^\t\n\f\r />] [^\t\n\f\r />=]*+ )
    (?: [\t\n\f\r ]*+ = [\t\n\f\r ]*+
      (?: "(?P<double>[^"]*+)" | '(?P<single>[^']*+)' | (?P<bare>[^\t\n\f\r >"'][^\t\n\f\r >]*+) )?+
    )?+
    """,
    re.VERBOSE,
)
_QUOTES = {"double": '"', "single": "'", "bare": ""}
_READ = frozenset(["alt", "placeholder", "summary", "title"]) | {
    f"aria-{name}"
    for name in ("description", "label", "placeholder", "roledescription", "valuetext")
}
_READ_IF_PROSE = frozenset(["caption", "desc", "description", "label"])
"""Attributes that HTML does not have, of frameworks that read them from any element."""
_READ_OF = {
    "optgroup": frozenset(["label"]),
    "option": frozenset(["label"]),
    "th": frozenset(["abbr"]),
    "track": frozenset(["label"]),
}
_READ_META = frozenset(["application-name", "description", "og:site_name"]) | {
    f"{site}:{name}" for site in ("og", "twitter") for name in ("description", "image:alt", "title")
}
_BUTTONS = frozenset(["button", "reset", "submit"])


class Attribute(NamedTuple):
    """An attribute that has a value."""

    start: int
    end: int
    """The value, without quotes, is `text[start:end]`."""
    quote: str
    """Quote around the value, or empty."""


def attributes(text: str, tag: Token) -> dict[str, Attribute]:
    """Attributes of a start tag by name; of two with the same name, the first counts."""
    found: dict[str, Attribute] = {}
    start = tag.start + 1 + len(tag.name)
    if text[start : start + 1] == ">":
        return found
    place = start
    while (match := _ATTRIBUTE.match(text, place, tag.end - 1)) and match.end() > place:
        place, kind = match.end(), match.lastgroup or "name"
        span = match.span(kind) if kind in _QUOTES else (place, place)
        found.setdefault(match["name"].lower(), Attribute(*span, _QUOTES.get(kind, "")))
    return found


def is_translated(text: str, found: Mapping[str, Attribute]) -> bool | None:
    """The `translate` setting of an element; None if it has none."""
    if value := found.get("translate"):
        said = text[value.start : value.end].strip().lower()
        if said in ("no", "yes", ""):
            return said != "no"
    if (value := found.get("class")) and "notranslate" in text[value.start : value.end].split():
        return False
    return None


def is_demo(name: str, found: Mapping[str, Attribute]) -> bool:
    """Whether the tag is `<code src="demo.tsx">`, whose content is the title of a demo."""
    return name == "code" and "src" in found


def read_attributes(text: str, tag: Token, found: Mapping[str, Attribute]) -> Iterator[Attribute]:
    """The attributes of a start tag with readable text, in order."""
    name = tag.name
    own = text[tag.start + 1 : tag.start + 1 + len(name)]
    if is_component(own) or is_demo(name, found):
        for key, attribute in found.items():
            if is_read(key, text[attribute.start : attribute.end], found):
                yield attribute
        return
    if name in ("link", "style", "svg", "math"):
        return
    more = _READ_OF.get(name, frozenset())
    for key, attribute in found.items():
        if (
            key in _READ
            or key in more
            or (key in _READ_IF_PROSE and is_prose(text[attribute.start : attribute.end]))
            or (key == "content" and name == "meta" and _is_read_meta(text, found))
            or (key == "value" and name == "input" and _value(text, found, "type") in _BUTTONS)
        ):
            yield attribute


def _is_read_meta(text: str, found: Mapping[str, Attribute]) -> bool:
    return any(_value(text, found, key) in _READ_META for key in ("name", "property"))


def _value(text: str, found: Mapping[str, Attribute], key: str) -> str:
    value = found.get(key)
    return text[value.start : value.end].strip().lower() if value else ""
