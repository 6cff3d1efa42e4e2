"""Which roles hold text for a reader, and which hold names: `:guilabel:`文件``, `:doc:`start``."""

from __future__ import annotations

import re
from typing import NamedTuple

from longways.formats.placeholders import kept_parts
from longways.formats.resources.readable import is_read
from longways.text.scripts import letters_of


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


READABLE = _names(
    """
    abbr abbreviation ac button dfn download emphasis guilabel index menuselection strong
    sub subscript sup superscript t term title title-reference
    """
)
"""Roles whose whole text is read; `download` and `term` name a file or a term as well."""

CODE = _names(
    """
    any attr bdg-link c class code command const cpp cve cwe data doc envvar eq exc file
    footcite func issue js kbd keyword literal literalref mailheader makevar manpage math
    meth mimetype mod newsgroup obj octicon option pep program py pypi raw ref regexp rfc
    samp token
    """
)
"""Roles whose text is a name or code; most of them may have a title: `title <name>`."""

VERBATIM = _names(
    """
    code file kbd literal math raw regexp samp
    """
)
"""Roles without a title, whose text may have angle brackets."""

_TITLED = re.compile(r"(?P<text>.+?)(?P<target>\s*(?<!\x00)<[^<]*>)\Z", re.DOTALL)
_WORDS = re.compile(r"[^\W\d_]+(?:[ \n]+[^\W\d_]+)+")


class Reading(NamedTuple):
    """How many characters of a role's text are read, from its begin; the rest is a target."""

    characters: int


def reading_of(role: str, text: str, language: str, own: frozenset[str]) -> Reading | None:
    """What is read of a text with a role; None for a name or code.

    `role` is empty for text without one. `own` are the roles that the file itself defines. The text
    is escaped, see `inline.escaped`.
    """
    if role in VERBATIM:
        return None
    if role and (titled := _TITLED.match(text)):
        return Reading(titled.end("text")) if titled["target"].strip() != "<>" else None
    if role in READABLE or role in own or role.startswith("bdg"):
        return None if role == "download" else Reading(len(text))
    if role in CODE or ":" in role:
        return None
    return Reading(len(text)) if _is_prose(text, language) else None


def _is_prose(text: str, language: str) -> bool:
    """Whether text with an unknown or the default role has words of the language."""
    letters = letters_of(language)
    if letters and not letters.search("a"):
        return is_read(text, kept_parts(text), language)
    return _WORDS.fullmatch(text) is not None
