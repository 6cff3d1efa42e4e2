"""The YAML files of Marian: its settings, and vocabularies of a subword and its id in each line.

Own code, because a general YAML reader takes some subwords for other things than text: `null`,
`yes`, `~` and `1.0` are subwords, too.
"""

from __future__ import annotations

import re

from longways.errors import DamagedCheckpoint

_SETTING = re.compile(r"([\w-]+):\s*(.*?)\s*")
_ITEM = re.compile(r"\s*-\s+(.*?)\s*")
_FLOW = re.compile(r"\[(.*)\]")
_ESCAPE = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_LETTERS = dict(zip("0abtnvfreN_LP", "\0\a\b\t\n\v\f\r\x1b\x85\xa0\u2028\u2029", strict=True))
"""Characters by the letter after a backslash."""

Settings = dict[str, str | list[str]]


def parse_settings(text: str) -> Settings:
    """The settings of a file, as text or lists of text; nested tables are left out."""
    found: Settings = {}
    key = ""
    for line in text.splitlines():
        setting, item = _SETTING.fullmatch(line), _ITEM.fullmatch(line)
        if setting:
            key, value = setting.groups()
            flow = _FLOW.fullmatch(value)
            parts = flow[1].split(",") if flow else []
            items = [scalar(one.strip()) for one in parts if one.strip()] if flow else None
            found[key] = scalar(value) if items is None else items
        elif item and key:
            before = found[key]
            found[key] = [*(before if isinstance(before, list) else []), scalar(item[1])]
    return found


def scalar(text: str) -> str:
    """A value without its quotes and escapes."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        return _ESCAPE.sub(_unescaped, text[1:-1])
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    return text


def _unescaped(escape: re.Match[str]) -> str:
    found = escape[1]
    if len(found) > 1:
        return chr(int(found[1:], 16))
    return _LETTERS.get(found, found)


def parse_vocabulary(text: str, where: str) -> dict[str, int]:
    """The id of every subword; `where` is named in errors."""
    found, key = dict[str, int](), None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rstrip("\r")
        if not line.strip():
            continue
        if line.startswith("? "):
            key = line[2:]
            continue
        name, colon, value = (key, ":", line[1:]) if key is not None else line.rpartition(":")
        key = None
        if not (colon and value.strip().isdecimal()):
            raise DamagedCheckpoint(
                f"{where}, line {number}: {line[:40]!r} is no subword with its id. Copy the file "
                "again."
            )
        found[scalar(name)] = int(value)
    return found
