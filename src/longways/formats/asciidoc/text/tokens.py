"""Inline markup of AsciiDoc: formatted text, links, macros, references, passthroughs.

Asciidoctor replaces markup by one pattern after the other and keeps no places, so the markup is
found here from left to right, with its patterns. A constrained sign (`*bold*`) stands between
characters that belong to no word; an unconstrained one (`**bold**`) stands anywhere. Time is
linear: an end that is missing once is not searched again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["pair", "code", "word", "alone", "escaped"]
"""`pair` and `code` are around text, `word` stands for a word of the text, `alone` for no text."""


@dataclass(frozen=True, slots=True)
class Token:
    """Markup and its place: `text[start:end]`, around `text[first:last]` if it has text."""

    kind: Kind
    name: str
    start: int
    end: int
    first: int = 0
    last: int = 0
    holes: tuple[tuple[int, int], ...] = ()
    """The texts inside of standalone markup, as of a footnote."""


_SIGN = re.compile(
    r"""\\ | \{ | \$\$ | \+ | (?:\[[^\[\]\n]*\])? (?: \*\*? | __? | ``? | \#\#? ) | \^ | ~ | ["']`
      | << | \(\( | \[\[ | (?:(?<=[\s<>()\[\];"'])|\A)(?:https?|ftp|irc|file)://
      | (?:link|xref|footnote|footnoteref|image|icon|kbd|btn|menu|stem|pass|indexterm2?):(?=[^\s:])
      | (?<![A-Za-z0-9_]) (?!(?:https?|ftp|irc|file)://) (?: [a-z][a-z0-9_-]*[a-z0-9] : )
      (?=[^\s:]) | [ ]\+(?=\n|\Z)""",
    re.VERBOSE,
)
"""The beginning of any markup."""
_QUOTED = re.compile(r"(?P<role>\[[^\[\]\n]*\])?(?P<sign>\*\*?|__?|``?|##?)\Z")
_ATTRIBUTE = re.compile(r"\{[\w][\w-]*(?::[^{}\n]*)?\}|\{set:[^{}\n]*\}")
_NAMED_ADDRESS = re.compile(r"\{(?!empty\}|sp\}|nbsp\})[A-Za-z][\w-]*\}[\w/.#-]*\[(?!\])")
"""An address that begins with an attribute, with its text."""
_PASS = re.compile(
    r"\+\+\+.+?\+\+\+|\$\$.+?\$\$|\+\+.+?\+\+|(?<![\w;:}])\+(?!\s)[^\n]{0,300}?(?<!\s)\+(?!\w)",
    re.DOTALL,
)
_MACRO = re.compile(r"(?P<name>[a-z][a-z0-9_-]*[a-z0-9]):(?P<target>[^\s\[\]:][^\s\[\]]*)?\[")
_MENU = re.compile(r"menu:(?P<target>[^\s\[\]:][^\n\[\]]*)?\[")
_ADDRESS = re.compile(r"(?:https?|ftp|irc|file)://[^\s\[\]<>\u3000-\u303f\uff00-\uffef]*")
_REFERENCE = re.compile(r"<<(?P<target>[^<>,\n]+)(?:,\s*(?P<text>(?:[^<>]|>(?!>)|<(?!<))+))?>>")
_ANCHOR = re.compile(r"\[\[\[?[^\W\d][\w:.-]*(?:,[^\[\]\n]*)?\]?\]\]")
_HIDDEN_TERM = re.compile(r"\(\(\([^()\n]+\)\)\)")
_TERM = re.compile(r"\(\((?P<text>[^()\n]+)\)\)")
_ESCAPED = re.compile(
    r"\\(?:\{[\w-]+\}|<<[^<>\n]*>>|(?:https?|ftp)://\S+|[a-z]+:[^\s\[]*\[[^\]\n]*\])"
)

NAMES = {"*": "strong", "_": "em", "`": "code", "#": "mark", "^": "sup", "~": "sub"}
SHOWN = frozenset(["btn", "indexterm2"])
"""Macros whose whole text is shown."""
WORDS = frozenset(["kbd", "icon", "stem", "latexmath", "asciimath", "pass", "mathjax", "chem"])
"""Macros that stand for a word: keys, icons, formulas, text that passes unchanged."""
MAX_TEXT_CHARACTERS = 4_000
"""Markup extends over no more characters than this."""
MAX_BRACKET_CHARACTERS = 1_000
"""The text in the brackets of a macro is no longer than this."""


class Tokens:
    """Finds the markup in a text; what is inside of a pair is found by another call."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._missing: dict[tuple[str, int], int] = {}

    def between(self, start: int, end: int) -> Iterator[Token]:
        """Yield the outer markup of a range from left to right."""
        place = start
        while match := _SIGN.search(self.text, place, end):
            token = self._token(match, end)
            if token:
                yield token
                place = token.end
            else:
                place = max(match.start() + 1, match.end() if match[0][0] in "*_`#[" else 0)

    def _token(self, match: re.Match[str], end: int) -> Token | None:
        start, sign = match.start(), match[0]
        if sign == "\\":
            return self._escaped(start, end)
        if (sign[:1] == "[" and not sign.startswith("[[")) or sign[0] in "*_`#":
            return self._quoted(match, end)
        if sign == " +":
            return Token("alone", "br", start, match.end())
        if sign == "{" and (named := _NAMED_ADDRESS.match(self.text, start, end)):
            closing = self._bracket(named.end(), end)
            if closing is not None and closing > named.end():
                return Token("pair", "a", start, closing + 1, named.end(), closing)
        simple = {"{": _ATTRIBUTE, "$": _PASS, "+": _PASS}.get(sign[0])
        if simple:
            found = simple.match(self.text, start, min(end, start + MAX_TEXT_CHARACTERS))
            return Token("word", "", start, found.end()) if found else None
        if sign in ("^", "~"):
            return self._raised(start, end, sign)
        if sign[0] in "\"'":
            return self._curved(start, end, sign)
        if sign in ("<<", "((", "[["):
            return self._bracketed(start, end)
        return self._macro(start, end)

    def _escaped(self, start: int, end: int) -> Token | None:
        if found := _ESCAPED.match(self.text, start, end):
            return Token("word", "", start, found.end())
        inner = _SIGN.match(self.text, start + 1, end)
        if inner and inner[0][0] in "*_`#^~+[" and self._token(inner, end):
            length = 2 if inner[0] in ("**", "__", "``", "##") else 1
            return Token("escaped", "", start, start + 1 + length)
        return None

    def _quoted(self, match: re.Match[str], end: int) -> Token | None:
        """Text between signs, constrained or unconstrained."""
        found = _QUOTED.match(match[0])
        if not found:
            return None
        start, sign = match.start(), found["sign"]
        if len(sign) == 2 and (token := self._closed(start, match.end(), end, sign, sign)):
            return token
        first = match.end() - len(sign) + 1
        before = self.text[start - 1 : start]
        if before and (
            before.isalnum() or before in "_;:}" or (sign[0] == "`" and before in "\"'`&")
        ):
            return None
        if first >= end or self.text[first].isspace():
            return None
        after = r"(?![\w\"'`])" if sign[0] == "`" else r"(?!\w)"
        return self._closed(start, first, end, sign[0], rf"(?<!\s){re.escape(sign[0])}{after}")

    def _closed(self, start: int, first: int, end: int, sign: str, closing: str) -> Token | None:
        pattern = closing if len(closing) > 2 else re.escape(closing)
        found = self._search(pattern, first + 1, end)
        if found is None:
            return None
        name = NAMES[sign[0]]
        kind: Kind = "code" if name == "code" else "pair"
        return Token(kind, name, start, found[1], first, found[0])

    def _search(self, pattern: str, start: int, end: int) -> tuple[int, int] | None:
        """The first match of a closing sign, if it was not missing before."""
        if self._missing.get((pattern, end), end + 1) <= start:
            return None
        found = re.compile(pattern).search(self.text, start, end)
        if found is None:
            self._missing[pattern, end] = start
            return None
        return found.span()

    def _raised(self, start: int, end: int, sign: str) -> Token | None:
        found = re.compile(rf"{re.escape(sign)}([^\s{re.escape(sign)}]{{1,200}}){re.escape(sign)}")
        match = found.match(self.text, start, end)
        return Token("pair", NAMES[sign], start, match.end(), *match.span(1)) if match else None

    def _curved(self, start: int, end: int, sign: str) -> Token | None:
        before = self.text[start - 1 : start]
        if before and (before.isalnum() or before in "_;:}"):
            return None
        if self.text[start + 2 : start + 3].isspace():
            return None
        found = self._search(rf"(?<!\s)`{sign[0]}(?!\w)", start + 3, end)
        return Token("pair", "curved", start, found[1], start + 2, found[0]) if found else None

    def _bracketed(self, start: int, end: int) -> Token | None:
        """References, anchors and terms of the index."""
        limit = min(end, start + MAX_TEXT_CHARACTERS)
        if found := _REFERENCE.match(self.text, start, limit):
            if found["text"] is None:
                return Token("word", "", start, found.end())
            return Token("pair", "a", start, found.end(), *found.span("text"))
        for pattern in (_ANCHOR, _HIDDEN_TERM):
            if found := pattern.match(self.text, start, limit):
                return Token("alone", "#anchor", start, found.end())
        found = _TERM.match(self.text, start, limit)
        return Token("pair", "a", start, found.end(), *found.span("text")) if found else None

    def _macro(self, start: int, end: int) -> Token | None:
        if self.text.startswith("menu:", start) and (menu := _MENU.match(self.text, start, end)):
            closing = self._bracket(menu.end(), end)
            holes = (menu.span("target"), (menu.end(), closing)) if closing else ()
            return Token("alone", "#menu", start, closing + 1, holes=holes) if closing else None
        if address := _ADDRESS.match(self.text, start, end):
            return self._address(start, address.end(), end)
        found = _MACRO.match(self.text, start, end)
        closing = self._bracket(found.end(), end) if found else None
        if not found or not closing:
            return None
        inside = found.end(), closing
        return self._named(found["name"], found["target"] or "", start, inside)

    def _named(self, name: str, target: str, start: int, inside: tuple[int, int]) -> Token | None:
        """A macro with its text in brackets."""
        end = inside[1] + 1
        if name in ("footnote", "footnoteref", "image"):
            return Token("alone", f"#{name}", start, end, holes=(inside,))
        if name in ("anchor", "indexterm"):
            return Token("alone", "#anchor", start, end)
        if inside[0] == inside[1] or name in WORDS:
            return Token("word", "", start, end)
        if target or name in SHOWN:
            return Token("pair", "a", start, end, *inside)
        return None

    def _address(self, start: int, after: int, end: int) -> Token | None:
        """An address with its text, or alone."""
        if self.text[after : after + 1] == "[" and after < end:
            closing = self._bracket(after + 1, end)
            if closing is not None and closing > after + 1:
                return Token("pair", "a", start, closing + 1, after + 1, closing)
            if closing is not None:
                return Token("word", "", start, closing + 1)
        while after > start and self.text[after - 1] in ".,;:!?)'\"":
            after -= 1
        return Token("word", "", start, after)

    def _bracket(self, start: int, end: int) -> int | None:
        """The place of the bracket that closes one before `start`; inner ones are balanced."""
        if self._search(r"\]", start, end) is None:
            return None
        depth = 0
        limit = min(end, start + MAX_BRACKET_CHARACTERS)
        for match in re.compile(r"\\.|[\[\]]", re.DOTALL).finditer(self.text, start, limit):
            if match[0] == "[":
                depth += 1
            elif match[0] == "]" and depth == 0:
                return match.start()
            elif match[0] == "]":
                depth -= 1
        place = self.text.find("]", start, limit)
        return place if place >= 0 else None
