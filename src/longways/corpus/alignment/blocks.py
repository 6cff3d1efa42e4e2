"""The blocks of a page: its passages, each with the kind that the markup around it shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from longways.formats.base import Format, FormattedDocument, Mark, Passage
from longways.formats.registry import PACKAGES

_STAND_IN = "\ue0f0{}\ue0f1"
_STAND_INS = re.compile("\ue0f0(\\d+)\ue0f1")
_TAG = re.compile(r"<([A-Za-z][\w:-]*)(?:\s[^<>]*)?>")
_INLINE = frozenset(
    [
        *("a", "b", "i", "u", "s", "em", "strong", "code", "span", "small", "sub", "sup", "font"),
        *("kbd", "mark", "br", "img"),
    ]
)
_COMMAND = re.compile(r"\\([A-Za-z]+)\*?(?:\[[^\]\n]*\])?\{$")
_MARKER = re.compile(r"[ \t>]*(#+|=+|\*+|[-+•|]|\d+[.)]|\.\.|:)?")
_UNDERLINE = re.compile(r"[ \t]*\r?\n[ \t]*([=~^\"'#*+-])\1{2,}[ \t]*(?:\r?\n|\Z)")
_PARAGRAPHS = re.compile(r"(?:[ \t]*\r?\n){2,}[ \t]*")


class Block(NamedTuple):
    """A passage of a page."""

    text: str
    kind: str = ""
    """What it is by its markup, as in `##`, `-`, `td`; empty for a paragraph or if unknown."""


def blocks_of(data: bytes, form: Format | None, language: str) -> list[Block]:
    """The blocks of a page in a format, or of plain text, whose paragraphs are blocks."""
    if form is None:
        from longways.formats.text_file import read_text

        return [Block(text) for text in _PARAGRAPHS.split(read_text(data, language).text) if text]
    document = form.read(data, language)
    kinds = [""] * len(document.passages)
    if form.name not in PACKAGES:
        kinds = _kinds(document, language)
    texts = (_text(passage) for passage in document.passages)
    return [Block(text, kind) for text, kind in zip(texts, kinds, strict=True) if text.strip()]


def _text(passage: Passage) -> str:
    """The text of a passage, in which a hard line break is a blank line: a sentence ends there."""
    places = [0, *sorted(passage.breaks), len(passage.text)]
    parts = (passage.text[a:b] for a, b in pairwise(places))
    return "\n\n".join(parts)


def _kinds(document: FormattedDocument, language: str) -> list[str]:
    """The kinds of all passages, from the markup of a page in which numbers stand for texts."""
    passages = [_stand_in(n, passage) for n, passage in enumerate(document.passages)]
    page = document.write(passages, language).decode("utf-8", "replace")
    kinds = [""] * len(passages)
    found = list(_STAND_INS.finditer(page))
    ends = [0, *(match.end() for match in found)]
    for match, before in zip(found, ends, strict=False):
        if int(match[1]) < len(kinds):
            kinds[int(match[1])] = kind_of(page[before : match.start()], page[match.end() :][:200])
    return kinds


def _stand_in(number: int, passage: Passage) -> Passage:
    """A passage with a number for its text, inside of all of its marks."""
    text = _STAND_IN.format(number)
    marks: Sequence[Mark] = [
        replace(m, start=0, end=len(text)) if m.start < m.end else replace(m, start=0, end=0)
        for m in passage.marks
    ]
    order = sorted(marks, key=lambda mark: mark.end)  # empty ones first
    return Passage(text, tuple(order))


def kind_of(before: str, after: str) -> str:
    """What markup before and after a passage says that it is."""
    tail = before[before.rfind("</") :] if "</" in before else before
    tags = _TAG.findall(tail.partition(">")[2] if tail.startswith("</") else tail)
    if blocks := [tag.lower() for tag in tags if tag.lower() not in _INLINE]:
        return str(blocks[-1])
    if command := _COMMAND.search(before):
        return command[1]
    if underline := _UNDERLINE.match(after):
        return f"_{underline[1]}"
    marker = _MARKER.match(before[before.rfind("\n") + 1 :])
    found = (marker and marker[1]) or ""
    return "1." if found[:1].isdigit() else found
