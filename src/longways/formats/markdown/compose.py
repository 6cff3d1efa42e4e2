"""Writing new passages as Markdown, verified by parsing the result.

Markup is written as in the file where Markdown recognises it, else as HTML: `**Note:**text`
is not bold in Markdown, `<strong>Note:</strong>text` is.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from markdown_it.utils import EnvType

from longways.formats.base import Passage
from longways.formats.markdown.blocks import MarkdownBlock, read_blocks
from longways.formats.markdown.hidden.masking import hide_templates
from longways.formats.markdown.html_in_markdown import html_node, write_html
from longways.formats.markdown.nodes import PassageNode
from longways.formats.markdown.passages import plain_node, read_node, values_node
from longways.formats.markdown.rules import escape_pipes, parser
from longways.formats.markdown.sequence import beside_items, clean, outline, sequence
from longways.formats.markdown.titles import definition_node
from longways.formats.markdown.writer import Edits, MarkdownWriter, WritingStyle, escape_title

WRITING_STYLES = (
    WritingStyle("plain"),
    WritingStyle("lines"),
    WritingStyle("light"),
    WritingStyle("light", one_line=True),
    WritingStyle("strict", one_line=True),
    WritingStyle("strict", one_line=True, html=True),
    WritingStyle("strict", one_line=True, html=True, space="&#32;"),
)
"""Tried in order until the result is parsed as intended."""

_BRACKETS = frozenset("`<>[]")
"""Characters that could match others outside an alt text."""

_NO_MARKUP = re.compile(
    r"(?!(?:im|ex)port\b)[^\W\d_]"
    r"(?:[^\s\\`*_\[\]<>&~${}|#\0-\x1f\ud800-\udfff\ufdd0-\ufdd4]|[ ]++(?=\S))*+"
)
"""A line without markup in any block: it begins with a letter and has no special characters."""

_ONE_LINE = re.compile(
    r"""(?: \*{1,2} | _{1,2} | ` | \[ (?=[^\W\d_][^\[\]\n]*\]\() )? (?!(?:im|ex)port\b) [^\W\d_]
        [^\n|\#{\\]*""",
    re.VERBOSE,
)
"""A line that is always a single block, whatever inline markup it has."""

_PART = re.compile(r"""=+[ \t]*(?:\n|$)|["'(].*["')]$""")


class Composer:
    """Writes new passages of one file; `references` are the definitions of its links."""

    def __init__(self, references: Mapping[str, Any]) -> None:
        self.references = references

    def compose(
        self,
        block: MarkdownBlock,
        node: PassageNode,
        new: Passage,
        edits: Edits,
        careful: bool = False,
    ) -> str:
        """The new passage as text of the block, without line prefixes.

        `careful` means that other text will follow in the same line.
        """
        if node.write:
            return node.write(" ".join(clean(new.text).split()))
        if node.role == "html":
            return write_html(block, node, new, edits, both=careful)
        bare = node.role == "block" and not node.markups and not node.children
        if bare and _NO_MARKUP.fullmatch(new.text):
            return new.text
        if node.role == "title":
            quote = block.text[node.start - 1]
            return escape_title(" ".join(clean(new.text).split()), quote)
        steps = beside_items(sequence(new, node.markups), node.markups, block.text)
        meant = outline(steps, node.markups)
        careful = careful or (node.role == "alt" and not _BRACKETS.isdisjoint(new.text))
        children = _passages_within(node)
        written = ""
        first = 2 if careful else _goes_on(block, node, new.text)
        for style in WRITING_STYLES[first:]:
            written = MarkdownWriter(block, node, edits, style).write(steps)
            if self._reading(block, node, written) == (meant, children):
                break
        return written if node.label is None else f"{written}][{node.label}"

    def _reading(
        self, block: MarkdownBlock, node: PassageNode, written: str
    ) -> tuple[str, int] | None:
        """Parse written text: its outline, and the number of passages within."""
        env: EnvType = {"references": ChainMap({}, self.references)}  # type: ignore[arg-type]
        read = _one_line(block, node, written) or _read_again(block, node, written, env)
        if not read:
            return None
        root = read_block(read, env)
        if node.role == "alt":
            if len(root.children) != 1 or root.passage or root.start or len(root.markups) > 1:
                return None
            root = root.children[0]
        steps = sequence(root.passage or Passage(""), root.markups if root.passage else {})
        return outline(steps, root.markups), _passages_within(root)


def read_block(block: MarkdownBlock, env: EnvType) -> PassageNode:
    """The passage of a block and those within."""
    if block.kind == "html":
        return html_node(block)
    if block.kind == "tags":
        return values_node(block)
    if block.kind == "definition":
        return definition_node(block)
    if node := plain_node(block):
        return node
    md = parser()
    tokens = md.inline.parse(block.hidden, md, env, [])
    return read_node(block, tokens, "block", 0, len(block.text))


def _passages_within(node: PassageNode) -> int:
    """The number of alt texts and titles in a node.

    Values of tags do not count: a translated one, now in ASCII, may look like a name.
    """
    within = (one for child in node.children for one in child.all())
    return sum(one.role != "value" for one in within)


def _goes_on(block: MarkdownBlock, node: PassageNode, text: str) -> bool:
    """Whether the text could be parsed as part of the lines above: a heading, a definition."""
    above = block.follows or "\n" in block.text[: node.start]
    return above and bool(_PART.match(text.strip()))


def _one_line(block: MarkdownBlock, node: PassageNode, written: str) -> MarkdownBlock | None:
    """The block of a line that is unambiguous, else None."""
    if node.role != "block" or not _ONE_LINE.fullmatch(written):
        return None
    return MarkdownBlock(block.kind, (0,), (0,), written, written, "", False)


def _read_again(
    block: MarkdownBlock, node: PassageNode, written: str, env: EnvType
) -> MarkdownBlock | None:
    """Parse written text; its block, if it is one and of the same kind."""
    source = _in_place(block, node, written)
    blocks = list(read_blocks(source, hide_templates(source), env, []))
    kind = "paragraph" if node.role == "alt" else block.kind
    return blocks[0] if len(blocks) == 1 and blocks[0].kind == kind else None


def _in_place(block: MarkdownBlock, node: PassageNode, written: str) -> str:
    """A small file with written text in a block of this kind."""
    kind = block.kind
    if node.role == "alt":
        return f"![{written}](x)"
    if kind == "heading":
        return f"# {written}"
    if kind == "container":
        return f":::tip[{written}]" if block.prefix else f":::tip {written}"
    if kind == "title":
        return f'!!! note "{written}"\n        code'
    if kind == "underlined":
        return f"{written}\n---"  # which could also make it the head of a table
    if kind == "cell":
        return f"||\n|-|\n{block.prefix}{escape_pipes(written)}"
    return "- " + written.replace("\n", "\n  ") if kind == "item" else written
