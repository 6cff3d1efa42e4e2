"""HTML blocks in Markdown, read and written like HTML files."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from longways.formats.base import Passage
from longways.formats.html.elements import BLOCKS
from longways.formats.html.passages import find_places
from longways.formats.html.places import Place
from longways.formats.html.writer import Style, write_passage, write_value
from longways.formats.markdown.blocks import MarkdownBlock
from longways.formats.markdown.hidden.jsx import hide_braces
from longways.formats.markdown.hidden.masks import (
    HIDDEN,
    IS_MASKED,
    TAG,
    TAG_CONTINUATION,
    VALUE,
    covered,
)
from longways.formats.markdown.inline import SIGN, is_left_alone, tag_places
from longways.formats.markdown.nodes import PassageNode
from longways.formats.markdown.sequence import clean
from longways.formats.markdown.values import is_word, tag_values
from longways.formats.markdown.writer import Edits, spliced
from longways.formats.placeholders import Range, kept_parts

_INLINE = rf"(?!(?i:{'|'.join(BLOCKS)})\b)[A-Za-z][\w.-]*"
"""Name of an inline or unknown element."""

_RAW_ENDS = "/(?:pre|script|style|textarea)"
_TAG_LINE = re.compile(rf"(<(/?{_INLINE}|{_RAW_ENDS})(?:\s[^<>]*)?>)[^\S\n]*\n")
_END_TAG_LINE = re.compile(rf"\n[ \t]*</{_INLINE}[ \t]*>\s*\Z")

_CODE = re.compile(r"=\s*\{|(?:\)|\b[A-Za-z_$][\w$]*)\s*=>\s*[\w({\[<'\"`]|\{[`/(]")
"""Syntax of code in HTML, as in MDX."""
_COMPONENT = re.compile(r"<[A-Z][\w.]*[\s/>]|=[\ufdd2]")
"""What only MDX has."""
_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)[^`\n]+\1(?!`)")
"""Code that MDX reads between tags."""
_STANDING = "</z>"
"""An end tag without a start tag, a standalone item in HTML; longer tags have a longer name."""
_IN_TAG = re.compile(r"""</?[A-Za-z][^<>"']*(?:(?:"[^"]*"|'[^']*')[^<>"']*)*>""")
_FENCED = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}|~{3,})[^\n`]*\n.*?^[ \t>]*(?P=fence)[ \t]*$", re.DOTALL | re.MULTILINE
)
"""Fenced code, which is code for MDX and for readers, though not for CommonMark."""
_LETTER = re.compile(r"[^\W\d_]")


def html_node(block: MarkdownBlock) -> PassageNode:
    """Passages of an HTML block; values in tags are children of the text that contains the tag."""
    root = PassageNode("block", 0, len(block.text), children=(children := list[PassageNode]()))
    around, inside = root, list[PassageNode]()
    for node in sorted(_nodes(block), key=lambda node: node.start):
        if around.passage and node.start < around.end:
            inside.append(node)
            around.children = inside
        else:
            children.append(node)
            around, inside = node, []
    return root


def _nodes(block: MarkdownBlock) -> Iterator[PassageNode]:
    """The passages of a block, each with its place, and the values in its template tags."""
    hidden = _FENCED.sub(_as_rule, block.hidden)
    if _COMPONENT.search(hidden):
        hidden = hide_braces(_CODE_SPAN.sub(_as_value, hidden))
    if _CODE.search(hidden):
        return
    values = list[PassageNode]()
    if TAG in hidden:
        hidden, values = _with_standing(block.text, hidden)
    for place in _places(hidden):
        shown = _shown(place, block.text, hidden)
        if shown:
            place, start, end = replace(place, passage=shown[0]), place.start, place.end
            yield PassageNode("html", start, end, shown[0], words=shown[1], place=place)
    yield from values


def _as_value(code: re.Match[str]) -> str:
    return covered(code[0], VALUE)


def _as_rule(code: re.Match[str]) -> str:
    """A thematic break of the same length, which ends the text before it."""
    return f"<hr{' ' * (len(code[0]) - len('<hr>'))}>"


def _with_standing(text: str, hidden: str) -> tuple[str, list[PassageNode]]:
    """Masked text with end tags for template tags that are no words, and the values of all."""
    inside = [match.span() for match in _IN_TAG.finditer(hidden) if TAG in match[0]]
    parts, values, place = list[str](), list[PassageNode](), 0
    for match in HIDDEN.finditer(hidden):
        start, end = match.span()
        if not match["tag"] or end - start < len(_STANDING):
            continue
        found = list(tag_values(text, start, end))
        values += found
        within = bisect_right(inside, (start, end)) - 1
        in_tag = within >= 0 and start < inside[within][1]
        if not in_tag and (found or not is_word(text, start, end)):
            name = TAG_CONTINUATION * (end - start - len(_STANDING))
            parts += hidden[place:start], _STANDING[:-1], name, _STANDING[-1:]
            place = end
    return "".join([*parts, hidden[place:]]), values


def _shown(place: Place, text: str, hidden: str) -> tuple[Passage, tuple[str, ...]] | None:
    """The passage of a place with template tags in place of masks, and these tags."""
    if not IS_MASKED.search(place.passage.text):
        return place.passage, ()
    own = list[str]()
    for start, end in _between_tags(place):
        own += (text[m.start()] for m in IS_MASKED.finditer(hidden, start, end))
    old = place.passage
    if len(own) != len(IS_MASKED.findall(old.text)) or not _LETTER.search(old.text):
        return None
    chars = iter(own)
    new = IS_MASKED.sub(lambda _: next(chars), old.text)
    kept = [match.span() for match in HIDDEN.finditer(old.text)]
    words = tuple(dict.fromkeys(new[start:end] for start, end in kept))
    return Passage(
        new, old.marks, kept_parts(new, [*old.keep, *kept], old.breaks), old.breaks
    ), words


def _between_tags(place: Place) -> Iterator[Range]:
    """The ranges of a place outside of its tags."""
    tags = [(tag.start, tag.end) for tag in place.tags]
    start = place.start
    for begin, end in sorted([*tags, *(tag.closing for tag in place.tags if tag.closing)]):
        yield start, begin
        start = end
    yield start, place.end


def _places(text: str) -> list[Place]:
    """Places of passages, if new text cannot change how the block begins.

    A tag alone on the first line, or on the last, must keep its line.
    """
    first, last = _TAG_LINE.match(text), _END_TAG_LINE.search(text)
    start, end = first.end() if first else 0, last.start() if last else len(text)
    opens = first and not first[2].startswith("/")
    tag = (text, 0, first.end(1), first[2].lower()) if first and opens else None
    if tag and is_left_alone(*tag):
        return []
    inner = " " * start + text[start:end] + " " * (len(text) - end)
    found = [p for p in find_places(inner, "").places if p.quote or p.kind != "value"]
    if found and found[0].start == 0:
        return []
    return [*(tag_places(*tag) if tag else ()), *found]


def write_html(
    block: MarkdownBlock, node: PassageNode, new: Passage, edits: Edits, *, both: bool
) -> str:
    """A new passage as HTML on one line, with edits of the tags within it.

    With `both`, the original text follows.
    """
    place, style = node.place, Style(xml=False, bilingual=False, source_language="")
    assert place  # every HTML node has a place
    text = f"{new.text} / {place.passage.text}" if both else new.text
    text, own = _masked(clean(text).replace("\n", " "), node.words)
    new = Passage(text, new.marks)
    if place.kind == "value":
        return _restored(write_value(place, new, style), own)
    return "".join(
        _restored(fragment, own)
        if isinstance(fragment, str)
        else spliced(block.text, *fragment, edits)
        for fragment in write_passage(place, new, style)
    )


def _restored(written: str, own: Iterator[str]) -> str:
    """New text with signs of Markdown as references, and with template tags in place of masks."""
    return IS_MASKED.sub(lambda _: next(own), SIGN.sub(_as_number, written))


def _masked(text: str, words: tuple[str, ...]) -> tuple[str, Iterator[str]]:
    """A text with masks in place of template tags, and all their characters."""
    if not words:
        return text, iter(())
    pattern = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))))
    masked = pattern.sub(lambda match: VALUE * len(match[0]), text)
    return masked, chain.from_iterable(pattern.findall(text))


def _as_number(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"
