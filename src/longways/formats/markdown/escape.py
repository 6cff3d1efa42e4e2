r"""Text written so that Markdown reads it as text: `1\. No list`, `2 \* 3 \* 4`, `\<b>`.

There are four manners, from the plainest to the safest. The writer takes the first one whose output
is parsed as intended.
"""

from __future__ import annotations

import re
from typing import Literal

from longways.formats.markdown.inline import BRACKETS, DOLLARS, is_formula

Manner = Literal["plain", "lines", "light", "strict"]
"""Escapes templates only; also beginnings of lines; also text that looks like markup; all
characters that can be markup."""

_VALUE = rf"""(?P<value> \{{\{{ (?! [<%] ) [^{{}}`\n]{{0,500}} \}}\}}
    | {DOLLARS} | {BRACKETS}
    | !? \[\[ [^\[\]\n]+ \]\] (?! [(\[:] ) )"""
"""Text that is not escaped: a template value, a formula, a wiki link."""

_LIGHT = re.compile(
    _VALUE
    + r"""
    | (?P<brace> \{ (?= [{%\#:.] | [ ][.\#] | [ ]?[\w-]+= ) )
    | \\ (?= [!-/:-@\[-`{-~\n] | $ )
    | (?<! \s ) \*+ | \*+ (?! \s )
    | (?<! [^\W_] ) _+ | _+ (?! [^\W_] )
    | [`\[\]] | \A [\^(]
    | < (?= [A-Za-z/!?] )
    | & (?= \#? \w+ ; )
    | ~ (?= ~ ) | (?<= ~ ) ~
    | ! (?= \[ | $ )
    """,
    re.VERBOSE,
)
_STRICT = re.compile(
    r"(?P<value>\{\{(?![<%])[^{}`\n]{0,500}\}\})|(?P<brace>\{)|[\\`*_\[\]<>&~!$|#^(]"
)
_TEMPLATE = re.compile(_VALUE + r"|(?P<brace> \{ (?= [{%\#] ) )", re.VERBOSE)
_PATTERNS = {"plain": _TEMPLATE, "lines": _TEMPLATE, "light": _LIGHT, "strict": _STRICT}
"""A template tag is always escaped, since it may continue in another passage."""

_LINE_START = re.compile(
    r"""
      (?P<number> \d{1,9} ) [.)] (?= \s | $ )
    | [-+*] (?= \s | $ | [-*\s]* $ )
    | \# {1,6} (?= \s | $ )
    | [-=_*] (?= [-=_*\s]* $ )
    | > | ``` | ~~~ | ::: | \$\$ | \| | : (?= [-\s]) | \* (?= \[) | - (?= -*[:|])
    | [<\["'(]
    """,
    re.VERBOSE,
)


def escape(text: str, manner: Manner) -> str:
    """Escape text within a line."""
    return _PATTERNS[manner].sub(_escaped, text)


def escape_inside(text: str) -> str:
    """Escape alt text further, so that no construct extends beyond the image."""
    return re.sub(r"(?<!\\)\$", r"\\$", text.replace("\\`", "&#96;"))


def escape_title(text: str, quote: str) -> str:
    """Escape a title between quotes or, if its quote is `(`, between parentheses."""
    special = "()" if quote == "(" else quote
    text = re.sub(r"\\(?=[!-/:-@\[-`{-~]|$)|&(?=#?\w+;)", r"\\\g<0>", text)
    text = re.sub("[`<>$]", lambda char: f"&#{ord(char[0])};", text)  # may match outside
    text = re.sub(f"[{re.escape(special)}]", r"\\\g<0>", text)
    return re.sub(r"\{(?=[{%#:.]| [.#]| ?[\w-]+=)(?!\{(?![<%])[^{}`\n]*\}\})", "&#123;", text)


def _escaped(match: re.Match[str]) -> str:
    if match["value"]:
        brackets = not is_formula(match.groupdict().get("inside") or "")
        return match[0].replace("\\", "\\" * 2) if brackets else match[0]
    if match["brace"]:
        return "&#123;"
    return "".join("\\" + char for char in match[0])


def escape_line_start(line: str) -> str:
    """Escape the beginning of a line, so that it begins no other block."""
    match = _LINE_START.match(line)
    if not match:
        return line
    number = match["number"] or ""
    return f"{number}\\{line[len(number) :]}"
