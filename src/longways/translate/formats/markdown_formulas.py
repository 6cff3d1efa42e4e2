r"""Formulas in a line of Markdown: `$x^2$`, and as TeX writes them, `\(x^2\)`.

The latter are escaped brackets to CommonMark, and often just that: `\(see below\)`.
"""

from __future__ import annotations

import re

DOLLARS = r"\$(?![\s$])[^$\n\u0080-\uffff]*(?<![\s\\])\$(?!\d)"
BRACKETS = r"\\\((?P<inside>(?:[^\\\n\u0080-\uffff]|\\[^()\n\u0080-\uffff])+)\\\)"

_COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\})?")
_WORD, _WORDS = re.compile("[A-Za-z]{2,}"), re.compile("[A-Za-z]{2,}[ ,]+[A-Za-z]{2,}")


def is_formula(inside: str) -> bool:
    """Whether what stands between brackets is mathematics: signs and no two words, or no word."""
    rest = _COMMAND.sub(" ", inside)
    signs = rest != inside or any(sign in inside for sign in "^_=<>+")
    return inside.isascii() and not (_WORDS if signs else _WORD).search(rest)
