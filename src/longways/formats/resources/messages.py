r"""The value of a key as messages: what is translated, and what a program fills in.

    {n, plural, one {# 项} other {# 项}}, 共 {total} 项
    没有苹果 | 一个苹果 | {count} 个苹果

The texts of the branches of a plural or a select are messages of their own, at any depth. In the
message around it, a name in braces, `{n}`, stands for the whole. The forms between ` | ` are
messages, too. Text in ICU quotes, '{...}', tags and placeholders are kept.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.formats.base import Passage
from longways.formats.line_breaks import break_marks, breaks_of
from longways.formats.placeholders import Range, closing_braces, kept_parts
from longways.formats.resources.decoded import Decoded
from longways.formats.resources.readable import has_letters, is_read
from longways.text.sentences.languages import has_spaces

MAX_DEPTH = 8
"""A plural that is nested deeper is kept."""
_CHOICE = re.compile(
    r"\{\s*([\w.-]{1,60})\s*,\s*(plural|selectordinal|select|choice)\s*,(?:\s*offset:\d+)?"
)
_SELECTOR = re.compile(r"\s*(?:=\d+|[\w-]{1,60})\s*\{")
QUOTED = re.compile(r"''\{[^{}']*\}''|'[{}][^']*'")
"""Braces in quotes of ICU, and a placeholder between apostrophes, which are doubled."""
_LIMIT = re.compile(r"\s*-?(?:\d+(?:\.\d+)?|\u221e)\s*[#<\u2264]")
_BAR = re.compile(r"[|{]")
_PIPE = re.compile(r"(?<=\S)\s+\|\s+(?=\S)")
_ALSO = re.compile(
    r"\(&[A-Z0-9]\)|</?\d+\s*/?>|%#@\w+@|<>|</>|%\d+(?!\w)|%[Ln](?:\d+)?(?![A-Za-z])"
)
"""Parts that are kept in messages beside the placeholders of all texts."""


@dataclass(slots=True)
class Choice:
    """A plural or a select: `source[start:end]`, and the messages of its branches."""

    start: int
    end: int
    token: str
    """What stands for it in the passage of the message around it."""
    branches: list[Message]


@dataclass(slots=True)
class Message:
    """A text that is translated as one, `source[start:end]` in the file."""

    start: int
    end: int
    passage: Passage | None
    """None if it has no words of its own."""
    choices: Sequence[Choice] = ()
    breaks: Sequence[str] = ()
    """The line ends in it, by the numbers of their marks."""
    value: str = ""
    """The text of the passage before it was taken apart; empty without a passage."""

    def passages(self) -> Iterator[Passage]:
        """The passages of this message and of its branches."""
        if self.passage:
            yield self.passage
        for choice in self.choices:
            for branch in choice.branches:
                yield from branch.passages()


@dataclass(frozen=True)
class _Value:
    """A value and where it comes from."""

    decoded: Decoded
    masked: str
    """The value without quoted braces, of the same length."""
    closings: dict[int, int]
    language: str
    quotes: bool
    """Whether text in quotes of ICU is no placeholder."""


def messages_of(decoded: Decoded, language: str, *, quotes: bool = False) -> tuple[Message, ...]:
    """The messages of a value, in order; `quotes` if '{...}' is no placeholder in all of them."""
    value = decoded.value
    if not has_letters(value, language):
        return ()
    closings = dict[int, int]()
    masked = value
    if "{" in value:
        quotes = quotes or bool(_CHOICE.search(value))
        if quotes:
            masked = QUOTED.sub(lambda quoted: "x" * len(quoted[0]), value)
        closings = closing_braces(masked)
    known = _Value(decoded, masked, closings, language, quotes)
    return tuple(_message(known, start, end, 0, "") for start, end in _forms(masked, closings))


def _forms(value: str, closings: dict[int, int]) -> Iterator[Range]:
    """The ranges between the pipes of a value that are not inside braces."""
    start, braces = 0, deque(_outer(closings))
    for pipe in _PIPE.finditer(value) if " | " in value else ():
        while braces and braces[0][1] <= pipe.start():
            braces.popleft()
        if not (braces and braces[0][0] < pipe.start()):
            yield start, pipe.start()
            start = pipe.end()
    yield start, len(value)


def _outer(closings: dict[int, int]) -> list[Range]:
    """The ranges in braces that are in no others."""
    found, last = list[Range](), 0
    for start, end in sorted(closings.items()):
        if start >= last:
            found.append((start, end))
            last = end
    return found


def _message(known: _Value, start: int, end: int, depth: int, kind: str) -> Message:
    """The message in a range of a value; `kind` is that of the choice around it."""
    value = known.decoded.value
    inner = value[start:end].strip()
    start = value.find(inner, start)
    end = start + len(inner)
    choices, parts, place = list[Choice](), list[str](), start
    for choice_start, choice_end, choice in _choices(known, start, end, depth):
        parts += value[place:choice_start], choice.token
        choices.append(choice)
        place = choice_end
    text = "".join([*parts, value[place:end]]).strip()
    passage = _passage(text, [choice.token for choice in choices], kind, known)
    from_, to = known.decoded.start(start), known.decoded.end(end)
    own = (breaks_of(text), text) if passage else ((), "")
    return Message(from_, max(from_, to), passage, choices or (), *own)


def _passage(text: str, tokens: Sequence[str], kind: str, known: _Value) -> Passage | None:
    language = known.language
    also = [match.span() for match in _ALSO.finditer(text)]
    also += (match.span() for match in QUOTED.finditer(text)) if known.quotes else ()
    if "plural" in kind or kind == "selectordinal":
        also += (match.span() for match in re.finditer("#", text))
    kept = kept_parts(text, [*also, *_occurrences(text, tokens)])
    if not is_read(text, kept, language) or _has_surrogate(text):
        return None
    marks, breaks = break_marks(text, wrapped=has_spaces(language))
    return Passage(text, marks, kept, breaks)


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)


def _occurrences(text: str, tokens: Sequence[str]) -> Iterator[Range]:
    """The range of each token, in order."""
    place = 0
    for token in tokens:
        place = text.find(token, place)
        if place < 0:
            return
        yield place, place + len(token)
        place += len(token)


def _choices(known: _Value, start: int, end: int, depth: int) -> Iterator[tuple[int, int, Choice]]:
    """The choices in a range of a value, with their ranges in the value."""
    place = start
    while depth < MAX_DEPTH and (found := _CHOICE.search(known.masked, place, end)):
        close = known.closings.get(found.start(), end + 1)
        place = found.end()
        if close <= end and (ranges := _ranges(known, found, close - 1)) is not None:
            branches = [_message(known, *span, depth + 1, found[2]) for span in ranges]
            at = known.decoded.start(found.start()), known.decoded.end(close)
            yield found.start(), close, Choice(*at, f"{{{found[1]}}}", branches)
            place = close


def _ranges(known: _Value, choice: re.Match[str], end: int) -> list[Range] | None:
    """The ranges of the texts of all branches; None if these are not well-formed."""
    read = _limits if choice[2] == "choice" else _branches
    return read(known, choice.end(), end)


def _limits(known: _Value, place: int, end: int) -> list[Range] | None:
    """The branches of a choice of Java: `0#没有|1#一个|1<{0} 个`."""
    ranges = list[Range]()
    while found := _LIMIT.match(known.masked, place, end):
        start = place = found.end()
        while (bar := _BAR.search(known.masked, place, end)) and bar[0] == "{":
            place = known.closings.get(bar.start(), end)
        place = bar.start() if bar else end
        ranges.append((start, place))
        if place == end:
            return ranges
        place += 1
    return None


def _branches(known: _Value, place: int, end: int) -> list[Range] | None:
    """The branches of a plural or a select: `one {# 项} other {# 项}`."""
    ranges = list[Range]()
    while found := _SELECTOR.match(known.masked, place, end):
        close = known.closings.get(found.end() - 1, end + 1)
        if close > end:
            return None
        ranges.append((found.end(), close - 1))
        place = close
    return None if known.masked[place:end].strip() else ranges
