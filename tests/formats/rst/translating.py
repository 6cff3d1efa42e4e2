# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""Translations that need no model: every Chinese character becomes a word."""

import re

from longways.formats.base import Mark, Passage

_SIGNS = str.maketrans("，。：；！？（）、“”", ',.:;!?(),""')
_WORDS = ["ab", "cde", "f", "ghij", "klm"]


def worded(passage, words=_WORDS):
    """The passage with a word for every Chinese character outside of its kept parts."""
    kept = {n for start, end in passage.keep for n in range(start, end)}
    parts, places, length = [], [], 0
    for n, char in enumerate(passage.text):
        places.append(length)
        new = char
        if n not in kept and "\u3400" <= char <= "\u9fff":
            glue = parts and parts[-1][-1:].isalnum()
            new = " " * bool(glue) + words[ord(char) % len(words)]
            places[-1] += bool(glue)
        elif n not in kept:
            new = char.translate(_SIGNS)
            if char in "，。：；！？、" and n + 1 < len(passage.text):
                new += " "
        parts.append(new)
        length += len(new)
    places.append(length)
    text = "".join(parts)
    marks = []
    for mark in passage.marks:
        start, end = places[mark.start], places[mark.end]
        if mark.start < mark.end:
            end = max(end - (text[end - 1] == " "), start + 1) if end > start else end
            if mark.end < len(places) - 1 and places[mark.end] > 0 and text[end - 1 : end] == " ":
                end -= 1
        marks.append(Mark(start, end, mark.tag))
    return Passage(
        text.rstrip(),
        tuple(
            Mark(min(m.start, len(text.rstrip())), min(m.end, len(text.rstrip())), m.tag)
            for m in marks
        ),
    )


def han(text):
    """The Chinese words of a text."""
    return re.findall(r"[\u3400-\u9fff]+", text)


def sinicised(passage):
    """The passage with a Chinese character for every word outside of its kept parts."""
    kept = {n for start, end in passage.keep for n in range(start, end)}
    parts, places, length, inside = [], [], 0, False
    for n, char in enumerate(passage.text):
        places.append(length)
        word = char.isalpha() and n not in kept
        new = "" if word and inside else "字" if word else char
        if char == " " and n not in kept:
            new = ""
        inside = word
        parts.append(new)
        length += len(new)
    places.append(length)
    marks = tuple(Mark(places[m.start], places[m.end], m.tag) for m in passage.marks)
    return Passage("".join(parts), marks)
