"""The content of an XML element as a passage: its inline elements are marks around their words.

Whitespace and standalone items at both ends, and an element around the whole content, are outside
of the passage and stay. Line ends are marks, as in all texts of programs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from longways.formats.base import Mark, Passage
from longways.formats.placeholders import Range, kept_parts
from longways.formats.resources.readable import is_read
from longways.formats.resources.tags import Markup, with_tags
from longways.formats.resources.xml_tree import Node, decoded, escaped
from longways.formats.text_file import TextFile
from longways.text.sentences.languages import has_spaces

Role = Literal["pair", "kept", "alone", "word"]
"""What an element is in a sentence: markup around words, around words that stay, an item, or
an item that a program replaces by words."""
_NO_WORDS: Mapping[str, str] = {}
MAX_WORDS = 50
"""More items of one element than this are not shown as words."""
_BREAK = re.compile(r"(?<![ \t\r])[ \t\r]*\n\s*")
_ALSO = re.compile(r"\(&[A-Z0-9]\)|%#@\w+@|%\d+(?![\w$])|%L?n(?![A-Za-z])|%L\d+")
"""Parts that are kept beside the placeholders of all texts."""


def _same(text: str) -> str:
    return text


@dataclass(frozen=True)
class Dialect:
    """How a format writes text inside of elements, beside the escapes of XML."""

    role: Callable[[Node], Role] = lambda _: "pair"
    meaning: Callable[[str], str] = _same
    """From text with the escapes of the format to the text that is read."""
    escape: Callable[[str], str] = _same
    """The reverse."""
    word: Callable[[Node], str] = lambda node: f"{{{node.attributes.get('id', node.local)}}}"
    """What stands for an item that is a word."""


@dataclass(frozen=True, slots=True)
class Inline:
    """The words of an element, `text[start:end]`, and their markup."""

    start: int
    end: int
    passage: Passage
    markup: Sequence[Markup]
    outer: tuple[str, str]
    """Whitespace before and after the text of the passage."""
    dialect: Dialect
    file: TextFile
    in_cdata: bool
    """Whether it is the content of a CDATA section."""
    words: Mapping[str, str]
    """Items that are words: what stands for each in the passage, and the item."""

    def rendered(self, new: Passage) -> str:
        """The content with a new passage."""
        before, after = map(self._escaped, self.outer)
        lost = [item for word, item in self.words.items() if word not in new.text]
        return "".join([before, with_tags(new, self.markup, self._with_words), *lost, after])

    def _with_words(self, text: str) -> str:
        """Escaped text with the items for which words stand."""
        if not self.words:
            return self._escaped(text)
        parts = re.split(f"({'|'.join(map(re.escape, self.words))})", text)
        return "".join(self.words.get(part) or self._escaped(part) for part in parts)

    def _escaped(self, text: str) -> str:
        """New text with the escapes of the format and of XML."""
        write = _cdata if self.in_cdata else escaped
        return write(self.dialect.escape(text), self.file)


def inline_of(
    file: TextFile, nodes: Sequence[Node], dialect: Dialect, language: str
) -> Inline | None:
    """The words in some sibling nodes; None if there are none to translate."""
    trimmed = _trimmed(file.text, list(nodes), dialect)
    if not trimmed:
        return None
    start, end = trimmed[0].start, trimmed[-1].end
    in_cdata = len(trimmed) == 1 and trimmed[0].name == "#cdata"
    if in_cdata:
        start, end = trimmed[0].inner, trimmed[0].close
    reader = _Reader(file.text, dialect, trimmed)
    reader.add(trimmed, -1)
    passage, outer = reader.passage(language)
    if not passage:
        return None
    words = reader.words or _NO_WORDS
    markup = reader.markup or ()
    return Inline(start, end, passage, markup, outer, dialect, file, in_cdata, words)


def _cdata(text: str, file: TextFile) -> str:
    """A text for a CDATA section; what the encoding lacks is a reference outside of it."""
    text = text.replace("]]>", "]]]]><![CDATA[>")
    if file.can_encode(text):
        return text
    outside = "]]>&#{};<![CDATA["
    return "".join(c if file.can_encode(c) else outside.format(ord(c)) for c in text)


def _trimmed(text: str, nodes: list[Node], dialect: Dialect) -> list[Node]:
    """Nodes without what is around the words: whitespace, items, an element around all."""
    while nodes:
        inside = [n for n, node in enumerate(nodes) if not _is_outside(text, node, dialect)]
        nodes = nodes[inside[0] : inside[-1] + 1] if inside else []
        if len(nodes) != 1 or not nodes[0].is_element or dialect.role(nodes[0]) != "pair":
            break
        nodes = nodes[0].children
    if nodes and nodes[0].name == "#text":
        first, raw = nodes[0], text[nodes[0].start : nodes[0].end]
        start = first.end - len(raw.lstrip())
        nodes = [Node("#text", start, first.end, start, first.end), *nodes[1:]]
    if nodes and nodes[-1].name == "#text":
        last, raw = nodes[-1], text[nodes[-1].start : nodes[-1].end]
        end = last.start + len(raw.rstrip())
        nodes = [*nodes[:-1], Node("#text", last.start, end, last.start, end)]
    return nodes


def _is_outside(text: str, node: Node, dialect: Dialect) -> bool:
    """Whether a node at an end of the content is no part of a sentence."""
    if node.name == "#text":
        return not text[node.start : node.end].strip()
    return node.name == "#other" or (node.is_element and dialect.role(node) == "alone")


class _Reader:
    """Collects text and markup."""

    def __init__(self, text: str, dialect: Dialect, nodes: Sequence[Node]) -> None:
        self._text, self._dialect = text, dialect
        self._whole = text[nodes[0].start : nodes[-1].end]
        self.words: dict[str, str] = {}
        self.markup: list[Markup] = []
        self._ranges: list[list[int]] = []
        self._kept: list[Range] = []
        self._parts: list[str] = []
        self._length = 0

    def add(self, nodes: Sequence[Node], parent: int) -> None:
        """Read nodes inside of the mark `parent`."""
        for node in nodes:
            raw = self._text[node.inner : node.close]
            if node.name in ("#text", "#cdata"):
                said = self._dialect.meaning(raw if node.name == "#cdata" else decoded(raw))
                self._parts.append(said)
                self._length += len(said)
            else:
                self._element(node, parent)

    def _element(self, node: Node, parent: int) -> None:
        role: Role = self._dialect.role(node) if node.is_element else "alone"
        if role == "word" and len(self.words) < MAX_WORDS:
            self._word(node)
            return
        number, start = len(self.markup), self._length
        self._ranges.append([start, start])
        if role in ("alone", "word") or node.inner == node.end:
            self.markup.append(Markup(self._text[node.start : node.end], "", parent))
            return
        tags = self._text[node.start : node.inner], self._text[node.close : node.end]
        self.markup.append(Markup(*tags, parent))
        self.add(node.children, number)
        self._ranges[number][1] = self._length
        if role == "kept" and self._length > start:
            self._kept.append((start, self._length))

    def _word(self, node: Node) -> None:
        """Add what stands for an item; it is not elsewhere in the text."""
        word, item = self._dialect.word(node), self._text[node.start : node.end]
        if word in self.words or self._whole.count(word) > item.count(word):
            word = f"{{{node.local}_{len(self.words)}_}}"
        self.words[word] = item
        self._kept.append((self._length, self._length + len(word)))
        self._parts.append(word)
        self._length += len(word)

    def passage(self, language: str) -> tuple[Passage | None, tuple[str, str]]:
        """The passage, if it has words, and the whitespace around it."""
        whole = "".join(self._parts)
        text = whole.strip()
        shift = len(whole) - len(whole.lstrip())
        outer = whole[:shift], whole[shift + len(text) :]
        own = [(_moved(s, shift, text), _moved(e, shift, text)) for s, e in self._ranges]
        kept = [(_moved(s, shift, text), _moved(e, shift, text)) for s, e in self._kept]
        also = [match.span() for match in _ALSO.finditer(text)]
        keep = kept_parts(text, [*also, *((s, e) for s, e in kept if s < e)], marks=own)
        if not is_read(text, keep, language):
            return None, outer
        ends = list(_BREAK.finditer(text))
        marks = [Mark(start, end, tag) for tag, (start, end) in enumerate(own)]
        marks += (Mark(e.start(), e.start(), len(own) + n) for n, e in enumerate(ends))
        self.markup += (Markup(end[0], "", -1, is_break=True) for end in ends)
        marks.sort(key=lambda mark: (mark.start, mark.tag))
        wrapped = has_spaces(language)
        breaks = tuple(e.start() for e in ends if not wrapped or e[0].count("\n") > 1)
        return Passage(text, tuple(marks), keep, breaks), outer


def _moved(place: int, shift: int, text: str) -> int:
    return min(max(place - shift, 0), len(text))
