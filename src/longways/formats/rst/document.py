"""Names of a whole file: of links, of terms in a glossary, of titles that references name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from longways.formats.base import Passage
from longways.formats.rst.blocks import Block, Slot
from longways.formats.rst.lines import on_one_line
from longways.formats.rst.text.inline import escaped, unescaped
from longways.formats.rst.text.writer import Names

_TARGET = re.compile(r"^[ \t]*\.\. _(`[^`\n]+`|(?:[^:\\\n]|\\.|:(?!\s|$))+):(?=\s|$)", re.MULTILINE)
_ANONYMOUS = re.compile(r"^[ \t]*(?:__|\.\. __:)[ \t]+(\S[^\r\n]*)", re.MULTILINE)
_NOTE = re.compile(r"^[ \t]*\.\. \[(#)\](?=\s)", re.MULTILINE)
_NAMED_ROLE = re.compile(r":(?:std:)?ref:`([^`<>]+)`")


def slots_of(blocks: Iterable[Block]) -> Iterator[Slot]:
    """All slots, also those inside of tables."""
    for block in blocks:
        if isinstance(block, Slot):
            yield block
        else:
            yield from slots_of(getattr(block, "inner", ()))


def names_of(blocks: Sequence[Block], new: Sequence[Passage]) -> Names:
    """The targets of links by their own text, and the new texts of terms."""
    names = Names()
    for slot, passage in zip(slots_of(blocks), new, strict=True):
        for markup in slot.inline.markups.values():
            if markup.kind == "link" and not markup.closing.endswith("__"):
                names.addresses.setdefault(markup.name, markup.closing)
        if slot.kind == "term":
            own = on_one_line(slot.inline.passage.text).lower()
            names.terms.setdefault(own, on_one_line(passage.text).replace("`", "'"))
    return names


def targets_of(blocks: Sequence[Block], text: str) -> frozenset[str]:
    """The names that references of the file use and that no explicit target has."""
    used = set[str]()
    for slot in slots_of(blocks):
        used.update(m.name for m in slot.inline.markups.values() if m.kind == "ref")
        for word in slot.inline.words:
            used.update(_plain(name[1]) for name in _NAMED_ROLE.finditer(word))
    explicit = {_plain(match[1].strip("`")) for match in _TARGET.finditer(text)}
    return frozenset(used - explicit)


def reordered_targets(
    blocks: Sequence[Block], new: Sequence[Passage], text: str
) -> Iterator[tuple[int, int, str]]:
    """The edits of targets without a name, where a translation has its references in a new order.

    The first `text`__ of a file belongs to the first `__ address`, the second to the second.
    """
    targets = list(_ANONYMOUS.finditer(text))
    order = list[int]()
    for slot, passage in zip(slots_of(blocks), new, strict=True):
        markups = slot.inline.markups
        tags = [tag for tag, m in markups.items() if m.kind == "ref" and m.closing == "`__"]
        starts = {mark.tag: mark.start for mark in passage.marks}
        first = len(order)
        ranked = sorted(tags, key=lambda tag: starts.get(tag, 0))
        order += [first + tags.index(tag) for tag in ranked]
    if len(order) != len(targets):
        return
    for target, source in zip(targets, order, strict=True):
        if target[1] != targets[source][1]:
            yield *target.span(1), targets[source][1]


def name_reordered_notes(
    blocks: Sequence[Block], new: Sequence[Passage], text: str, names: Names
) -> list[tuple[int, int, str]]:
    """The edits that name footnotes whose references a translation has in a new order.

    The first `[#]_` of a file belongs to the first `.. [#]`: where two change places, they become
    `[#note-1]_` and `[#note-2]_`, and so do their footnotes, whose numbers stay.
    """
    notes, edits, number = list(_NOTE.finditer(text)), list[tuple[int, int, str]](), 0
    labels = dict[int, str]()
    for slot, passage in zip(slots_of(blocks), new, strict=True):
        own = {tag: m for tag, m in slot.inline.markups.items() if m.source == "[#]_"}
        starts = {mark.tag: mark.start for mark in passage.marks}
        found, number = notes[number : number + len(own)], number + len(own)
        if sorted(own, key=lambda tag: starts.get(tag, 0)) == list(own):
            continue
        for (place, markup), note in zip(enumerate(own.values(), number), found, strict=False):
            label = f"#note-{place - len(own) + 1}"
            labels[id(markup)] = f"[{label}]_"
            edits.append((*note.span(1), label))
    if number != len(notes) or "[#note-" in text:
        return []
    names.notes.update(labels)
    return edits


def _plain(name: str) -> str:
    return on_one_line(unescaped(escaped(name)).strip()).lower()
