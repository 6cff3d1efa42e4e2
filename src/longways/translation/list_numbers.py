# ruff: noqa: RUF001, RUF002 - full-width signs look like ASCII ones
"""Numbers of list items at the start of a Chinese sentence, which the model never reads.

1、安装 and 一、概述 and （2）下载 and 3.将文件复制 begin with a label, not with a word. The model
reads the sentence after it, and the label is written as the target language writes it: 1. and (2).
So is a label that is alone in a cell or before a tab.
"""

from __future__ import annotations

import re

from longways.text.sentences.languages import has_spaces
from longways.translation.sanity.chinese_numerals import amount

_DIGITS = r"[0-9０-９]{1,3}(?:[.．][0-9０-９]{1,3}){0,3}"
_NUMERAL = f"{_DIGITS}|[一二三四五六七八九十]{{1,3}}"
_SPACE = "[ \u3000]{0,4}"
_ITEM = '(?![一二三四五六七八九十百千万年月日时分秒个])[\u3400-\u9fff“《「『【"`A-Za-z]'
"""The first character of an item. After a numeral, 一、二年级 and 3.月 are no list items."""
_LABEL = re.compile(
    rf"(?P<open>[(（])(?P<inside>{_NUMERAL})[)）]、?{_SPACE}(?={_ITEM})"
    rf"|(?P<number>{_NUMERAL})[、．.)）]{_SPACE}(?={_ITEM})"
)

LONGEST_LABEL = 24
"""Characters in which a label is looked for."""


def label_length(sentence: str, language: str) -> int:
    """The characters of a list number at the start of a sentence; 0 without one."""
    if language.split("-")[0] != "zh":
        return 0
    match = _LABEL.match(sentence[: LONGEST_LABEL + 1])
    return match.end() if match else 0


def is_label(segment: str, language: str) -> bool:
    """Whether a segment is a list number and nothing else."""
    whole = 0 < len(segment) <= LONGEST_LABEL
    return whole and label_length(f"{segment}A", language) == len(segment)  # A: any first letter


def translated_label(label: str, language: str) -> str:
    """A list number, with signs before it, as a target language writes it."""
    match = next(_LABEL.finditer(f"{label}A"), None) if label else None  # A: any first letter
    if match is None or match.end() < len(label) or not has_spaces(language):
        return label
    number = _plain(match["inside"] or match["number"])
    closed = label[: match.end()].rstrip()[-1:] in ")）"
    written = f"({number})" if match["open"] else f"{number})" if closed else f"{number}."
    return f"{label[: match.start()]}{written} "


def _plain(number: str) -> str:
    """A number in ASCII digits: 十二 is 12, １．２ is 1.2."""
    if number[0].isdecimal():
        return "".join("." if c in ".．" else str(int(c)) for c in number)
    return amount(number) or number
