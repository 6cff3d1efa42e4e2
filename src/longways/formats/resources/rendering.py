"""New passages of messages as text of the file, with its escapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from longways.formats.base import Passage
from longways.formats.line_breaks import with_breaks
from longways.formats.resources.messages import Choice, Message

Escape = Callable[[str], str]
"""From new text to the same text as it stands in the file."""
_BRACES = {"{": "(", "}": ")"}


def is_new(passage: Passage, own: Passage) -> bool:
    """Whether a passage differs from the one of the file."""
    return (passage.text, passage.marks) != (own.text, own.marks)


def rendered(source: str, message: Message, new: Iterator[Passage], escape: Escape) -> str:
    """A message with its next new passages; what is not new is copied from `source`."""
    own = next(new) if message.passage else None
    choices = [_choice(source, choice, new, escape) for choice in message.choices]
    if own is None or message.passage is None or not is_new(own, message.passage):
        return _copied(source, message, choices)
    text = with_breaks(own, message.breaks)
    return _filled(text, message, choices, escape)


def _choice(source: str, choice: Choice, new: Iterator[Passage], escape: Escape) -> str:
    parts, place = list[str](), choice.start
    for branch in choice.branches:
        parts += source[place : branch.start], rendered(source, branch, new, escape)
        place = branch.end
    return "".join([*parts, source[place : choice.end]])


def _copied(source: str, message: Message, choices: list[str]) -> str:
    """The text of the file, with new choices."""
    parts, place = list[str](), message.start
    for choice, text in zip(message.choices, choices, strict=True):
        parts += source[place : choice.start], text
        place = choice.end
    return "".join([*parts, source[place : message.end]])


def _filled(text: str, message: Message, choices: list[str], escape: Escape) -> str:
    """A new text in which the choices stand again; one whose name is missing comes last."""
    parts, place = list[str](), 0
    clean = _without_braces(text, message) if choices else text
    for choice, written in zip(message.choices, choices, strict=True):
        found = clean.find(choice.token, place)
        if found < 0:
            parts += escape(clean[place:].rstrip() + " "), written
            place = len(clean)
        else:
            parts += escape(clean[place:found]), written
            place = found + len(choice.token)
    return "".join([*parts, escape(clean[place:])])


def _without_braces(text: str, message: Message) -> str:
    """A text whose only braces are the ones of its kept parts: others would end the message."""
    passage = message.passage
    assert passage  # it has a new one
    kept = {passage.text[start:end] for start, end in passage.keep}
    names = sorted((part for part in kept if "{" in part or "}" in part), key=len, reverse=True)
    pattern = re.compile("|".join([*map(re.escape, names), "[{}]"]))

    def clean(text: str) -> str:
        return pattern.sub(lambda found: _BRACES.get(found[0], found[0]), text)

    return text if clean(passage.text) != passage.text else clean(text)
