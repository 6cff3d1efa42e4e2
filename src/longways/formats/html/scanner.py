"""HTML scanner: tokens with exact positions, as in a browser; it never fails.

The tokens are contiguous and cover the whole text. Time is linear in the length of the text. There
is no DTD processing: entities declared in the file are never expanded.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from longways.formats.html.elements import (
    BLOCKS,
    BREAKS_OUT,
    ESCAPABLE,
    HOLDS_HTML,
    ISLANDS,
    RAW,
    VOID,
)
from longways.formats.html.references import unknown_references
from longways.formats.html.tokens import Kind, Token

_S = r"[\t\n\f\r ]"
_MARKUP = re.compile(r"<(?=[A-Za-z!?]|/.)", re.DOTALL)
_NAME = re.compile(r"</?[^\t\n\f\r />]+")
_TAG = re.compile(
    rf"""
    <(/?+) ([^\t\n\f\r />]++)
    (?: {_S}++ | / (?!>)
      | [^\t\n\f\r />] [^\t\n\f\r />=]*+
        (?: {_S}*+ = {_S}*+
          (?: "[^"]*+(?:"|\Z) | '[^']*+(?:'|\Z) | [^\t\n\f\r >"'][^\t\n\f\r >]*+ )?+
        )?+
    )*+ (/?+)>
    """,
    re.VERBOSE,
)
_COMMENT_END = re.compile("--!?>")
_SUBSET = re.compile(r"<!doctype[^>\[]*+\[", re.IGNORECASE)
_SUBSET_END = re.compile(r"\]\s*+>")
_RAW_END = {name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE) for name in RAW}
_IN_SCRIPT = re.compile(r"(<!--)|(-->)|<(/?)script(?=[\t\n\f\r />])", re.IGNORECASE)
_WHOLE = ISLANDS | RAW
"""Elements without inner tags that belong to the page."""


class Scanner:
    """Cuts a text into tokens."""

    def __init__(self, text: str, *, xml: bool = False) -> None:
        self.text, self.xml = text, xml
        self.unended: list[tuple[int, str]] = []
        """Offset and description of each construct that is never closed."""
        self.broken = set[int]()
        """Offsets of drawings and formulas that end because other HTML begins."""
        self._place, self._is_typed = 0, False

    def tokens(self) -> Iterator[Token]:
        """Yield the tokens of the whole text, in order."""
        while self._place < len(self.text):
            found = _MARKUP.search(self.text, self._place)
            end = found.start() if found else len(self.text)
            if end > self._place:
                yield from self._text(end)
            if found:
                token = self._markup()
                if token.kind == "start" and token.name in _WHOLE and not self._is_empty(token):
                    yield from self._island(token) if token.name in ISLANDS else self._raw(token)
                else:
                    yield token

    def _is_empty(self, tag: Token) -> bool:
        """Whether the slash in a start tag is also its end."""
        return tag.closed and (self.xml or tag.name not in RAW)

    def _take(self, kind: Kind, end: int, name: str = "", closed: bool = False) -> Token:
        """Make the next token, up to `end`."""
        start, self._place = self._place, end
        return Token(kind, start, end, name, closed)

    def _text(self, end: int) -> Iterator[Token]:
        """Text up to `end`. In XML, references that need a DTD become tokens of their own."""
        if self.xml:
            for start, stop in unknown_references(self.text, self._place, end):
                if start > self._place:
                    yield self._take("text", start)
                yield self._take("other", stop)
        if end > self._place:
            yield self._take("text", end)

    def _markup(self, *, foreign: bool = False) -> Token:
        """The markup token that begins with the `<` here."""
        text, start = self.text, self._place
        match text[start + 1]:
            case "/" if not (text[start + 2].isascii() and text[start + 2].isalpha()):
                return self._take("other", self._after(">", start, "an end tag"))
            case "?":
                closing = "?>" if self.xml or text.startswith(("<?php", "<?="), start) else ">"
                return self._take("other", self._after(closing, start, "an instruction"))
            case "!" if text.startswith("<!--", start):
                return self._comment()
            case "!" if text.startswith("<![CDATA[", start) and (self.xml or foreign):
                return self._take("literal", self._after("]]>", start, "a CDATA section"))
            case "!":
                return self._declaration()
        return self._tag()

    def _after(self, closing: str, start: int, what: str) -> int:
        """Offset after the closing string, or the end of the text."""
        found = self.text.find(closing, start)
        if found < 0:
            self.unended.append((start, what))
            return len(self.text)
        return found + len(closing)

    def _comment(self) -> Token:
        start = self._place
        for empty in ("<!-->", "<!--->"):
            if self.text.startswith(empty, start):
                return self._take("other", start + len(empty))
        found = _COMMENT_END.search(self.text, start + 4)
        if not found:
            self.unended.append((start, "a comment"))
        return self._take("other", found.end() if found else len(self.text))

    def _declaration(self) -> Token:
        """A document type with its declarations, or a bogus comment."""
        if self.text[self._place + 2 : self._place + 9].lower() != "doctype":
            return self._take("other", self._after(">", self._place, "a declaration"))
        end, is_first, self._is_typed = None, not self._is_typed, True
        if is_first and (subset := _SUBSET.match(self.text, self._place)):
            end = _SUBSET_END.search(self.text, subset.end())
        after = end.end() if end else self._after(">", self._place, "a document type")
        return self._take("doctype", after)

    def _tag(self) -> Token:
        found = _TAG.match(self.text, self._place)
        if not found:
            begun = _NAME.match(self.text, self._place)
            self.unended.append((self._place, f"the tag {begun[0] if begun else '<'}"))
            return self._take("other", len(self.text))
        slash, name, closed = found.groups()
        return self._take("end" if slash else "start", found.end(), name.lower(), bool(closed))

    def _raw(self, tag: Token) -> Iterator[Token]:
        """The start tag of a raw text element, and its content."""
        yield tag
        end = self._script_end() if tag.name == "script" else self._raw_end(tag.name)
        if end is None:
            self.unended.append((tag.start, f"<{tag.name}>"))
            end = len(self.text)
        if end > self._place:
            yield self._take("text" if tag.name in ESCAPABLE else "raw", end)

    def _raw_end(self, name: str) -> int | None:
        found = _RAW_END[name].search(self.text, self._place)
        return found.start() if found else None

    def _script_end(self) -> int | None:
        """End of a script; a script inside a comment inside the script does not end it."""
        commented = nested = False
        place = self._place
        while found := _IN_SCRIPT.search(self.text, place):
            place = found.end()
            if found[1]:
                commented, place = (
                    True,
                    place - 2,
                )  # the dashes may also end it, as in <!-->
            elif found[2]:
                commented = nested = False
            elif found[3] and not nested:
                return found.start()
            else:
                nested = commented and not found[3]
        return None

    def _island(self, root: Token) -> Iterator[Token]:
        """A whole drawing, formula or frame as one token."""
        if root.name == "iframe":
            list(self._raw(root))
            if self._place < len(self.text):
                self._tag()
        else:
            self._foreign(root)
        yield Token("island", root.start, self._place, root.name)

    def _foreign(self, root: Token) -> None:
        """Skip to the end of a drawing or formula, or to HTML that cannot be inside it."""
        inside = _Open(root.name)
        while inside.names:
            found = _MARKUP.search(self.text, self._place)
            if not found:
                self.unended.append((root.start, f"<{root.name}>"))
                self._place = len(self.text)
                return
            self._place = found.start()
            token = self._markup(foreign=True)
            if inside.ended_before(token):
                self.broken.add(root.start)
                self._place = token.start
                return
            inside.add(token)


class _Open:
    """Stack of open elements in a drawing or formula."""

    def __init__(self, root: str) -> None:
        self.names, self.counts = [root], Counter([root])
        self.html = 0
        """Number of open elements that may contain HTML."""

    def ended_before(self, token: Token) -> bool:
        """Whether this tag cannot be inside, so that the drawing ends before it."""
        if self.html or token.kind not in ("start", "end"):
            return False
        if token.kind == "start":
            return token.name in BREAKS_OUT
        return token.name in BLOCKS and not self.counts[token.name]

    def add(self, token: Token) -> None:
        if token.kind == "start" and not token.closed and token.name not in VOID:
            self.names.append(token.name)
            self.counts[token.name] += 1
            self.html += token.name in HOLDS_HTML
        elif token.kind == "end" and self.counts[token.name]:
            while self._pop() != token.name:
                pass

    def _pop(self) -> str:
        name = self.names.pop()
        self.counts[name] -= 1
        self.html -= name in HOLDS_HTML
        return name
