"""Helpers of the HTML tests: artificial translations, and comparisons of files."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

import html5lib

from longways.formats.base import Mark, Passage
from longways.formats.html.format import Html

SPACE = re.compile("[\t\n\f\r ]+")
Change = Callable[[Passage], Passage]


def lengthened(passage: Passage, more: str = "Q<&amp;\"é'>") -> Passage:
    """A passage with other characters after each character, and marks around the same ones."""
    size = 1 + len(more)
    text = "".join(character + more for character in passage.text)
    marks = tuple(Mark(m.start * size, m.end * size, m.tag) for m in passage.marks)
    return Passage(text, marks)


def upper(passage: Passage) -> Passage:
    """A passage in capitals with one more word."""
    return replace(passage, text=passage.text.upper().ljust(len(passage.text)) + " END", keep=())


def seen(passage: Passage) -> tuple[str, list[tuple[int, int]]]:
    """Text and places of marks, without whitespace, which HTML does not keep."""

    def place(offset: int) -> int:
        return len(SPACE.sub("", passage.text[:offset]))

    marks = [(place(mark.start), place(mark.end)) for mark in passage.marks]
    return SPACE.sub("", passage.text), marks


def changed(data: bytes, change: Change) -> tuple[list[Passage], bytes, Sequence[Passage]]:
    """New passages of a file, the file with them, and the passages that are read from it."""
    document = Html().read(data, "zh")
    new = [change(passage) for passage in document.passages]
    written = document.write(new, "en")
    return new, written, Html().read(written, "en").passages


def shape(data: bytes, encoding: str = "utf-8") -> list[str]:
    """The tags of a file in their nesting, as a browser sees them, without text."""
    tree = html5lib.parse(data.decode(encoding), namespaceHTMLElements=False)
    found: list[str] = []

    def walk(element) -> None:
        found.append(f"<{element.tag}>")
        for child in element:
            walk(child)
        found.append("</>")

    walk(tree)
    return found
