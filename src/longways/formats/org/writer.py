"""Writing new passages as Org: with the markup of the file, and nothing that Org reads as markup.

A zero-width space, which Org takes for a space, is written where emphasis would touch a letter, and
inside of what would be read as markup that it is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from longways.formats.base import Passage
from longways.formats.nested.nodes import Node
from longways.formats.nested.writer import NestedWriter, Places, found_words, places_of
from longways.formats.org.inline import AFTER, BEFORE, OBJECT, ZERO_WIDTH_SPACE
from longways.formats.resources.tags import Markup, in_order

_NOT_TEXT = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*|[\0-\x08\x0e-\x1b\x7f]")
_STRUCTURE = re.compile(
    r"""[ ]*(?: \*+[ ] | \#(?:[ +]|\Z) | :(?:[ ]|\Z|[\w-]+:\Z) | [-+](?:[ ]|\Z) | \d+[.)](?:[ ]|\Z)
    | [A-Za-z][.)](?:[ ]|\Z) | \| | \+- | -{5,}\Z | \[fn: | \\begin\{ | %%\( | \[[ X-]\][ ] | \[@
    | (?:CLOSED|DEADLINE|SCHEDULED|CLOCK): )""",
    re.VERBOSE,
)
"""What a line would not begin with if it were text."""
_TASK = re.compile(r"(?:[A-Z]{2,}|\[#)(?=[ \]]|\w\])")
_OPENING = re.compile(r"\\(?=[(\[])|\[(?=\[|fn:|cite[:/])|\{(?=\{\{)|@(?=@)|<(?=<)")
"""The first sign of markup that has an end, which may be behind a mark or a word."""
MAX_PASSES = 12
"""A text without one sign of markup may have another one inside of it; more are not searched."""
_MARKUP = frozenset("*/_+")
_BAD_BEFORE, _BAD_AFTER = re.compile(rf"[^{BEFORE}]\Z"), re.compile(rf"[^{AFTER}]")


class OrgWriter(NestedWriter):
    """Writes a file with new passages."""

    def __init__(
        self, text: str, new: Mapping[int, Passage], titles: Mapping[str, str], line_end: str, *,
        bilingual: bool,
    ) -> None:  # fmt: skip
        """`titles` are the new titles of headlines, by the old ones, for the links to them."""
        super().__init__(text, new)
        self.titles, self.line_end, self.bilingual = titles, line_end, bilingual

    def written(self, node: Node, new: Passage) -> str:
        """The new passage, with the original below or beside it if bilingual."""
        written = self._passage(node, new)
        if self.bilingual:
            written += self._between(node) + self._passage(node, node.passage, alone=False)
        return self._in_place(node, written)

    def _between(self, node: Node) -> str:
        """What separates a new paragraph from the original: an empty line and an indentation."""
        begun = self.text.rfind("\n", 0, node.start) + 1
        before = self.text[begun : node.start]
        if node.place != "paragraph" or before.strip().endswith("::"):
            return " / "
        indent = "" if before.startswith("[fn:") else re.sub(r"\S", " ", before)
        return self.line_end * 2 + indent

    def _in_place(self, node: Node, written: str) -> str:
        """A new text that is read as what it was: no item, no headline, no further cell."""
        zero = ZERO_WIDTH_SPACE
        if node.place == "headline" and (_TASK.match(written) or written.startswith("COMMENT")):
            written = zero + written
        if node.place == "headline" and re.search(r":[\w@#%:]+:\Z", written):
            written += zero
        if node.place == "paragraph" and _STRUCTURE.match(written):
            written = zero + written
        if node.place in ("paragraph", "term"):
            written = re.sub(r"(?<=\s)::(?=\s|\Z)", f":{zero}:", written)
        if node.place == "cell":
            return self._cell(node, written)
        if node.place == "value":
            return re.sub(
                r"(?<=\s):(?=\w)", f"{zero}:", written.replace('"', "'").replace("]", ")")
            )
        return written

    def _cell(self, node: Node, written: str) -> str:
        written = written.replace("|", "\\vert{}")
        if re.match(r"-|:?=|<[lrc]?\d*>\Z|[/!^_$#*]\Z", written):
            touches = self.text[node.start - 1 : node.start] == "|"
            return f" {written}" if touches and written[0] == "-" else ZERO_WIDTH_SPACE + written
        return written

    def _passage(self, node: Node, passage: Passage, *, alone: bool = True) -> str:
        """A passage with its marks; without items between words if not `alone`."""
        markup = [self._markup(node, tag, alone) for tag in range(len(node.items))]
        parts, places = list[_Part](), places_of(node)
        ends_early = node.place == "note" and not _is_balanced(passage.text)
        for text, kind in in_order(passage, markup):
            if kind == "text":
                parts += self._words(text, node, places, round_brackets=ends_early)
            elif text:
                parts.append(_Part(text, kind="markup"))
        for word in node.words if alone else ():
            if word not in passage.text:
                parts += [_Part(" "), _Part(self.raw(node, word, places), kind="word")]
        return _joined(_tight(parts), self.text[node.end : node.end + 1])

    def _markup(self, node: Node, tag: int, alone: bool) -> Markup:
        item = node.items[tag]
        if not alone and not item.is_pair:
            return Markup("", "", item.parent)
        opening, closing = (self.cut(node, one) for one in (item.open, item.close))
        return Markup(self._pointed(opening), closing, item.parent)

    def raw(self, node: Node, word: str, places: Places) -> str:
        """A word of the file; a link to a headline has its new title."""
        return self._pointed(super().raw(node, word, places))

    def _pointed(self, raw: str) -> str:
        """The beginning of a link, to the new title of a headline."""
        if not raw.startswith("[["):
            return raw
        target = raw[2:].partition("]")[0]
        new = self.titles.get(target.removeprefix("*"))
        star = "*" * target.startswith("*")
        return f"[[{star}{new}{raw[2 + len(target) :]}" if new else raw

    def _words(self, text: str, node: Node, places: Places, **plain: bool) -> Iterator[_Part]:
        place = 0
        for start, end in found_words(text, node.words):
            yield _Part(self._plain(text[place:start], **plain))
            yield _Part(self.raw(node, text[start:end], places), kind="word")
            place = end
        yield _Part(self._plain(text[place:], **plain))

    def _plain(self, text: str, *, round_brackets: bool) -> str:
        """New text, in which nothing is markup."""
        text = _NOT_TEXT.sub(" ", text)
        if round_brackets:
            text = text.translate(_ROUND)
        text = _OPENING.sub(rf"\g<0>{ZERO_WIDTH_SPACE}", text)
        for _ in range(MAX_PASSES):
            before, text = text, OBJECT.sub(_not_markup, text)
            if text == before:
                break
        return text


class _Part:
    """Some text of a new passage: plain, markup, or a word that stays."""

    def __init__(self, text: str, kind: str = "text") -> None:
        self.text, self.kind = text, kind

    @property
    def is_emphasis(self) -> bool:
        """Whether it is one end of emphasis, or code."""
        return self.text in _MARKUP if self.kind == "markup" else self.text[:1] in ("=", "~")


_ROUND = {ord("["): "(", ord("]"): ")"}


def _is_balanced(text: str) -> bool:
    """Whether every bracket of a note has its other one."""
    depth = 0
    for sign in re.findall(r"[\[\]]", text):
        depth += 1 if sign == "[" else -1
        if depth < 0:
            return False
    return not depth


def _not_markup(found: re.Match[str]) -> str:
    """What looks like markup, with a zero-width space inside; spaces and line ends stay."""
    if found["space"] is not None:
        return found[0]
    return found[0][0] + ZERO_WIDTH_SPACE + found[0][1:]


def _tight(parts: list[_Part]) -> list[_Part]:
    """Parts in which spaces are outside of emphasis, and no emphasis is empty."""
    opened, kept = list[int](), list[_Part]()
    for part in parts:
        if part.kind == "text" and not part.text:
            continue
        if part.kind == "markup" and part.text in _MARKUP:
            if opened and kept[opened[-1]].text == part.text:
                _close(kept, opened.pop(), part)
                continue
            opened.append(len(kept))
        kept.append(part)
    return kept


def _close(kept: list[_Part], start: int, end: _Part) -> None:
    """End emphasis: move its outer spaces out; without words, remove it."""
    inside = kept[start + 1 :]
    before = after = ""
    if inside and inside[0].kind == "text":
        before = inside[0].text[: len(inside[0].text) - len(inside[0].text.lstrip(" "))]
        inside[0] = _Part(inside[0].text.lstrip(" "))
    if inside and inside[-1].kind == "text":
        after = inside[-1].text[len(inside[-1].text.rstrip(" ")) :]
        inside[-1] = _Part(inside[-1].text.rstrip(" "))
    inside = [part for part in inside if part.text]
    marks = [kept[start], *inside, end] if inside else []
    kept[start:] = [part for part in (_Part(before), *marks, _Part(after)) if part.text]


def _joined(parts: list[_Part], following: str) -> str:
    """The text of all parts, with a zero-width space where emphasis would touch a letter."""
    written, opened = list[str](), list[str]()
    for number, part in enumerate(parts):
        before = written[-1][-1:] if written else ""
        after = parts[number + 1].text[:1] if number + 1 < len(parts) else following
        begins = ends = part.kind == "word" and part.is_emphasis
        if part.kind == "markup" and part.text in _MARKUP:
            ends = bool(opened) and opened[-1] == part.text
            begins = not ends
            if ends:
                opened.pop()
        if begins and _BAD_BEFORE.search(before) and not _opens(parts, number - 1, opened):
            written.append(ZERO_WIDTH_SPACE)
        written.append(part.text)
        if part.kind == "markup" and part.text in _MARKUP and begins:
            opened.append(part.text)
        if ends and _BAD_AFTER.match(after) and after not in opened:
            written.append(ZERO_WIDTH_SPACE)
    return "".join(written)


def _opens(parts: list[_Part], number: int, opened: list[str]) -> bool:
    """Whether a part opens the innermost emphasis, which may begin with other emphasis."""
    return bool(opened) and parts[number].kind == "markup" and parts[number].text == opened[-1]
