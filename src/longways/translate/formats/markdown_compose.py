"""A new passage written as Markdown, and read again to be sure that it says what it should.

Markup is written as the file wrote it where Markdown sees it there, else as HTML: `**Note:**text`
is not bold in Markdown, `<strong>Note:</strong>text` is.
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from typing import Any

from markdown_it.utils import EnvType

from longways.translate.formats.markdown_blocks import Block, read_blocks
from longways.translate.formats.markdown_escape import escape_title
from longways.translate.formats.markdown_html import html_node, write_html
from longways.translate.formats.markdown_mask import hide_templates
from longways.translate.formats.markdown_passages import Node, plain_node, read_node
from longways.translate.formats.markdown_rules import parser
from longways.translate.formats.markdown_sequence import clean, outline, sequence
from longways.translate.formats.markdown_tables import escape_pipes
from longways.translate.formats.markdown_writer import Edits, Way, Writer
from longways.translate.formats.protocol import Passage

WAYS = (
    Way("plain"),
    Way("lines"),
    Way("light"),
    Way("light", one_line=True),
    Way("strict", one_line=True),
    Way("strict", one_line=True, html=True),
    Way("strict", one_line=True, html=True, space="&#32;"),
)
"""Tried one after another until one is read as it was meant."""

_BRACKETS = frozenset("`<>[]")
"""What may go together with others outside an alt text."""

_NO_MARKUP = re.compile(
    r"(?!(?:im|ex)port\b)[^\W\d_]"
    r"(?:[^\s\\`*_\[\]<>&~${}|#\0-\x1f\ud800-\udfff\ufdd0-\ufdd4]|[ ]++(?=\S))*+"
)
"""A line that is read as it stands in any block: it begins with a letter, and has no signs."""

_ONE_LINE = re.compile(
    r"""(?: \*{1,2} | _{1,2} | ` | \[ (?=[^\W\d_][^\[\]\n]*\]\() )? (?!(?:im|ex)port\b) [^\W\d_]
        [^\n|\#{\\]*""",
    re.VERBOSE,
)
"""A line that is one block of any kind, whatever markup there is in it."""

_PART = re.compile(r"""=+[ \t]*(?:\n|$)|["'(].*["')]$""")


class Composer:
    """Writes new passages of one file; `references` are the definitions of its links."""

    def __init__(self, references: Mapping[str, Any]) -> None:
        self.references = references

    def compose(
        self, block: Block, node: Node, new: Passage, edits: Edits, careful: bool = False
    ) -> str:
        """The new passage as text of the block, in lines without what begins them.

        `careful` if other text will follow in the same line.
        """
        if node.role == "html":
            return write_html(block, node, new, edits, both=careful)
        bare = node.role == "block" and not node.markups and not node.children
        if bare and _NO_MARKUP.fullmatch(new.text):
            return new.text
        if node.role == "title":
            quote = block.text[node.start - 1]
            return escape_title(" ".join(clean(new.text).split()), quote)
        steps = sequence(new, node.markups)
        meant = outline(steps, node.markups)
        careful = careful or (node.role == "alt" and not _BRACKETS.isdisjoint(new.text))
        children = sum(len(child.all()) for child in node.children)
        written = ""
        first = 2 if careful else _goes_on(block, node, new.text)
        for way in WAYS[first:]:
            written = Writer(block, node, edits, way).write(steps)
            if self._reading(block, node, written) == (meant, children):
                break
        return written if node.label is None else f"{written}][{node.label}"

    def _reading(self, block: Block, node: Node, written: str) -> tuple[str, int] | None:
        """How what was written is read: its outline, and how many passages are within."""
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
        return outline(steps, root.markups), sum(len(child.all()) for child in root.children)


def read_block(block: Block, env: EnvType) -> Node:
    """The passage of a block and those within."""
    if block.kind == "html":
        return html_node(block)
    if node := plain_node(block):
        return node
    md = parser()
    tokens = md.inline.parse(block.hidden, md, env, [])
    return read_node(block, tokens, "block", 0, len(block.text))


def _goes_on(block: Block, node: Node, text: str) -> bool:
    """Whether the text could be read as a part of what is above: a heading, a definition."""
    above = block.follows or "\n" in block.text[: node.start]
    return above and bool(_PART.match(text.strip()))


def _one_line(block: Block, node: Node, written: str) -> Block | None:
    """The block as which a line is read, if there can be no doubt."""
    if node.role != "block" or not _ONE_LINE.fullmatch(written):
        return None
    return Block(block.kind, ((0, 0, len(written)),), written, written, "", False)


def _read_again(block: Block, node: Node, written: str, env: EnvType) -> Block | None:
    """The block as which it is read, if it is one and of the same kind."""
    source = _in_place(block, node, written)
    blocks = list(read_blocks(source, hide_templates(source), env, []))
    kind = "paragraph" if node.role == "alt" else block.kind
    return blocks[0] if len(blocks) == 1 and blocks[0].kind == kind else None


def _in_place(block: Block, node: Node, written: str) -> str:
    """A little file in which such a block has what was written."""
    kind = block.kind
    if node.role == "alt":
        return f"![{written}](x)"
    if kind == "heading":
        return f"# {written}"
    if kind == "title":
        return f'!!! note "{written}"\n        code'
    if kind == "underlined":
        return f"{written}\n==="
    if kind == "cell":
        return f"||\n|-|\n{block.prefix}{escape_pipes(written)}"
    return "- " + written.replace("\n", "\n  ") if kind == "item" else written
