"""Writing new passages as LaTeX: escaped text, with the commands of the file at the marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from longways.formats.base import Passage
from longways.formats.latex.characters import escaped
from longways.formats.nested.nodes import Node
from longways.formats.nested.writer import NestedWriter, Places, found_words, places_of
from longways.formats.resources.tags import Markup, in_order
from longways.text.sentences.languages import has_spaces

_ENDS_WITH_NAME = re.compile(r"\\[A-Za-z@]+\*?$")
_MAX_NAME = 60
_LITERAL = re.compile(r"\\(?:verb(?![A-Za-z])|href|url|nolinkurl|path)")
_ENDS = {"paragraph": "", "text": "", "option": "]", "value": ",]="}
"""Signs that would end a text in its place."""
_BARE = re.compile(r"(?<!\\)[%#]")


@dataclass(frozen=True)
class Style:
    """How new passages are written."""

    can_encode: Callable[[str], bool]
    language: str
    line_end: str
    bilingual: bool


class LatexWriter(NestedWriter):
    """Writes a file with new passages."""

    def __init__(self, text: str, new: Mapping[int, Passage], style: Style) -> None:
        """`new` has the new passages by the `id` of their nodes."""
        super().__init__(text, new)
        self.style = style
        self._unescaped = "" if has_spaces(style.language) else "“”‘’…—"  # noqa: RUF001

    def written(self, node: Node, new: Passage) -> str:
        """The new passage, with the original below or beside it if bilingual."""
        written = self._passage(node, new)
        if self.style.bilingual:
            both = self.style.line_end * 2 if node.place == "paragraph" else " / "
            written += both + self._passage(node, node.passage, alone=False)
        if any(sign in written for sign in _ENDS[node.place]):
            written = f"{{{written}}}"
        if written[:1] in ("[", "*"):
            written = f"{{{written[0]}}}{written[1:]}"
        name = _ENDS_WITH_NAME.search(self.text, max(node.start - _MAX_NAME, 0), node.start)
        return f" {written}" if name and written[:1].isalpha() else written

    def _passage(self, node: Node, passage: Passage, *, alone: bool = True) -> str:
        """A passage with its marks; without items between words if not `alone`."""
        markup = [self._markup(node, tag, alone) for tag in range(len(node.items))]
        out, places = _Output(self.style.line_end), places_of(node)
        opens, depth = {one.open for one in markup if one.close}, [0]
        for text, kind in in_order(passage, markup):
            if kind == "text":
                for part, is_word in self._words(text, node, places):
                    part = self._in_argument(part, depth[-1], node) if is_word else part
                    out.word(part) if is_word else out.text(part)
            elif kind == "break":
                out.comment(text)
            elif text:
                if text[0] == "}" and len(depth) > 1:
                    depth.pop()
                out.command(self._in_argument(text, depth[-1], node))
                if text in opens:
                    depth.append(depth[-1] + (text[0] != "{"))
        for word in node.words if alone else ():
            if word not in passage.text:
                out.text(" ")
                out.word(self.raw(node, word, places))
        return out.finish(self.text[node.end : node.end + 1])

    def _markup(self, node: Node, tag: int, alone: bool) -> Markup:
        item = node.items[tag]
        if not alone and not item.is_pair:
            return Markup("", "", item.parent)
        inside = [self.cut(node, one) for one in (item.open, item.close)]
        if item.is_comment and self.text[item.open[0] - 1 : item.open[0]] in ("\n", "\r"):
            inside[0] = self.style.line_end + inside[0]
        return Markup(inside[0], inside[1], item.parent, is_break=item.is_comment)

    def _in_argument(self, raw: str, depth: int, node: Node) -> str:
        r"""A word or markup, without what TeX does not read in an argument: `\verb`, a bare `%`."""
        if not depth or not _LITERAL.match(raw):
            return raw
        pairs = (item for item in node.items if item.is_pair)
        if any(raw in self.text[item.open[1] : item.close[0]] for item in pairs):
            return raw  # it was in an argument, where its command can read it
        if raw.startswith("\\verb"):
            code = self._escaped(raw.removeprefix("\\verb").lstrip("*")[1:-1])
            return f"\\texttt{{{code}}}"
        return _BARE.sub(r"\\\g<0>", raw)

    def _words(self, text: str, node: Node, places: Places) -> Iterator[tuple[str, bool]]:
        """The parts of a new text: escaped, and commands and formulas as they are."""
        place = 0
        for start, end in found_words(text, node.words):
            before, word = text[place:start], text[start:end]
            if word in node.tied and before.endswith(" "):
                before = before.rstrip(" ") + "\u00a0"
            yield self._escaped(before), False
            yield self.raw(node, word, places), True
            place = end
        yield self._escaped(text[place:]), False

    def _escaped(self, text: str) -> str:
        return escaped(text, self.style.can_encode, raw=self._unescaped)


class _Output:
    """Parts of a passage; names of commands do not run into the letters after them."""

    def __init__(self, line_end: str) -> None:
        self.line_end, self.parts = line_end, list[str]()
        self._name, self._comment = "", False

    def text(self, text: str) -> None:
        """Add escaped text."""
        if not text:
            return
        if self._name == "word" and (text[0].isalpha() or text[0] in " ~["):
            self.parts.append("{}")
        elif self._name and text[0].isalpha():
            self.parts.append(" ")
        if self._comment and text[0] == " ":
            self._space_before_comment()
            text = text.lstrip(" ")
        self._add(text, "")

    def word(self, raw: str) -> None:
        """Add a command or formula that is a word."""
        self._next(raw)
        self._add(raw, "word" if _ends_with_name(raw) else "")

    def command(self, raw: str) -> None:
        """Add markup."""
        self._next(raw)
        self._add(raw, "command" if _ends_with_name(raw) else "")

    def comment(self, raw: str) -> None:
        """Add a comment, which ends its line."""
        if raw[:1] in "\r\n" and (not self.parts or self.parts[-1][-1:] in "\r\n"):
            raw = raw.lstrip("\r\n")
        self._add(raw if raw[-1:] in "\r\n\t " else raw + self.line_end, "")
        self._comment = True

    def finish(self, following: str) -> str:
        """The whole passage."""
        if self._name == "word" and following.isalpha():
            self.parts.append("{}")
        return "".join(self.parts)

    def _next(self, raw: str) -> None:
        if self._name and raw[:1].isalpha():
            self.parts.append(" ")
        elif self._name == "word" and raw[:1] in ("{", "["):
            self.parts.append("{}")

    def _space_before_comment(self) -> None:
        if len(self.parts) > 1 and not self.parts[-2][-1:].isspace() and self.parts[-1][0] == "%":
            self.parts[-1] = " " + self.parts[-1]

    def _add(self, part: str, name: str) -> None:
        if part:
            self.parts.append(part)
            self._name, self._comment = name, False


def _ends_with_name(raw: str) -> bool:
    return bool(_ENDS_WITH_NAME.search(raw, max(len(raw) - _MAX_NAME, 0)))
