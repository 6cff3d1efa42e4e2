"""Short texts in the XML of a book: labels of a table of contents, titles and descriptions.

They are whole elements without markup. The parts name their language too, which is set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from longways.formats.base import Passage
from longways.formats.epub.book import Xml
from longways.formats.placeholders import kept_parts
from longways.formats.resources.document import Edit, edited
from longways.formats.resources.xml_tree import Node, decoded, escaped

_LANGUAGE = re.compile(r"""\sxml:lang\s*=\s*["']([^"']*)["']""")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")


class Labels:
    """The labels of one part, as a document."""

    warnings: Sequence[str] = ()

    def __init__(self, part: Xml, nodes: Iterable[Node], language: str) -> None:
        self._part, self._language = part, language
        self._labels = list[tuple[Node, int, int]]()
        self.passages = list[Passage]()
        for node in filter(_is_text, nodes):
            start, end = _stripped(part.file.text, node)
            value = " ".join(decoded(part.file.text[start:end]).split())
            is_html = node.local == "description" and _TAG.search(value)
            if value and not is_html:
                self._labels.append((node, start, end))
                self.passages.append(Passage(value, keep=tuple(kept_parts(value))))

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The part with these passages, and in their language."""
        edits = [*self._texts(passages, bilingual=bilingual), *self._languages(language)]
        return self._part.file.encode(edited(self._part.file.text, sorted(edits)))

    def _texts(self, passages: Sequence[Passage], *, bilingual: bool) -> Iterator[Edit]:
        pairs = zip(self._labels, passages, self.passages, strict=True)
        for (_, start, end), new, own in pairs:
            text = " ".join(new.text.split())
            if text and text != own.text:
                both = f"{text} / {own.text}" if bilingual else text
                yield start, end, escaped(both, self._part.file)

    def _languages(self, language: str) -> Iterator[Edit]:
        """The edits of `dc:language`, and of `xml:lang` of the part and of its labels."""
        text, root = self._part.file.text, self._part.root
        for node in (root, *(node for node, _, _ in self._labels)):
            found = _LANGUAGE.search(text, node.start, node.inner)
            if found and self._is_source(found[1]):
                yield found.start(1), found.end(1), language
        named = list(dublin_core(root, "language"))
        for node in named:
            start, end = _stripped(text, node)
            if start < end and (len(named) == 1 or self._is_source(text[start:end])):
                yield start, end, language

    def _is_source(self, tag: str) -> bool:
        """Whether a language tag is of the language of the texts."""
        return re.split("[-_]", tag.lower())[0] == re.split("[-_]", self._language.lower())[0]


def dublin_core(root: Node, *names: str) -> Iterator[Node]:
    """The elements of the metadata of a book with these names."""
    for metadata in root.elements("metadata"):
        inner = [*metadata.elements("dc-metadata"), metadata]
        for outer in inner:
            yield from outer.elements(*names)


def contents_labels(root: Node) -> Iterator[Node]:
    """The labels of a table of contents, and the title above it."""
    for node in root.elements():
        if node.local in ("docTitle", "navLabel"):
            yield from node.elements("text")
        elif node.local != "docAuthor":
            yield from contents_labels(node)


def _is_text(node: Node) -> bool:
    return bool(node.children) and all(child.name == "#text" for child in node.children)


def _stripped(text: str, node: Node) -> tuple[int, int]:
    """The range of the text of an element, without whitespace at its ends."""
    value = text[node.inner : node.close]
    start = node.inner + len(value) - len(value.lstrip())
    return start, max(start, node.inner + len(value.rstrip()))
