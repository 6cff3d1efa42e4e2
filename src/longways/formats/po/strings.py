r"""gettext strings: quoted, with C escapes, on one or more lines.

msgid ""
"第一行\n"
"第二行"
"""

from __future__ import annotations

import re

_STRING = r'"(?:[^"\\]|\\.)*"'
_STRINGS = re.compile(rf"(?:{_STRING}\s*)+")
_ONE = re.compile(_STRING)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|(.))", re.DOTALL)
_CHARACTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    '"': '"',
    "\\": "\\",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
}
_ESCAPES = {ord(character): f"\\{name}" for name, character in _CHARACTERS.items()}
_ESCAPES |= {code: f"\\{code:03o}" for code in (*range(32), 127) if code not in _ESCAPES}
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


def unquoted(strings: str) -> tuple[str, bool]:
    """The text of the strings on a line, and whether they are well formed."""
    if _STRINGS.fullmatch(strings):
        return "".join(_unescaped(one[1:-1]) for one in _ONE.findall(strings)), True
    inside = strings.strip().removeprefix('"')
    return _unescaped(inside.removesuffix('"')), False


def quoted(keyword: str, text: str, newline: str) -> str:
    """A keyword and its quoted text, with one line of the file per line of text."""
    lines = [f'"{line.translate(_ESCAPES)}"' for line in _LINE.findall(text)]
    if len(lines) < 2:
        return f"{keyword} " + "".join(lines or ['""'])
    return newline.join([f'{keyword} ""', *lines])


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    octal, hexadecimal, name = escape.groups()
    if name:
        return _CHARACTERS.get(name, escape[0])
    return chr(int(octal, 8) if octal else int(hexadecimal, 16))
