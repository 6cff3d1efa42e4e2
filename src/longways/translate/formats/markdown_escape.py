r"""Text written so that Markdown reads it as text: `1\. No list`, `2 \* 3 \* 4`, `\<b>`.

There are three manners, from the plainest to the safest; whoever writes takes the first that is
read back as it was meant.
"""

from __future__ import annotations

import re
from typing import Literal

from longways.translate.formats.markdown_formulas import BRACKETS, DOLLARS, is_formula

Manner = Literal["plain", "lines", "light", "strict"]
"""As it is, but for templates; with only the beginnings of lines escaped; with what looks like
markup escaped; with all that could ever be markup escaped."""

_VALUE = rf"""(?P<value> \{{\{{ (?! [<%] ) [^{{}}`\n]{{0,500}} \}}\}}
    | {DOLLARS} | {BRACKETS}
    | !? \[\[ [^\[\]\n]+ \]\] (?! [(\[:] ) )"""
"""What is written as it is: a value of a template, a formula, the name of a page."""

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
"""A tag of a template is escaped always: it may go on in another passage."""

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
    """Text within a line."""
    return _PATTERNS[manner].sub(_escaped, text)


def escape_inside(text: str) -> str:
    """Escaped text of an image, without what could go together with something outside."""
    return re.sub(r"(?<!\\)\$", r"\\$", text.replace("\\`", "&#96;"))


def escape_title(text: str, quote: str) -> str:
    """A title between quotes or, if its quote is `(`, between parentheses."""
    special = "()" if quote == "(" else quote
    text = re.sub(r"\\(?=[!-/:-@\[-`{-~]|$)|&(?=#?\w+;)", r"\\\g<0>", text)
    text = re.sub("[`<>$]", lambda char: f"&#{ord(char[0])};", text)  # others may be outside
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
    """A line of text that begins no other block."""
    match = _LINE_START.match(line)
    if not match:
        return line
    number = match["number"] or ""
    return f"{number}\\{line[len(number) :]}"
