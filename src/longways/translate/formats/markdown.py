"""Markdown: paragraphs, headings, items, cells, quotes and footnotes are translated, in place.

All else stays as it is, to the byte: front matter, code, targets of links, definitions, the markers
of blocks, the tags of HTML and of templates. What is read is CommonMark with tables, strikethrough,
footnotes, task lists, notes, tabs and lists of definitions; and HTML in it as HTML is read.

    bytes -> blocks -> a node for each passage -> passages
    blocks' own places + composed new passages -> bytes
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown_it.utils import EnvType

from longways.translate.formats.markdown_blocks import Block, read_blocks
from longways.translate.formats.markdown_compose import Composer, read_block
from longways.translate.formats.markdown_mask import front_matter_end, hide_templates
from longways.translate.formats.markdown_passages import Node
from longways.translate.formats.markdown_sequence import clean
from longways.translate.formats.markdown_tables import escape_pipes
from longways.translate.formats.markdown_writer import Edits
from longways.translate.formats.protocol import Passage
from longways.translate.formats.text_file import read_text

_LINE_END = re.compile(r"\r\n?|\n")


class Source:
    r"""The text of a file, with line ends `\n` to be read and its own to be written."""

    def __init__(self, data: bytes, language: str, encoding: str | None) -> None:
        self.file = read_text(data, language, encoding)
        self.own = self.file.text
        self.text = _with_plain_ends(self.own)
        self.pairs = [m.start() - n for n, m in enumerate(re.finditer("\r\n", self.own))]
        first = _LINE_END.search(self.own)
        self.line_end = first[0] if first else "\n"

    def cut(self, start: int, end: int) -> str:
        """A part of the text with its own line ends."""
        if not self.pairs:
            return self.own[start:end]
        before, within = bisect_left(self.pairs, start), bisect_left(self.pairs, end)
        return self.own[start + before : end + within]


class MarkdownDocument:
    """A Markdown file that was taken apart."""

    def __init__(self, data: bytes, language: str, encoding: str | None = None) -> None:
        self.source = Source(data, language, encoding)
        text = self.source.text
        env: EnvType = {"references": {}}
        deep: list[int] = []
        start = front_matter_end(text)
        self.begins_with_rule = start == 0 and text.startswith("---")
        body = _blank(text, start)
        blocks = list(read_blocks(text, hide_templates(body), env, deep))
        self.references: Mapping[str, Any] = env["references"]
        self.blocks = [(block, read_block(block, env)) for block in blocks]
        self.passages: Sequence[Passage] = tuple(
            node.passage for _, root in self.blocks for node in root.all() if node.passage
        )
        skipped = text.count("\n", 0, max(start - 1, 0))
        self.warnings: Sequence[str] = tuple(_too_deep(line + skipped) for line in deep)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages; see `Document.write`."""
        if len(passages) != len(self.passages):
            raise ValueError(f"{len(passages)} passages for {len(self.passages)} of the file")
        text = "".join(_Writing(self, passages, bilingual).parts())
        return self.source.file.encode(self._with_rule(text))

    def _with_rule(self, text: str) -> str:
        """With an empty line below a rule at the start, if it would now begin settings."""
        if not self.begins_with_rule or not front_matter_end(_with_plain_ends(text)):
            return text
        rule, end, more = text.partition(self.source.line_end)
        return f"{rule}{end}{end}{more}"


class Markdown:
    """The format of `.md` files."""

    name = "markdown"
    suffixes = (".md", ".markdown")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> MarkdownDocument:
        """Take a file apart; raises `FormatError` if its bytes are no text."""
        return MarkdownDocument(data, language, encoding)


class _Writing:
    """Writes a document with given passages."""

    def __init__(
        self, document: MarkdownDocument, passages: Sequence[Passage], bilingual: bool
    ) -> None:
        self.document, self.source, self.bilingual = document, document.source, bilingual
        self.passages = iter(passages)
        self.composer = Composer(document.references)

    def parts(self) -> Iterator[str]:
        """The text, in parts: the file's own between what is new."""
        place = 0
        for block, root in self.document.blocks:
            new = {id(node): passage for node in root.all() if (passage := self._next(node))}
            for start, end, text in self._edits(block, root, new):
                begin = block.source_start(start)
                yield self.source.cut(place, begin)
                place = block.source_end(end)
                yield self._placed(block, text, place, whole=id(root) in new)
        yield self.source.cut(place, len(self.source.text))

    def _next(self, node: Node) -> Passage | None:
        """The passage to be written for a node if it is new and has something to read."""
        passage = next(self.passages)
        return passage if passage != node.passage and passage.text.strip() else None

    def _edits(self, block: Block, node: Node, new: Mapping[int, Passage]) -> Edits:
        """What to write in place of parts of the block: the node itself, or nodes within."""
        within = [e for child in node.children for e in self._edits(block, child, new)]
        within.sort()
        if id(node) not in new:
            return within
        return [(node.start, node.end, self._new(block, node, new[id(node)], within))]

    def _new(self, block: Block, node: Node, passage: Passage, within: Edits) -> str:
        """A new passage, with the file's own beside it if both are wanted."""
        own = block.text[node.start : node.end]
        beside = self.bilingual and not self._quotes(block, node)
        if node.role == "html":
            return self.composer.compose(block, node, passage, within, careful=beside)
        if node.role == "title" and beside and node.passage:
            passage = Passage(f"{clean(passage.text)} / {node.passage.text}")
        written = self.composer.compose(block, node, passage, within, careful=beside)
        if not beside or node.role == "title":
            return written
        if node.label is not None:
            label = f"][{node.label}"
            return f"{written.removesuffix(label)} / {node.label}{label}"
        return f"{written} / {own}"

    def _quotes(self, block: Block, node: Node) -> bool:
        """Whether the file's own is shown as a quote below."""
        return node.role == "block" and block.kind == "paragraph" and not block.in_list

    def _placed(self, block: Block, text: str, end: int, whole: bool) -> str:
        """Text of a block as it is written in the file."""
        if block.kind == "cell":
            return escape_pipes(text)
        if block.kind == "html":
            return text.replace("\n", self.source.line_end)
        if whole and self.bilingual and block.kind == "paragraph" and not block.in_list:
            text += self._quote(block, end)
        first, *more = text.split("\n")
        begun = [block.prefix + line if line else block.prefix.rstrip() for line in more]
        return self.source.line_end.join([first, *begun])

    def _quote(self, block: Block, end: int) -> str:
        """The block's own text as a quote, with empty lines around it."""
        quoted = "\n\n> " + block.text.strip().replace("\n", "\n> ")
        following = self.source.text[end : end + 400].partition("\n")[2].partition("\n")[0]
        return quoted + ("\n" if following.strip(" \t>") else "")


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _blank(text: str, end: int) -> str:
    """The text with an empty line in place of what stands before a place."""
    return " " * (end - 1) + text[end - 1 : end].replace("-", " ") + text[end:] if end else text


def _too_deep(line: int) -> str:
    return (
        f"Line {line}: lists or quotes are nested so deep that what is in them was left as it is; "
        "move it further out to have it translated."
    )
