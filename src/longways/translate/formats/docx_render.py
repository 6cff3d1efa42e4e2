"""A passage as the content of a paragraph: runs of the right look, and each thing in its place.

Where reading it again would find other marks than were written, an empty text says how it is meant.
Word shows nothing of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from longways.translate.formats.docx_marks import (
    Level,
    Markup,
    Stretch,
    Structure,
    is_break,
    is_prose,
    joins,
    ordered_with,
    usual,
)
from longways.translate.formats.docx_runs import HYPHEN, Raw, Run, Thing, closing
from longways.translate.formats.docx_styles import Key
from longways.translate.formats.protocol import Mark, Passage

_CHINESE_HINT = re.compile(rb"""\s[\w.-]+:hint\s*=\s*["']eastAsia["']""")
_WIDTH = re.compile(rb"<[\w.-]+:fitText\s[^>]*/>")
_EAST_ASIAN = ("zh", "ja", "ko", "yue", "wuu")
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(eq=False)
class _Part:
    """A mark with what is in it, on its way to be written."""

    markup: Markup
    end: int
    items: list[_Part | str] = field(default_factory=list)


Piece = tuple[Run, str] | bytes


def content(structure: Structure, passage: Passage, raw: Raw, language: str) -> bytes:
    """What comes between the properties of a paragraph and its end."""
    marks = _arranged(structure, passage)
    top = _nested(structure, passage.text, marks)
    writer = _Writer(raw, language)
    written = writer.level(top.items, structure.root)
    return written if writer.prose else writer.piece((structure.root.base, "")) + written


def _arranged(structure: Structure, passage: Passage) -> list[Mark]:
    """The marks in the order they begin, each that there must be once.

    A range ends after it begins, and what is here of a field that is not whole stays in its order,
    so that no text comes to be in an instruction or a result.
    """
    length = len(passage.text)
    given = {mark.tag: mark for mark in passage.marks if 0 <= mark.tag < len(structure.markups)}
    lost = [Mark(length, length, t) for t in range(len(structure.markups)) if t not in given]
    inside = (
        Mark(start, max(start, min(mark.end, length)), mark.tag)
        for mark in given.values()
        for start in [min(max(mark.start, 0), length)]
    )
    marks = sorted([*inside, *lost], key=lambda mark: mark.start)
    groups = dict[str, list[int]]()
    for place, mark in enumerate(marks):
        if name := ordered_with(structure.markups[mark.tag]):
            groups.setdefault(name, []).append(place)
    for places in groups.values():
        tags = sorted(marks[place].tag for place in places)
        for place, tag in zip(places, tags, strict=True):
            marks[place] = Mark(marks[place].start, marks[place].end, tag)
    return marks


def _nested(structure: Structure, text: str, marks: Sequence[Mark]) -> _Part:
    """The text and the marks as a tree. A mark that would cross another one ends with it."""
    top = _Part(structure.root, len(text))
    stack, place = [top], 0
    dropped = _spaces_of_breaks(structure, text, marks)

    def text_up_to(end: int) -> None:
        nonlocal place
        start = place + (place in dropped and place < end)
        stack[-1].items += [text[start:end]] if start < end else []
        place = end

    for mark in marks:
        while len(stack) > 1 and _ends_before(stack[-1], mark, structure):
            text_up_to(stack[-1].end)
            stack.pop()
        text_up_to(mark.start)
        part = _Part(structure.markups[mark.tag], min(mark.end, stack[-1].end))
        stack[-1].items.append(part)
        stack += [part] if isinstance(part.markup, Stretch | Level) else []
    while stack:
        text_up_to(stack[-1].end)
        stack.pop()
    return top


def _ends_before(part: _Part, mark: Mark, structure: Structure) -> bool:
    """Whether a part is over where a mark begins; at its very end, what was in it stays in it."""
    if part.end != mark.start or mark.end > part.end or not isinstance(part.markup, Level):
        return part.end <= mark.start
    return not part.markup.encloses(structure.homes[mark.tag])


def _spaces_of_breaks(structure: Structure, text: str, marks: Sequence[Mark]) -> set[int]:
    """Spaces that need not be written, as the break before them is read as a space."""
    touching = dict[int, int]()
    for mark in marks:
        enclosing = not isinstance(structure.markups[mark.tag], Stretch)
        for place in {mark.start, mark.end} if enclosing else {mark.start}:
            touching[place] = touching.get(place, 0) + 1
    places = (m.start for m in marks if is_break(structure.markups[m.tag]))
    return {
        place
        for place in places
        if touching[place] == 1 and 0 < place < len(text) - 1 and text[place] == " "
        if joins(text[place - 1], text[place + 1])
    }


class _Writer:
    """Writes levels, each of them from left to right."""

    def __init__(self, raw: Raw, language: str) -> None:
        self.raw = raw
        self.prose = False
        """Whether any text is not code, which is how a paragraph with a passage is known."""
        self.western = is_western(language)

    def level(self, items: Sequence[_Part | str], level: Level) -> bytes:
        """What is between the edges of a level."""
        pieces = list[Piece]()
        self._items(items, level.base, level.base, pieces)
        looks = [(p[0].look, len(p[1])) for p in pieces if not isinstance(p, bytes)]
        if looks and usual(looks) != level.base.look.key:
            pieces.insert(0, (level.base, ""))
        return b"".join(self.piece(piece) for piece in pieces)

    def _items(
        self, items: Sequence[_Part | str], run: Run, base: Run, pieces: list[Piece]
    ) -> None:
        """The pieces of a stretch: it begins and ends with text that looks like it, empty or not.

        So does each place where a look would return that was not meant to go on.
        """
        other = run.look.key != base.look.key
        needed, over = other, set[Key]()
        for item in items:
            if isinstance(item, str):
                pieces.append((run, item))
                needed = False
                over.clear()
                continue
            inner = item.markup.run if isinstance(item.markup, Stretch) else None
            if needed or (inner and inner.look.key in over):
                pieces.append((run, ""))
                needed = False
                over.clear()
            if inner:
                self._items(item.items, inner, base, pieces)
                over.add(inner.look.key)
            else:
                pieces.append(self._thing(item))
            needed = other and isinstance(item.markup, Stretch | Level)
        if needed:
            pieces.append((run, ""))

    def _thing(self, part: _Part) -> bytes:
        markup = part.markup
        if isinstance(markup, Level) and markup.edges:
            before, after = (edge.written(self.raw) for edge in markup.edges)
            return before + self.level(part.items, markup) + after
        assert isinstance(markup, Thing)  # a stretch is no thing, and the paragraph in no part
        return markup.written(self.raw)

    def piece(self, piece: Piece) -> bytes:
        """A run of text, or what is written already."""
        if isinstance(piece, bytes):
            return piece
        run, text = piece
        self.prose = self.prose or is_prose(run, text)
        before = run.tag + self._properties(run.look.raw)
        return before + texts(text, run) + run.after

    def _properties(self, raw: bytes) -> bytes:
        """Without the width of the old text, which the new one would be squeezed into.

        Nor with the hint that has quotation marks drawn as wide as Chinese characters.
        """
        free = _WIDTH.sub(b"", raw)
        return _CHINESE_HINT.sub(b"", free) if self.western else free


def texts(text: str, run: Run) -> bytes:
    """The elements of a run for a text; their names have the prefix of the run's own."""
    prefix = closing(run.tag)[2:-1].rpartition(b":")
    name = b"".join(prefix[:2])
    if run.drawing:
        return b"<%bt>%b</%bt>" % (name, escaped(text), name)
    parts = text.split(HYPHEN)
    elements = [_element(part, name) if part or len(parts) == 1 else b"" for part in parts]
    return (b"<" + name + b"noBreakHyphen/>").join(elements)


def _element(text: str, prefix: bytes) -> bytes:
    space = b' xml:space="preserve"' if text != text.strip() else b""
    return b"<%bt%b>%b</%bt>" % (prefix, space, escaped(text), prefix)


def is_western(language: str) -> bool:
    """Whether a language is written without Chinese characters."""
    return not language.lower().startswith(_EAST_ASIAN)


def escaped(text: str) -> bytes:
    """Text as XML has it. What XML cannot have is left out."""
    legal = _FORBIDDEN.sub("", text)
    return re.sub("[&<>\r]", lambda match: _ESCAPED[match[0]], legal).encode()
