r"""Placeholders and other machine-readable text that must not be translated.

- addresses: https://..., www...., name@example.org
- placeholders: {name}, {0}, {{name}}, ${x}, $HOME, %s, %(name)d, %1$s, :name: of emoji
- tags that stand in the text as text: <b>, </b>, <br/>
- entities: &nbsp; &#160;
- options and names in programs: --force, snake_case, call()
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Range = tuple[int, int]
"""Start and end offset of some characters."""

_KEPT = re.compile(
    r"""
      (?: https?:// | ftp:// | www\. ) [!-~]* [A-Za-z0-9/_=&\#-]
    | (?<![\w.+-]) [\w.+-]{1,64} @ [\w-]+ (?: \.[\w-]+ )+
    | \$? \{ \{? \s? [\w.:,!|-]* \s? \} \}?
    | \$ [A-Za-z_]\w*
    | % (?: \([\w.]+\) | \d+\$ )? [-+\#0]* (?: \d+ | \* )? (?: \.\d+ )? [diouxXeEfFgGcrsa@]
      (?! [A-Za-z] )
    | </? [A-Za-z] [\w-]*
      (?: \s+ [\w:-]+ (?: = (?: "[^"<>]*" | '[^'<>]*' | [\w./:-]+ ) )? )* \s* /?>
    | & (?: [A-Za-z]\w* | \#\d+ | \#x[0-9A-Fa-f]+ ) ;
    | (?<![\w:]) : [a-z0-9_+-]+ : (?![\w:])
    | (?<![\w-]) --? [A-Za-z][\w-]* (?: = [!-~]+ )? (?![\w-])
    | (?<![A-Za-z0-9_]) [A-Za-z0-9]+ (?: _[A-Za-z0-9]+ )+ (?: \( \) )?
    | (?<![A-Za-z0-9_.]) [A-Za-z_][A-Za-z0-9_.]* \( \)
    """,
    re.VERBOSE | re.ASCII,
)


def kept_parts(text: str, also: Iterable[Range] = ()) -> tuple[Range, ...]:
    """Ranges to keep, disjoint and in order; `also` are ranges of the format, such as code."""
    found = sorted([*also, *(match.span() for match in _KEPT.finditer(text))])
    apart: list[Range] = []
    for start, end in found:
        if apart and start < apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        elif start < end:
            apart.append((start, end))
    return tuple(apart)
