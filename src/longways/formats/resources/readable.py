"""Which values of a resource file a person reads: texts, not addresses, names, colours or dates."""

from __future__ import annotations

import re

from longways.formats.placeholders import Range
from longways.text.scripts import letters_of

_ANY_LETTER = re.compile(r"[^\W\d_]")
_MACHINE = re.compile(
    r"""
      (?: [a-z][a-z0-9+.-]*: )? // [!-~]+ | (?: mailto | data | tel | javascript ): [!-~]+
    | (?: \.{0,2}/ | ~/ | [A-Za-z]:\\ ) [!-~]* (?: [/\\] [!-~]* | \.[A-Za-z0-9]{1,5} )
    | [\w.@~-]+ (?: / [\w.@~-]+ )+ | [\w-]+ (?: \.[\w-]+ )+
    | \# [0-9A-Fa-f]{3,8} | (?: rgb | hsl )a? \( [\d\s,.%/]+ \)
    | [a-z0-9]+ (?: [_:-] [A-Za-z0-9]+ )+ | [a-z]+ [A-Z] [A-Za-z0-9]* | [A-Z0-9]+ (?: _[A-Z0-9]+ )+
    | [\w.+-]+ @ [\w.-]+
    | [\d\s:/.,TZ+-]+
    """,
    re.VERBOSE | re.ASCII,
)
_PATH = re.compile(r"(?: \.{0,2}/ | [a-z]+:// ) \S* (?: / \S* | \.[A-Za-z0-9]{1,5} )", re.VERBOSE)
"""An address or a path whose parts may have names in any script."""
_DATE = re.compile(
    r"(?=.*(?:y{2,4}|Y{2,4}|M{1,4}|[dD]{1,4}|[hH]{1,2}|m{2}))[yYMLdDEeHhKkmsSaAzZ年月日号時时分秒点\W\d]+"
)
"""The pattern of a date or time: `YYYY年M月D日`."""
MAX_MACHINE_CHARACTERS = 2_000
"""A longer value is not checked for being an address."""


def has_letters(value: str, language: str) -> bool:
    """Whether a value has a letter of a language."""
    return (letters_of(language) or _ANY_LETTER).search(value) is not None


def is_read(value: str, kept: tuple[Range, ...], language: str) -> bool:
    """Whether a value has words of a language outside of its kept parts, and is for people."""
    letters, place = letters_of(language) or _ANY_LETTER, 0
    for start, end in (*kept, (len(value), len(value))):
        if letters.search(value, place, start):
            return not _is_machine(value)
        place = end
    return False


def _is_machine(value: str) -> bool:
    if len(value) > MAX_MACHINE_CHARACTERS:
        return False
    return any(pattern.fullmatch(value) for pattern in (_MACHINE, _PATH, _DATE))
