# ruff: noqa: RUF001, RUF002 - the full-width colon looks like an ASCII one
"""Gaps within a line: runs of spaces that separate texts, as in forms and lists of authors.

Each text between gaps is translated by itself, and the gaps are kept. A gap inside a label that was
spaced out to a width, as in `日  期：`, separates nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longways.text.sentences.languages import has_spaces

_SPACE = "[ \t\u00a0\u2003\u3000]"
_GAPS = {
    True: re.compile(f"{_SPACE}{{3,}}|\t+"),  # two spaces often follow a full stop
    False: re.compile(f"{_SPACE}{{2,}}|\t+|\u3000"),
}
"""By whether the language writes spaces between words."""

_HAN = "[\u3400-\u9fff]"
_SPACED_LABEL = re.compile(
    f"(?<![^\\s:：]){_HAN}(?:{_SPACE}{{1,8}}{_HAN}){{1,3}}(?={_SPACE}*[:：])"
)


def gap_starts(line: str, language: str) -> Iterator[int]:
    """Offsets at which a gap between two texts begins."""
    gaps = _GAPS[has_spaces(language)]
    if not gaps.search(line):
        return
    labels = [match.span() for match in _SPACED_LABEL.finditer(line)]
    number = 0
    for gap in gaps.finditer(line):
        while number < len(labels) and labels[number][1] <= gap.start():
            number += 1
        inside = number < len(labels) and labels[number][0] < gap.start()
        if gap.start() and gap.end() < len(line) and not inside:
            yield gap.start()


def without_gaps_in_labels(text: str) -> str:
    """The text with its spaced-out labels written without spaces."""
    return _SPACED_LABEL.sub(lambda label: re.sub(_SPACE, "", label[0]), text)
