"""The Markdown format: paragraphs, headings, items, cells, quotes and footnotes are translated.

So are titles and descriptions of front matter, and readable values in tags of templates, of
components and of HTML. All other bytes stay unchanged: code, link targets, block markers, tags. The
dialect is CommonMark with tables, strikethrough, footnotes, task lists, notes, containers, tabs,
definition lists and components; embedded HTML is read as in HTML files.

    bytes -> blocks -> a node for each passage -> passages
    positions of blocks + new passages -> bytes
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from markdown_it.utils import EnvType

from longways.formats.base import Passage
from longways.formats.markdown.blocks import MarkdownBlock, read_blocks
from longways.formats.markdown.compose import Composer, read_block
from longways.formats.markdown.hidden.front_matter import Setting, settings
from longways.formats.markdown.hidden.masking import front_matter_end, hide_templates
from longways.formats.markdown.nodes import PassageNode, value_node
from longways.formats.markdown.rules import escape_pipes
from longways.formats.markdown.sequence import clean
from longways.formats.markdown.writer import Edits
from longways.formats.text_file import joined, read_text

_LINE_END = re.compile(r"\r\n?|\n")


class MarkdownSource:
    r"""The text of a file, with line ends `\n` for reading and original line ends for writing."""

    def __init__(self, data: bytes, language: str, encoding: str | None) -> None:
        self.file = read_text(data, language, encoding)
        self.own = self.file.text
        self.text = _with_plain_ends(self.own)
        self.pairs = [m.start() - n for n, m in enumerate(re.finditer("\r\n", self.own))]
        first = _LINE_END.search(self.own)
        self.line_end = first[0] if first else "\n"

    def cut(self, start: int, end: int) -> str:
        """A range of the text with its original line ends."""
        if not self.pairs:
            return self.own[start:end]
        before, within = bisect_left(self.pairs, start), bisect_left(self.pairs, end)
        return self.own[start + before : end + within]


class MarkdownDocument:
    """A parsed Markdown file."""

    def __init__(self, data: bytes, language: str, encoding: str | None = None) -> None:
        self.source = MarkdownSource(data, language, encoding)
        text = self.source.text
        env: EnvType = {"references": {}}
        deep: list[int] = []
        start = front_matter_end(text)
        self.begins_with_rule = start == 0 and text.startswith("---")
        body = _blank(text, start)
        blocks = list(read_blocks(text, hide_templates(body), env, deep))
        self.references: Mapping[str, Any] = env["references"]
        self.blocks = [
            *(_setting(text, setting) for setting in settings(text, start)),
            *((block, read_block(block, env)) for block in blocks),
        ]
        self.passages: Sequence[Passage] = tuple(
            node.passage for _, root in self.blocks for node in root.all() if node.passage
        )
        skipped = text.count("\n", 0, max(start - 1, 0))
        self.warnings: Sequence[str] = tuple(_too_deep(line + skipped) for line in deep)

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages; see `FormattedDocument.write`."""
        if len(passages) != len(self.passages):
            raise ValueError(f"{len(passages)} passages for {len(self.passages)} of the file")
        text = joined(_DocumentWriter(self, passages, bilingual).parts())
        return self.source.file.encode(self._with_rule(text))

    def _with_rule(self, text: str) -> str:
        """Add an empty line below an initial rule that would now be read as front matter."""
        if not self.begins_with_rule or not front_matter_end(_with_plain_ends(text)):
            return text
        rule, end, more = text.partition(self.source.line_end)
        return f"{rule}{end}{end}{more}"


class Markdown:
    """The format of `.md` files."""

    name = "markdown"
    suffixes = (".md", ".markdown", ".mdx")

    def read(self, data: bytes, language: str, encoding: str | None = None) -> MarkdownDocument:
        """Parse a file; raises `FormatError` if it cannot be decoded."""
        return MarkdownDocument(data, language, encoding)


class _DocumentWriter:
    """Writes a document with new passages."""

    def __init__(
        self, document: MarkdownDocument, passages: Sequence[Passage], bilingual: bool
    ) -> None:
        self.document, self.source, self.bilingual = document, document.source, bilingual
        self.passages = iter(passages)
        self.composer = Composer(document.references)

    def parts(self) -> Iterator[str]:
        """Yield the text of the file, original and new."""
        place = 0
        for block, root in self.document.blocks:
            new = {id(node): passage for node in root.all() if (passage := self._next(node))}
            for start, end, text in self._edits(block, root, new):
                begin = block.source_start(start)
                yield self.source.cut(place, begin)
                place = block.source_end(end)
                yield self._placed(block, text, place, whole=id(root) in new)
        yield self.source.cut(place, len(self.source.text))

    def _next(self, node: PassageNode) -> Passage | None:
        """The next passage, if it is new and not blank; else None."""
        passage = next(self.passages)
        return passage if passage != node.passage and passage.text.strip() else None

    def _edits(self, block: MarkdownBlock, node: PassageNode, new: Mapping[int, Passage]) -> Edits:
        """Edits of the block's text, for the node or for nodes within."""
        within = [e for child in node.children for e in self._edits(block, child, new)]
        within.sort()
        if id(node) not in new:
            return within
        return [(node.start, node.end, self._new(block, node, new[id(node)], within))]

    def _new(self, block: MarkdownBlock, node: PassageNode, passage: Passage, within: Edits) -> str:
        """A new passage as Markdown, with the original beside it if bilingual."""
        own = block.text[node.start : node.end]
        beside = self.bilingual and not self._quotes(block, node)
        if node.role == "html":
            return self.composer.compose(block, node, passage, within, careful=beside)
        if node.role in ("title", "value") and beside and node.passage:
            passage = Passage(f"{clean(passage.text)} / {node.passage.text}")
        written = self.composer.compose(block, node, passage, within, careful=beside)
        if not beside or node.role in ("title", "value"):
            return written
        if node.label is not None:
            label = f"][{node.label}"
            return f"{written.removesuffix(label)} / {node.label}{label}"
        return f"{written} / {own}"

    def _quotes(self, block: MarkdownBlock, node: PassageNode) -> bool:
        """Whether the bilingual original is a quote below."""
        return node.role == "block" and block.kind == "paragraph" and not block.in_list

    def _placed(self, block: MarkdownBlock, text: str, end: int, whole: bool) -> str:
        """Text of a block with the prefixes of its lines."""
        if block.kind == "cell":
            return escape_pipes(text)
        if block.kind == "html" and not block.prefix:
            return text.replace("\n", self.source.line_end)
        if whole and self.bilingual and block.kind == "paragraph" and not block.in_list:
            text += self._quote(block, end)
        first, *more = text.split("\n")
        begun = [block.prefix + line if line else block.prefix.rstrip() for line in more]
        return self.source.line_end.join([first, *begun])

    def _quote(self, block: MarkdownBlock, end: int) -> str:
        """The original text of a block as a quote, with empty lines around it."""
        quoted = "\n\n> " + block.text.strip().replace("\n", "\n> ")
        following = self.source.text[end : end + 400].partition("\n")[2].partition("\n")[0]
        return quoted + ("\n" if following.strip(" \t>") else "")


def _setting(text: str, found: Setting) -> tuple[MarkdownBlock, PassageNode]:
    """A block of the value of a setting, and its node."""
    own = text[found.start : found.end]
    block = MarkdownBlock("tags", (0,), (found.start,), own, own, "", in_list=False)
    return block, value_node(found.text, 0, len(own), found.write)


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _blank(text: str, end: int) -> str:
    """The text with spaces in place of everything before `end`."""
    return " " * (end - 1) + text[end - 1 : end].replace("-", " ") + text[end:] if end else text


def _too_deep(line: int) -> str:
    return (
        f"Line {line}: lists or quotes are nested so deep that what is in them was left as it is; "
        "move it further out to have it translated."
    )
