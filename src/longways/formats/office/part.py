"""Readable text of one part: paragraphs, cells, text boxes, content controls and labels."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise

from longways.formats.base import Passage
from longways.formats.office.binding import BINDINGS, Binding
from longways.formats.office.dropcap import DropCap, is_letter, joined
from longways.formats.office.labels import Digits, Label, Labels
from longways.formats.office.paragraph import Manner, Paragraph, read_paragraph
from longways.formats.office.render import is_western
from longways.formats.office.styles import Styles
from longways.formats.office.xml import PARAGRAPHS, Scanner, XmlElement, XmlSource

Item = Paragraph | DropCap | Label
"""Anything that has a passage."""

Reader = Callable[[XmlElement, bytes, Styles], Paragraph | None]

Edit = tuple[Item | Binding | Digits, Passage | None]
"""An item to rewrite. A binding is removed; digits become Arabic numerals."""


class Part:
    """A parsed part."""

    def __init__(
        self,
        source: XmlSource,
        kind: str,
        styles: Styles,
        read: Reader = read_paragraph,
        is_read: Callable[[Sequence[XmlElement]], bool] = lambda _: True,
    ) -> None:
        """`read` reads an element with text as a paragraph, None if it has no readable text.

        `is_read` says whether paragraphs and labels within open elements are read at all.
        """
        self.source, self.kind = source, kind
        reader = _PartReader(source, styles, read, is_read)
        self.root = reader.root
        self.items = sorted(reader.items, key=lambda item: item.start)
        self.bindings = reader.bindings

    def written(self, new: dict[int, Passage], language: str, *, bilingual: bool) -> bytes:
        """The part with new passages, each by the number of its item."""
        writer = _PartWriter(self, new, language, bilingual)
        return self.source.encoded(writer.raw(0, len(self.source.data)))


class _PartReader:
    """Collects the items of a part in the order in which they end."""

    def __init__(
        self,
        source: XmlSource,
        styles: Styles,
        read: Reader,
        is_read: Callable[[Sequence[XmlElement]], bool],
    ) -> None:
        self.source, self.styles, self.read, self.is_read = source, styles, read, is_read
        self.labels = Labels(source.data)
        self.items: list[Item] = []
        self.bindings: list[Binding] = []
        self.letters: dict[int, Paragraph] = {}
        """Drop caps by the offset at which their paragraph ends."""
        self.bound: dict[int, XmlElement] = {}
        """The binding of each content control, by identity."""
        self.choices: dict[int, dict[Passage, Item]] = {}
        """The items of the first alternative of each element with alternatives, by identity."""
        scanner = Scanner(source, self._ended)
        scanner.scan()
        self.root = scanner.root

    def _ended(self, node: XmlElement, open_: list[XmlElement]) -> None:
        for label in self.labels.of(node, open_):
            if self.is_read(open_):
                self._add(label, open_)
        if node.name in PARAGRAPHS:
            self._paragraph(node, open_)
        elif node.name in BINDINGS and [outer.name for outer in open_[-2:-1]] == ["w:sdt"]:
            self.bound[id(open_[-2])] = node
        elif node.name == "w:sdt" and id(node) in self.bound:
            self.bindings.append(Binding.of(self.bound.pop(id(node)), node, open_))
        elif node.name == "mc:AlternateContent":
            self.choices.pop(id(node), None)

    def _paragraph(self, node: XmlElement, open_: list[XmlElement]) -> None:
        read = self.is_read(open_)
        paragraph = self.read(node, self.source.data, self.styles) if read else None
        letter = self.letters.pop(node.start, None)
        if paragraph and letter:
            self._forget(letter)
            self._add(joined(letter, paragraph), open_)
        elif paragraph:
            self._add(paragraph, open_)
            if is_letter(node, paragraph):
                self.letters[node.end] = paragraph
        node.children.clear()

    def _forget(self, item: Item) -> None:
        """Remove one of the latest items."""
        behind = list[Item]()
        while (last := self.items.pop()) is not item:
            behind.append(last)
        self.items += reversed(behind)
        for choices in self.choices.values():
            if choices.get(item.passage) is item:
                del choices[item.passage]

    def _add(self, item: Item, open_: list[XmlElement]) -> None:
        """Add an item. An equal item in the fallback for older programs is its twin."""
        self.items.append(item)
        for outer, branch in pairwise(open_):
            if outer.name == "mc:AlternateContent":
                choices = self.choices.setdefault(id(outer), {})
                if branch.name == "mc:Choice":
                    choices.setdefault(item.passage, item)
                elif not item.twin:
                    item.twin = choices.get(item.passage)


class _PartWriter:
    """Writes a part with new passages in some of its items."""

    def __init__(self, part: Part, new: dict[int, Passage], language: str, bilingual: bool) -> None:
        self.data = part.source.data
        self.manner = Manner(self.data, self.raw, language, bilingual, part.kind)
        edits: list[Edit] = [(part.items[number], passage) for number, passage in new.items()]
        paragraphs = sorted(_paragraph_start(item) for item, _ in edits)
        edits += [(b, None) for b in part.bindings if b.is_within(paragraphs)]
        labels = [item for item, _ in edits if isinstance(item, Label) and is_western(language)]
        edits += [(label.digits, None) for label in labels if label.digits]
        self.edits = sorted(edits, key=lambda edit: edit[0].start)
        self.starts = [edit[0].start for edit in self.edits]

    def raw(self, start: int, end: int) -> bytes:
        """The bytes of a range with edits applied."""
        chunks, place = list[bytes](), start
        number = bisect_left(self.starts, start)
        while number < len(self.starts) and self.starts[number] < end:
            item, passage = self.edits[number]
            chunks += [self.data[place : item.start], self._edited(item, passage)]
            place = item.end
            number = bisect_left(self.starts, place, number)
        return b"".join([*chunks, self.data[place:end]])

    def _edited(self, item: Item | Binding | Digits, passage: Passage | None) -> bytes:
        if isinstance(item, Binding | Digits) or passage is None:
            return b"decimal" if isinstance(item, Digits) else b""
        if isinstance(item, Label):
            return item.written(passage, bilingual=self.manner.bilingual)
        return item.written(passage, self.manner)


def _paragraph_start(item: Item | Binding | Digits) -> int:
    """Start of the paragraph of an item; -2 for a label."""
    if isinstance(item, DropCap):
        return item.rest.start
    return item.start if isinstance(item, Paragraph) else -2
