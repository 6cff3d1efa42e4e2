"""Passages of a Markdown block: its text with marks, alt texts and titles.

Alt texts and titles are separate passages, right after the passage that contains them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it.token import Token

from longways.formats.base import Mark, Passage
from longways.formats.markdown.blocks import MarkdownBlock
from longways.formats.markdown.hidden.masks import HIDDEN
from longways.formats.markdown.inline import Range, is_left_alone, place_of, tag_places
from longways.formats.markdown.nodes import Markup, PassageNode, Role
from longways.formats.markdown.titles import link_titles
from longways.formats.markdown.values import (
    PRINTED,
    is_word,
    paired_name,
    printed_range,
    tag_values,
)
from longways.formats.numbered import numbered
from longways.formats.placeholders import kept_parts

_NAME = re.compile(r"<(/?)([A-Za-z][\w-]*)")
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"]
)
_DEMO = re.compile(r"<code\s(?:[^<>]*\s)?src\s*=")
"""A demo, whose content is its title."""
_CODE = frozenset(["code", "kbd", "samp", "var", "tt"])
_SIGN = re.compile("[\\\\`~*_\\[<&$\ufdd0-\ufdd4]|[ \t]\n|\n[ \t]")
"""Characters without which text has no markup."""
_PAIRS = {"em": "em", "strong": "strong", "s": "s", "link": "a"}
_TEXT = frozenset(["text", "text_special", "softbreak", "value"])
_MAX_OPEN_TAGS = 100


def plain_node(block: MarkdownBlock) -> PassageNode | None:
    """Fast path for a block without markup; None for other blocks."""
    if _SIGN.search(block.hidden):
        return None
    text = block.text.strip()
    start = block.text.index(text)
    passage = Passage(text, (), kept_parts(text)) if text else None
    return PassageNode("block", start, start + len(text), passage)


def values_node(block: MarkdownBlock) -> PassageNode:
    """The node of a line of template tags."""
    tags = (match.span() for match in HIDDEN.finditer(block.hidden))
    values = [node for tag in tags for node in tag_values(block.text, *tag)]
    return PassageNode("block", 0, len(block.text), children=values)


def read_node(
    block: MarkdownBlock, tokens: Sequence[Token], role: Role, start: int, end: int
) -> PassageNode:
    """The node for the tokens of `block.text[start:end]`."""
    node = PassageNode(role, start, end)
    builder = _Builder(block, node, start)
    for token in _trimmed(tokens):
        builder.add(token)
    builder.finish()
    return node


def _trimmed(tokens: Sequence[Token]) -> Sequence[Token]:
    """Tokens without outer whitespace and heading attributes, which stay unchanged."""
    start, end = 0, len(tokens)
    while start < end and _is_margin(tokens[start]):
        start += 1
    while end > start and _is_margin(tokens[end - 1]):
        end -= 1
    return tokens[start:end]


def _is_margin(token: Token) -> bool:
    if token.type == "text":
        return token.content.isspace()
    return token.type in ("attributes", "softbreak", "hardbreak")


def _spaces_at(text: str, start: int, end: int) -> int:
    """The number of spaces from `start` on."""
    inner = text[start:end]
    return len(inner) - len(inner.lstrip(" "))


def _spaces_before(text: str, start: int, end: int) -> int:
    """The number of spaces up to `end`."""
    inner = text[start:end]
    return len(inner) - len(inner.rstrip(" "))


class _Builder:
    """Collects text and marks of a passage, token by token."""

    def __init__(self, block: MarkdownBlock, node: PassageNode, offset: int) -> None:
        self.block, self.node, self.offset = block, node, offset
        self.markups: dict[int, Markup] = {}
        self.children: list[PassageNode] = []
        self.parts, self.length = list[str](), 0
        self.alone_at = -1
        """The length of the text when the last standalone item was added."""
        self.open: list[int] = []
        self.ranges: dict[int, list[int]] = {}
        self.kept: list[Range] = []
        self.breaks: list[int] = []
        self.words: dict[str, None] = {}
        self.first: int | None = None
        self.last = node.start

    def add(self, token: Token) -> None:
        """Add the next token."""
        start, end = (place + self.offset for place in place_of(token))
        self.first = start if self.first is None else self.first
        self.last = max(self.last, end)
        if token.type in _TEXT:
            self._text(token, (start, end))
        elif token.nesting:
            self._pair(token, _PAIRS[token.type.partition("_")[0]], (start, end))
        elif token.type == "html_inline":
            self._html((start, end))
        elif token.type == "image":
            self._image(token, (start, end))
        elif token.type == "code_inline":
            self._code(token, (start, end))
        elif token.type == "template":
            self._template((start, end))
        elif token.type == "role":
            self._word(self.block.text[start:end])
        else:
            name = "br" if token.type == "hardbreak" else f"#{token.type}"
            self._alone(name, (start, end))

    def finish(self) -> None:
        """Set the passage of the node."""
        self._leave_alone(0)
        text = self._without_inner_spaces("".join(self.parts))
        lead = len(text) - len(text.lstrip())
        size = len(text.strip())
        self.node.children = tuple(self.children)
        if not size:
            return
        self.node.markups = numbered(self.markups)
        self.node.start, self.node.end = self._edges()
        self.node.words = tuple(self.words)
        inside = {
            tag: (min(max(start - lead, 0), size), min(max(end - lead, 0), size))
            for tag, (start, end) in self.ranges.items()
        }
        marks = tuple(Mark(*place, tag) for tag, place in sorted(inside.items()))
        kept = [(max(s - lead, 0), min(e - lead, size)) for s, e in self.kept]
        text = text.strip()
        breaks = tuple(p - lead for p in self.breaks if lead < p < lead + size)
        parts = kept_parts(text, [k for k in kept if k[0] < k[1]], breaks, inside.values())
        self.node.passage = Passage(text, marks, parts, breaks)

    def _without_inner_spaces(self, text: str) -> str:
        """The text without spaces at the inner ends of marks, where no word is outside.

        These spaces belong to the tags: in `a <b> c </b> d` the model reads `a c d`.
        """
        cuts = list[Range]()
        for tag, (start, end) in self.ranges.items():
            markup, source = self.markups[tag], self.block.text
            if markup.closing is None or start == end:
                continue
            first = start + _spaces_at(text, start, end)
            if first > start and not text[start - 1 : start].isalnum():
                after = markup.opening[1]
                if source[after : after + first - start].isspace():
                    markup.opening = markup.opening[0], after + first - start
                    cuts.append((start, first))
            last = end - _spaces_before(text, first, end)
            if last < end and not text[end : end + 1].isalnum():
                before = markup.closing[0] - (end - last)
                if source[before : markup.closing[0]].isspace():
                    markup.closing = before, markup.closing[1]
                    cuts.append((last, end))
        return self._without(text, sorted(cuts)) if cuts else text

    def _without(self, text: str, cuts: Sequence[Range]) -> str:
        """The text without some ranges; the ranges of marks and kept parts follow."""
        places, parts, place, length = list[int](), list[str](), 0, 0
        for start, end in (*cuts, (len(text), len(text))):
            parts.append(text[place:start])
            places += range(length, length + start - place)
            length += start - place
            places += [length] * (end - start)
            place = end
        places.append(length)
        self.ranges = {tag: [places[p] for p in r] for tag, r in self.ranges.items()}
        self.kept = [(places[a], places[b]) for a, b in self.kept]
        return "".join(parts)

    def _edges(self) -> Range:
        """Range of the passage, without outer whitespace."""
        start, end, source = self.first or 0, self.last, self.block.text
        while start < end and source[start].isspace():
            start += 1
        while end > start and source[end - 1].isspace():
            end -= 1
        return start, end

    def _append(self, text: str, keep: bool = False) -> None:
        if text[:1] == " " and self.length == self.alone_at and self.parts[-1][-1:] == " ":
            text = text.lstrip(" ")  # the space on the other side is enough for the model
        if keep and text:
            self.kept.append((self.length, self.length + len(text)))
        self.parts.append(text)
        self.length += len(text)

    def _template(self, place: Range) -> None:
        """Add a template tag: around the text that it prints, as a word, or standalone."""
        printed = printed_range(self.block.text, *place)
        values = list(tag_values(self.block.text, *place, printed))
        self.children += values
        if printed:
            self._printed(place, printed)
        elif (pair := paired_name(self.block.text, *place)) and not pair.startswith("/"):
            self._html_start(pair, place)
        elif pair:
            self._html_end(pair[1:], place)
        elif not values and is_word(self.block.text, *place):
            self._word(self.block.text[slice(*place)])
        else:
            self._alone("#template", place)

    def _word(self, tag: str) -> None:
        self._append(tag, keep=True)
        self.words[tag] = None

    def _printed(self, place: Range, printed: Range) -> None:
        tag = self._new(PRINTED, (place[0], printed[0]), (printed[1], place[1]))
        self._append(self.block.text[slice(*printed)])
        self.ranges[tag][1] = self.length

    def _text(self, token: Token, place: Range) -> None:
        if token.type == "softbreak":
            self._append("\n")
        elif token.type == "text_special":
            self._append(token.content)
        elif token.type == "value":
            if printed := printed_range(self.block.text, *place):
                self._printed(place, printed)
                return
            self._append(self.block.text[slice(*place)], keep=True)
        elif token.content:
            auto = bool(self.open) and self.markups[self.open[-1]].name == "auto"
            self._append(self.block.text[slice(*place)], keep=auto)

    def _new(self, name: str, opening: Range, closing: Range | None, html: bool = False) -> int:
        tag = len(self.ranges)
        parent = self.open[-1] if self.open else None
        self.markups[tag] = Markup(name, opening, closing, parent, html)
        self.ranges[tag] = [self.length, self.length]
        return tag

    def _alone(self, name: str, place: Range, html: bool = False) -> None:
        self._new(name, place, None, html)
        self.breaks += [self.length] if name == "br" else []
        self.alone_at = self.length if self.length else -1

    def _pair(self, token: Token, name: str, place: Range) -> None:
        if token.nesting > 0:
            self.open.append(self._new("auto" if token.info == "auto" else name, place, place))
            return
        depth = len(self.open) - 1
        while self.markups[self.open[depth]].html:
            depth -= 1
        self._leave_alone(depth + 1)
        tag = self.open.pop()
        self._close(tag, place)
        if name == "a" and token.info != "auto":
            self.children += link_titles(self.block, place)

    def _close(self, tag: int, place: Range) -> None:
        self.markups[tag].closing = place
        self.ranges[tag][1] = self.length

    def _leave_alone(self, depth: int) -> None:
        """Make unclosed HTML tags, from a depth on, standalone."""
        for tag in self.open[depth:]:
            markup = self.markups[tag]
            markup.closing, markup.name = None, f"#<{markup.name}"
        del self.open[depth:]

    def _html(self, place: Range) -> None:
        source = self.block.text[slice(*place)]
        named = _NAME.match(source)
        name = named[2].lower() if named else "!"
        if "=" in source and named and not named[1]:
            self._attributes(name, place)
        if not named or name in _VOID or source.endswith("/>"):
            self._alone("br" if name == "br" else f"#<{name}", place, html=True)
        elif named[1]:
            self._html_end(name, place)
        else:
            self._html_start(name, place)

    def _html_start(self, name: str, place: Range) -> None:
        if len(self.open) < _MAX_OPEN_TAGS:
            self.open.append(self._new(name, place, place, html=True))
        else:
            self._html_end(name, place)

    def _attributes(self, name: str, place: Range) -> None:
        """Add readable attributes of a tag as passages."""
        if not is_left_alone(self.block.text, *place, name):
            places = tag_places(self.block.hidden, *place, name)
            self.children += [
                PassageNode("html", p.start, p.end, p.passage, place=p) for p in places
            ]

    def _html_end(self, name: str, place: Range) -> None:
        depth = len(self.open) - 1
        while depth >= 0 and self.markups[self.open[depth]].html:
            if self.markups[self.open[depth]].name == name:
                self._leave_alone(depth + 1)
                tag = self.open.pop()
                self._close(tag, place)
                opening = self.markups[tag].opening
                code = name in _CODE and not _DEMO.match(self.block.text, *opening)
                if code or is_left_alone(self.block.text, *opening, name):
                    self.kept.append((self.ranges[tag][0], self.length))
                return
            depth -= 1
        self._alone(f"#</{name}", place, html=True)

    def _code(self, token: Token, place: Range) -> None:
        ticks = len(token.markup)
        inner = self.block.text[place[0] + ticks : place[1] - ticks].replace("\n", " ")
        if inner[0] == inner[-1] == " " and inner.strip(" "):
            inner = inner[1:-1]
        if not inner.strip(" "):
            self._alone("#code", place)
            return
        tag = self._new("code", (place[0], place[0] + ticks), (place[1] - ticks, place[1]))
        self._append(inner, keep=True)
        self.ranges[tag][1] = self.length

    def _image(self, token: Token, place: Range) -> None:
        self._alone("img", place)
        start = place[0] + 2
        end = start + len(token.content)
        alt = read_node(self.block, token.children or [], "alt", start, end)
        tail = self.block.text[end : place[1]]
        if tail in ("]", "][]"):
            alt.label = " ".join(self.block.text[start:end].split())
            alt.start, alt.end = start, end + len(tail) - 1
        self.children.append(alt)
        self.children += link_titles(self.block, (end, place[1]))
