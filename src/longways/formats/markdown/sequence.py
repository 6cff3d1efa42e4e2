"""A passage as a sequence of text, opening, closing and standalone marks.

Positions do not show whether an image at the end of a link's text is in the link or after it. In
the sequence, it stays where it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from longways.formats.base import Mark, Passage
from longways.formats.markdown.hidden.masks import NEVER_IN_TEXT
from longways.formats.markdown.nodes import Markup

_LINE_END = re.compile(r"\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
_MARKS = re.compile(" (?:\x02[^\x03]*\x03| )+")
"""Marks with the spaces beside them, of which a reader keeps the first if an item stands alone."""
_TIGHT = frozenset(["em", "strong", "s"])
"""Markup that must not begin or end with a space."""


class Step(NamedTuple):
    """Some text, or one end of a mark."""

    kind: Literal["text", "open", "close", "alone"]
    text: str = ""
    tag: int = -1


def sequence(passage: Passage, markups: Mapping[int, Markup]) -> list[Step]:
    """The steps of a passage, with whitespace moved to where Markdown allows it."""
    steps = list(_walk(clean(passage.text), _tree(passage.marks, markups), markups))
    _move_spaces_out(steps, markups)
    full = [step for step in steps if step.kind != "text" or step.text]
    return _without_nested_links(_without_margins(full, markups), markups)


def clean(text: str) -> str:
    """Replace characters that Markdown cannot contain; the length stays the same."""
    text = text.replace("\r\n", " \n")
    return NEVER_IN_TEXT.sub("\ufffd", _LINE_END.sub("\n", text))


def outline(steps: Iterable[Step], markups: Mapping[int, Markup]) -> str:
    """A key that is equal for sequences that render equally."""
    steps, parts = list(steps), list[str]()
    visible = [at for at, step in enumerate(steps) if step.text.strip()] or [0]
    for at, step in enumerate(steps):
        if step.kind == "text":
            text = step.text.lstrip() if at <= visible[0] else step.text
            parts.append(text.rstrip() if at >= visible[-1] else text)
        else:
            name = markups[step.tag].name.replace("auto", "a")
            parts.append("\x01" if name == "br" else f"\x02{step.kind}{name}\x03")
    flat = re.sub(r"\s+", " ", "".join(parts)).strip()
    flat = _MARKS.sub(_with_one_space, flat)
    return re.sub(" ?\x01 ?", "\x01", flat)


def _with_one_space(marks: re.Match[str]) -> str:
    return " " + marks[0].replace(" ", "") if "\x02alone" in marks[0] else marks[0]


def _tree(marks: Sequence[Mark], markups: Mapping[int, Markup]) -> dict[int | None, list[Mark]]:
    """The direct children of each mark, in order; top-level marks are under None."""
    by_tag = {mark.tag: mark for mark in marks}
    within: dict[int | None, list[Mark]] = {None: []}
    open_marks: list[Mark] = []
    for mark in sorted(marks, key=lambda mark: mark.start):
        while open_marks and open_marks[-1].end <= mark.start:
            open_marks.pop()
        if mark.start < mark.end:
            holder = open_marks[-1].tag if open_marks else None
            open_marks.append(mark)
        else:
            holder = _holder(mark, open_marks, by_tag, markups)
        within.setdefault(holder, []).append(mark)
    return within


def _holder(
    mark: Mark, open_marks: list[Mark], by_tag: dict[int, Mark], markups: Mapping[int, Markup]
) -> int | None:
    """The parent of an empty mark: at an edge, it stays in its former parent."""
    around = next((other for other in reversed(open_marks) if other.start < mark.start), None)
    parent = markups[mark.tag].parent
    while parent is not None:
        other = by_tag[parent]
        if markups[parent].closing and other.start <= mark.start <= other.end:
            if around is None or (around.start <= other.start and other.end <= around.end):
                return parent
            break
        parent = markups[parent].parent
    return around.tag if around else None


def _walk(
    text: str, within: Mapping[int | None, list[Mark]], markups: Mapping[int, Markup]
) -> Iterable[Step]:
    """Yield text and marks in order, empty marks before others at the same position."""
    place = 0
    waiting: list[Mark | Step] = list(reversed(_ordered(within.get(None, []))))
    while waiting:
        item = waiting.pop()
        if isinstance(item, Step):
            end = int(item.text)
            yield Step("text", text[place:end])
            place = max(place, end)
            yield Step("close", tag=item.tag)
            continue
        yield Step("text", text[place : item.start])
        place = max(place, item.start)
        if markups[item.tag].closing is None:
            yield Step("alone", tag=item.tag)
            continue
        yield Step("open", tag=item.tag)
        waiting.append(Step("close", str(item.end), item.tag))
        waiting.extend(reversed(_ordered(within.get(item.tag, []))))
    yield Step("text", text[place:])


def _ordered(marks: list[Mark]) -> list[Mark]:
    return sorted(marks, key=lambda mark: (mark.start, mark.end > mark.start))


def _move_spaces_out(steps: list[Step], markups: Mapping[int, Markup]) -> None:
    """Move spaces out of the ends of emphasis, which Markdown would not recognise."""
    for at in range(len(steps) - 2, -1, -1):
        step, inner = steps[at], steps[at + 1]
        if step.kind == "open" and markups[step.tag].name in _TIGHT and inner.kind == "text":
            bare = inner.text.lstrip()
            if bare != inner.text:
                _push_text(steps, at, inner.text[: len(inner.text) - len(bare)], before=True)
                steps[at + 1] = Step("text", bare)
    for at in range(1, len(steps)):
        step, inner = steps[at], steps[at - 1]
        if step.kind == "close" and markups[step.tag].name in _TIGHT and inner.kind == "text":
            bare = inner.text.rstrip()
            if bare != inner.text:
                _push_text(steps, at, inner.text[len(bare) :], before=False)
                steps[at - 1] = Step("text", bare)


def _push_text(steps: list[Step], at: int, space: str, *, before: bool) -> None:
    """Add a space to the text beside a step; there is always one, perhaps empty."""
    beside = at - 1 if before else at + 1
    if 0 <= beside < len(steps) and steps[beside].kind == "text":
        text = steps[beside].text
        steps[beside] = Step("text", text + space if before else space + text)


def _without_margins(steps: list[Step], markups: Mapping[int, Markup]) -> list[Step]:
    """Remove spaces at the ends of the passage and around line breaks."""
    tidy = list[Step]()
    for at, step in enumerate(steps):
        if step.kind != "text":
            tidy.append(step)
            continue
        text = _without_spaces_at_line_ends(step.text)
        if at == 0 or _is_break(steps[at - 1], markups):
            text = text.lstrip()
        if at == len(steps) - 1 or _is_break(steps[at + 1], markups):
            text = text.rstrip()
        if text:
            tidy.append(Step("text", text))
    return tidy


def _without_spaces_at_line_ends(text: str) -> str:
    """Remove whitespace around line ends, and empty lines."""
    if "\n" not in text:
        return text
    first, *lines, last = text.split("\n")
    return "\n".join([first.rstrip(), *filter(None, map(str.strip, lines)), last.lstrip()])


def _is_break(step: Step, markups: Mapping[int, Markup]) -> bool:
    return step.kind == "alone" and markups[step.tag].name == "br"


def _without_nested_links(steps: list[Step], markups: Mapping[int, Markup]) -> list[Step]:
    """End every link where another begins, since links do not nest."""
    result, link = list[Step](), -1
    for step in steps:
        markup = markups.get(step.tag)
        if markup and not markup.html and markup.name in ("a", "auto"):
            if step.kind == "close" and step.tag != link:
                continue
            if step.kind == "open" and link >= 0:
                result.append(Step("close", tag=link))
            link = step.tag if step.kind == "open" else -1
        result.append(step)
    return result


_LETTER = re.compile(r"[^\W_\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
"""A letter or digit of a script with spaces between words."""
_CLOSING = re.compile(r"\s+(?=[.,;:!?)\]])")


def beside_items(steps: list[Step], markups: Mapping[int, Markup], source: str) -> list[Step]:
    """Steps with the space between standalone items and words that the source has or implies.

    In a source without spaces between words, an image touches the words beside it.
    """
    spaced = list(steps)
    for at, step in enumerate(steps):
        markup = markups.get(step.tag)
        if step.kind != "alone" or not markup or markup.name in ("br", "#footnote"):
            continue
        start, end = markup.opening
        before, after = source[max(start - 1, 0) : start], source[end : end + 1]
        image = markup.name == "img"
        if at and spaced[at - 1].text and _wants_space(before, spaced[at - 1].text[-1], image):
            spaced[at - 1] = Step("text", spaced[at - 1].text + " ")
        if at + 1 < len(steps) and (text := spaced[at + 1].text):
            if image and not after.isspace():
                text = _CLOSING.sub("", text, count=1) if _CLOSING.match(text) else text
            wanted = _wants_space(after, text[0], image) and text[0] not in ".,;:!?)"
            spaced[at + 1] = Step("text", " " * wanted + text)
    return spaced


def _wants_space(beside: str, new: str, image: bool) -> bool:
    """Whether an item needs a space, with one character beside it in the file and a new one."""
    if new.isspace() or not beside:
        return False
    if beside.isspace():
        return bool(_LETTER.match(new)) or new in ".,;:!?)"
    return image and not beside.isascii() and (bool(_LETTER.match(new)) or new in ".,;:!?)")
