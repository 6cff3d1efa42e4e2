"""Writing a passage as paragraph content: runs with the right look, and the marks in place.

Where reading the result again would give other marks, an empty text is inserted. Word does not show
it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from longways.formats.base import Mark, Passage
from longways.formats.office.marks import (
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
from longways.formats.office.runs import HYPHEN, Raw, TextRun, Thing, closing
from longways.formats.office.styles import Key

_CHINESE_HINT = re.compile(rb"""\s[\w.-]+:hint\s*=\s*["']eastAsia["']""")
_WIDTH = re.compile(rb"<[\w.-]+:fitText\s[^>]*/>")
_EAST_ASIAN = ("zh", "ja", "ko", "yue", "wuu")
_ESCAPED = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(eq=False)
class MarkTree:
    """A mark with its content, before it is written."""

    markup: Markup
    end: int
    items: list[MarkTree | str] = field(default_factory=list)


Fragment = tuple[TextRun, str] | bytes


def content(structure: Structure, passage: Passage, raw: Raw, language: str) -> bytes:
    """The content of a paragraph after its properties."""
    writer = _ContentWriter(raw, language)
    written = writer.level(tree(structure, passage).items, structure.root)
    return written if writer.prose else writer.fragment((structure.root.base, "")) + written


def tree(structure: Structure, passage: Passage) -> MarkTree:
    """The text of a passage with its marks, each within the one that encloses it."""
    return _nested(structure, passage.text, _arranged(structure, passage))


def _arranged(structure: Structure, passage: Passage) -> list[Mark]:
    """The marks in the order in which they begin, each exactly once.

    A range ends after it begins. The parts of an incomplete field keep their order, so that no text
    moves into an instruction or a result.
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


def _nested(structure: Structure, text: str, marks: Sequence[Mark]) -> MarkTree:
    """The text and the marks as a tree. A mark that would cross another one ends with it."""
    top = MarkTree(structure.root, len(text))
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
        part = MarkTree(structure.markups[mark.tag], min(mark.end, stack[-1].end))
        stack[-1].items.append(part)
        stack += [part] if isinstance(part.markup, Stretch | Level) else []
    while stack:
        text_up_to(stack[-1].end)
        stack.pop()
    return top


def _ends_before(part: MarkTree, mark: Mark, structure: Structure) -> bool:
    """Whether a part ends before a mark; a mark at the very end stays inside if it was inside."""
    if part.end != mark.start or mark.end > part.end or not isinstance(part.markup, Level):
        return part.end <= mark.start
    return not part.markup.encloses(structure.homes[mark.tag])


def _spaces_of_breaks(structure: Structure, text: str, marks: Sequence[Mark]) -> set[int]:
    """Offsets of spaces that are not written because the break before them reads as a space."""
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


class _ContentWriter:
    """Writes levels, each of them from left to right."""

    def __init__(self, raw: Raw, language: str) -> None:
        self.raw = raw
        self.prose = False
        """Whether any text is not code; only such a paragraph is read as a passage."""
        self.western = is_western(language)

    def level(self, items: Sequence[MarkTree | str], level: Level) -> bytes:
        """The content between the edges of a level."""
        fragments = list[Fragment]()
        self._items(items, level.base, level.base, fragments)
        looks = [(p[0].look, len(p[1])) for p in fragments if not isinstance(p, bytes)]
        if looks and usual(looks) != level.base.look.key:
            fragments.insert(0, (level.base, ""))
        return b"".join(self.fragment(fragment) for fragment in fragments)

    def _items(
        self,
        items: Sequence[MarkTree | str],
        run: TextRun,
        base: TextRun,
        fragments: list[Fragment],
    ) -> None:
        """Collect the fragments of a stretch; it begins and ends with text, maybe empty.

        Empty text also separates two stretches of the same look that must not be merged.
        """
        other = run.look.key != base.look.key
        needed, over = other, set[Key]()
        for item in items:
            if isinstance(item, str):
                fragments.append((run, item))
                needed = False
                over.clear()
                continue
            inner = item.markup.run if isinstance(item.markup, Stretch) else None
            if needed or (inner and inner.look.key in over):
                fragments.append((run, ""))
                needed = False
                over.clear()
            if inner:
                self._items(item.items, inner, base, fragments)
                over.add(inner.look.key)
            else:
                fragments.append(self._thing(item))
            needed = other and isinstance(item.markup, Stretch | Level)
        if needed:
            fragments.append((run, ""))

    def _thing(self, part: MarkTree) -> bytes:
        markup = part.markup
        if isinstance(markup, Level) and markup.edges:
            before, after = (edge.written(self.raw) for edge in markup.edges)
            return before + self.level(part.items, markup) + after
        assert isinstance(markup, Thing)  # stretches and the root level are handled elsewhere
        return markup.written(self.raw)

    def fragment(self, fragment: Fragment) -> bytes:
        """A run of text as XML; bytes are returned as they are."""
        if isinstance(fragment, bytes):
            return fragment
        run, text = fragment
        self.prose = self.prose or is_prose(run, text)
        before = run.tag + self._properties(run.look.raw)
        return before + texts(text, run) + run.after

    def _properties(self, raw: bytes) -> bytes:
        """Run properties without the fixed width of the old text.

        For western languages, the hint that widens quotation marks is removed too.
        """
        free = _WIDTH.sub(b"", raw)
        return _CHINESE_HINT.sub(b"", free) if self.western else free


def texts(text: str, run: TextRun) -> bytes:
    """The elements of a run for a text, with the namespace prefix of the run."""
    if run.writer:
        return run.writer(text)
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
    """Text escaped for XML; characters that XML forbids are removed."""
    legal = _FORBIDDEN.sub("", text)
    return re.sub("[&<>\r]", lambda match: _ESCAPED[match[0]], legal).encode()
