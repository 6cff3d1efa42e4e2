"""Qt Linguist, .ts: sources of a program are translated into its messages.

    <message><source>打开 %1</source><translation type="unfinished"></translation></message>

A message without a translation is translated; it stays `unfinished`, since nobody has reviewed it.
A message with `numerus="yes"` gets as many forms as the target language has. Sources, comments,
places and translations that are there stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.errors import FormatError
from longways.formats.base import Passage
from longways.formats.po.header import forms_in, plural_forms
from longways.formats.resources.document import Edit, edited
from longways.formats.resources.inline import Dialect, Inline, inline_of
from longways.formats.resources.rendering import is_new
from longways.formats.resources.tags import opened, with_attributes
from longways.formats.resources.xml_tree import Node, line_of, read_xml
from longways.formats.text_file import TextFile

_AROUND = frozenset(["TS", "context", "message"])
"""Elements with no text of their own."""
_DIALECT = Dialect(lambda _: "alone")
"""The only element inside of a source is a character that XML has not."""
_QUOTE_OR_TAG = re.compile(r"<[^>]*>|['\"]")
_QUOTES = {"'": "&apos;", '"': "&quot;"}
MAX_INDENT = 200
"""Longest indentation that is repeated."""
_GONE = ("obsolete", "vanished")


@dataclass(slots=True)
class Message:
    """A message without a translation."""

    node: Node
    source: Node
    content: Inline
    translation: Node | None


class QtLinguist:
    """The format of the translation sources of Qt."""

    name = "ts"
    suffixes = (".ts",)

    def read(self, data: bytes, language: str, encoding: str | None = None) -> QtDocument:
        """Parse a file; see `Format`."""
        if not data[:200].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n").startswith(b"<"):
            raise FormatError(
                "The file does not begin with an element of XML, so it is no translation source of "
                "Qt Linguist. TypeScript, which has the same suffix, is not translated."
            )
        file, root = read_xml(data, language, encoding, "a file of Qt Linguist", _AROUND)
        if root.name != "TS":
            raise FormatError(
                f"The root of the file is <{root.name}>, but of a translation source of Qt "
                "Linguist it is <TS>. Check that this is the right file."
            )
        return QtDocument(file, root, language)


class QtDocument:
    """A parsed translation source. It is always bilingual."""

    def __init__(self, file: TextFile, root: Node, language: str) -> None:
        self.file, self._root = file, root
        self._has_translations = False
        self._has_quotes = "&apos;" in file.text or "&quot;" in file.text
        self._messages = list(self._find(root, language))
        root.forget_children()  # all that is needed of the tree is in the messages
        self.passages = [message.content.passage for message in self._messages]
        self.warnings = list(self._warnings(language))

    def _find(self, parent: Node, language: str) -> Iterator[Message]:
        """The messages below an element that have no translation."""
        for node in parent.elements("context", "message"):
            if node.name == "context":
                yield from self._find(node, language)
                continue
            source, translation = node.first("source"), node.first("translation")
            kind = translation.attributes.get("type") if translation else None
            if source is None or kind in _GONE:
                continue
            if translation and _has_text(self.file.text, translation):
                self._has_translations = True
            elif content := inline_of(self.file, source.children, _DIALECT, language):
                source.forget_children()
                yield Message(node, source, content, translation)

    def _warnings(self, language: str) -> Iterator[str]:
        """A warning if the sources are said to be in another language than the model reads."""
        said = self._root.attributes.get("sourcelanguage", language)
        if _base(said) != _base(language):
            line = line_of(self.file.text, self._root.start)
            yield (
                f"Line {line}: sourcelanguage is {said!r}, but the texts are translated from "
                f"{language!r}; only sources with letters of that language are translated."
            )

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these translations in its messages; see `FormattedDocument`."""
        edits = [
            self._edit(message, passage, language)
            for message, passage in zip(self._messages, passages, strict=True)
            if is_new(passage, message.content.passage)
        ]
        if not edits:
            return self.file.data
        edits = sorted([*edits, *self._language(language)], key=lambda edit: edit[:2])
        return self.file.encode(edited(self.file.text, edits))

    def _edit(self, message: Message, new: Passage, language: str) -> Edit:
        """The edit that writes a translation."""
        text, node = self.file.text, message.translation
        content = self._escaped(self._content(message, new))
        if message.node.attributes.get("numerus") == "yes":
            content = self._forms(message, content, language)
        tag = opened(text[node.start : node.inner]) if node else "<translation>"
        whole = f"{with_attributes(tag, {'type': 'unfinished'})}{content}</translation>"
        if node:
            return node.start, node.end, whole
        last = list(message.node.elements())[-1]
        return last.end, last.end, _space_before(text, last.start) + whole

    def _content(self, message: Message, new: Passage) -> str:
        """The content of the source with a new passage."""
        source, content = message.source, message.content
        start = self.file.text[source.inner : content.start]
        return start + content.rendered(new) + self.file.text[content.end : source.close]

    def _escaped(self, content: str) -> str:
        """A content with as many character references as Qt Linguist writes in this file."""
        if self._has_quotes:
            return _QUOTE_OR_TAG.sub(lambda found: _QUOTES.get(found[0], found[0]), content)
        return content

    def _forms(self, message: Message, content: str, language: str) -> str:
        """The content in each form of a plural, with the whitespace of the forms that are there."""
        text, node = self.file.text, message.translation
        there = list(node.elements("numerusform")) if node else []
        count = forms_in(plural_forms(language)) or 1
        between = _space_before(text, there[0].start) if there else ""
        after = text[there[-1].end : node.close] if node and there else ""
        return f"{between}<numerusform>{content}</numerusform>" * count + after

    def _language(self, language: str) -> Iterator[Edit]:
        """The edit that names the target language, unless translations in another are kept."""
        said = self._root.attributes.get("language", "")
        if _base(said) == _base(language) or (said and self._has_translations):
            return
        tag = self.file.text[self._root.start : self._root.inner]
        named = with_attributes(tag, {"language": language.replace("-", "_")})
        yield self._root.start, self._root.inner, named


def _has_text(text: str, translation: Node) -> bool:
    """Whether a translation, or a form of it, has text."""
    forms = list(translation.elements("numerusform")) or [translation]
    return any(text[form.inner : form.close].strip() for form in forms)


def _space_before(text: str, place: int) -> str:
    """The line end and indentation before a place, if it is the first on its line."""
    start = text.rfind("\n", max(0, place - MAX_INDENT), place)
    before = text[start:place] if start >= 0 else "x"
    return before if not before.strip() else ""


def _base(language: str) -> str:
    return re.split("[-_]", language)[0].lower()
