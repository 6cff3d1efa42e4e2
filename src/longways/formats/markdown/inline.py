r"""Inline parser for Markdown: markdown-it tokens with their positions in the source.

markdown-it does not give the positions of inline tokens, so they are recorded here while it parses.
Besides CommonMark, it parses strikethrough, footnotes `[^1]`, formulas `$x^2$` and `\(x^2\)`, wiki
links `[[page]]` and masked template tags. Readable attributes of HTML tags are found here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, cast

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline, RuleFuncInlineType
from markdown_it.rules_inline import (
    StateInline,
    autolink,
    backtick,
    emphasis,
    entity,
    escape,
    html_inline,
    image,
    link,
    newline,
    strikethrough,
    text,
)
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.formats.base import Passage
from longways.formats.html.attributes import attributes, is_translated, read_attributes
from longways.formats.html.places import Place
from longways.formats.html.references import read_text
from longways.formats.html.tokens import Token as HtmlToken
from longways.formats.markdown.hidden.masks import (
    ATTRIBUTES,
    HIDDEN,
    TAG,
    TAG_CONTINUATION,
    VALUE,
    VALUE_CONTINUATION,
)
from longways.formats.placeholders import DOLLARS, kept_parts

Range = tuple[int, int]

FOOTNOTE = re.compile(r"\[\^[^\]\[\s\\]+\](?!\()")
WIKI = re.compile(r"!?\[\[[^\[\]\n]+\]\](?![(\[:])")
"""A wiki link or an embedded page."""
_IMAGE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\n]{1,300}\.(?i:png|jpe?g|gif|svg|webp|bmp)\)")
"""An image with spaces in its address, which CommonMark reads as text."""
_ROLE = re.compile(
    r"(?:(?<![A-Za-z0-9_:]):[A-Za-z][\w:+-]{0,60}:|\{[A-Za-z][\w:+-]{0,60}\})`[^`\n]{1,300}`"
)
"""A role of reStructuredText or MyST."""
_VUE = re.compile(
    r"""<[A-Za-z][\w-]*(?:\s+[@#:A-Za-z_][\w.:-]*(?:=(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*/?>"""
)
_HIDING = (TAG, TAG_CONTINUATION, VALUE, VALUE_CONTINUATION, ATTRIBUTES)
_ALIKE = re.compile(r"(.)\1*")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff01-\uffee]")
"""A character of Chinese, Japanese or Korean, or of its punctuation."""
_SHORTEST_CJK_RUN = 2
"""Delimiters in a run of emphasis beside such a character; `*.gz` has fewer."""

BRACKETS = r"\\\((?P<inside>(?:[^\\\n\u0080-\uffff]|\\[^()\n\u0080-\uffff])+)\\\)"

_COMMAND = re.compile(r"\\[A-Za-z]+(?:\{[^{}]*\})?")
_WORD, _WORDS = re.compile("[A-Za-z]{2,}"), re.compile("[A-Za-z]{2,}[ ,]+[A-Za-z]{2,}")
FORMULA, TEX = re.compile(DOLLARS), re.compile(BRACKETS)

SIGN = re.compile(r"[`$]|\{(?!\w+\})")
"""Markdown or template syntax inside a tag."""
_TEMPLATE = re.compile(r"\$|\{(?!\w+\})")


def is_formula(inside: str) -> bool:
    r"""Whether text between escaped brackets is a formula and not prose, as `\(see below\)` is.

    It may have no word; or, with operators, no two words in a row.
    """
    rest = _COMMAND.sub(" ", inside)
    signs = rest != inside or any(sign in inside for sign in "^_=<>+")
    return inside.isascii() and not (_WORDS if signs else _WORD).search(rest)


def tag_places(text: str, start: int, end: int, name: str) -> Iterator[Place]:
    """The passages in the attributes of the start tag `text[start:end]`."""
    tag = HtmlToken("start", start, end, name)
    found = attributes(text, tag)
    for begin, stop, quote in read_attributes(text, tag, found):
        source = text[begin:stop]
        said = read_text(source, strict=True).strip()
        if quote and said and "\n" not in source and not _TEMPLATE.search(source):
            yield Place(Passage(said, (), kept_parts(said)), begin, stop, "value", quote=quote)


def is_left_alone(text: str, start: int, end: int, name: str) -> bool:
    """Whether the start tag `text[start:end]` says that its element must not be translated."""
    return is_translated(text, attributes(text, HtmlToken("start", start, end, name))) is False


class PlacedState(StateInline):
    """Parser state that records the position of each token."""

    pending_at = 0
    label_end = 0

    def pushPending(self) -> Token:
        """Push the pending text with its position."""
        token = super().pushPending()
        token.meta["at"] = (self.pending_at, self.pending_at + len(token.content))
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Push a token; the end of a link's text is recorded."""
        if ttype == "link_close":
            self.label_end = self.posMax
        return super().push(ttype, tag, nesting)

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """A run of delimiters; beside Chinese and its punctuation it can open and close.

        A word and a full-width colon between `**` are bold for most site generators, whatever
        follows, though not for CommonMark.
        """
        found = super().scanDelims(start, canSplitWord)
        end = start + found.length
        before, after = self.src[start - 1 : start], self.src[end : min(end + 1, self.posMax)]
        if (
            not canSplitWord
            or found.length < _SHORTEST_CJK_RUN
            or not (_CJK.match(before) or _CJK.match(after))
        ):
            return found
        return Scanned(
            found.can_open or bool(after and not after.isspace()),
            found.can_close or bool(before and not before.isspace()),
            found.length,
        )


class PlacedInline(ParserInline):
    """`ParserInline` that gives every token its position."""

    def tokenize(self, state: StateInline) -> None:
        """Generate tokens for the range of the state; `meta["at"]` is their position."""
        placed, end = cast(PlacedState, state), state.posMax
        while placed.pos < end:
            start, count = placed.pos, len(placed.tokens)
            if not placed.pending:
                placed.pending_at = start
            if self._apply(placed):
                if len(placed.tokens) > count:
                    _place(placed, start, count)
            else:
                placed.append_pending(placed.src[start])
                placed.pos += 1
        if placed.pending:
            placed.pushPending()

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """The tokens of a text."""
        state = PlacedState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens

    def skipToken(self, state: StateInline) -> None:
        """Skip one construct without a token."""
        start = state.pos
        if start in state.cache:
            state.pos = state.cache[start]
            return
        if state.level >= state.md.options["maxNesting"]:
            state.pos = state.posMax
        else:
            state.level += 1
            found = any(rule(state, True) for rule in _rules_at(state))
            state.level -= 1
            state.pos += not found
        state.cache[start] = state.pos

    def _apply(self, state: PlacedState) -> bool:
        """Apply the first rule that matches here; whether there is one."""
        if state.level >= state.md.options["maxNesting"]:
            return False
        return any(rule(state, False) for rule in _rules_at(state))


def place_of(token: Token) -> Range:
    """Range of a token in the parsed text."""
    return cast(Range, token.meta["at"])


def new_inline() -> PlacedInline:
    """An inline parser with all rules of our dialect."""
    parser = PlacedInline()
    parser.terminator_re = re.compile(f"[{re.escape(''.join(_RULES))}\\]]")
    parser.ruler2.disable("fragments_join")
    return parser


def _rules_at(state: StateInline) -> tuple[RuleFuncInlineType, ...]:
    """The rules for the character at this position."""
    return _RULES.get(state.src[state.pos], _NO_SIGN)


def _place(state: PlacedState, start: int, count: int) -> None:
    """Set the positions of a rule's tokens; tokens inside already have positions."""
    place = start
    new = [token for token in state.tokens[count:] if "at" not in token.meta]
    for token in new:
        if token.type == "link_close":
            begin = place if token.markup else state.label_end
            token.meta["at"] = (begin, state.pos)
        elif token.type in ("text", "link_open"):
            length = 1 if token.type == "link_open" else len(token.content)
            if token.type == "text" and len(new) == 3 and new[0].type == "link_open":
                length = state.pos - start - 2  # an autolink, whose text is decoded
            token.meta["at"] = (place, place + length)
            place += length
        else:
            token.meta["at"] = (start, state.pos)


def _footnote(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, FOOTNOTE, "footnote")


def _vue_tag(state: StateInline, silent: bool) -> bool:
    """A tag with attributes that only components of Vue have: `@click`, `#default`."""
    return _whole(state, silent, _VUE, "html_inline")


def _wiki(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, WIKI, "value")


def _image(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, _IMAGE, "value")


def _formula(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, FORMULA, "value")


def _tex(state: StateInline, silent: bool) -> bool:
    r"""A formula between `\(` and `\)`, unless these are escaped brackets."""
    match = TEX.match(state.src, state.pos, state.posMax)
    return bool(match and is_formula(match["inside"])) and _whole(state, silent, TEX, "value")


def _role(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, _ROLE, "role")


def _hidden(state: StateInline, silent: bool) -> bool:
    char = state.src[state.pos]
    if char in (TAG_CONTINUATION, VALUE_CONTINUATION, ATTRIBUTES):
        kind = "attributes" if char == ATTRIBUTES else "template"
        return _whole(state, silent, _ALIKE, kind)
    return _whole(state, silent, HIDDEN, "template" if char == TAG else "value")


def _backslash(state: StateInline, silent: bool) -> bool:
    """A backslash before a masked tag is literal."""
    if state.src[state.pos] != "\\" or state.src[state.pos + 1 : state.pos + 2] not in _HIDING:
        return False
    if not silent:
        state.append_pending("\\")
    state.pos += 1
    return True


def _whole(state: StateInline, silent: bool, pattern: re.Pattern[str], kind: str) -> bool:
    """Push one token for the match of a pattern."""
    match = pattern.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        state.push(kind, "", 0)
    state.pos = match.end()
    return True


_NO_SIGN = (text,)
_RULES: dict[str, tuple[RuleFuncInlineType, ...]] = {
    "\n": (newline,),
    "\\": (_backslash, _tex, escape),
    "`": (backtick,),
    "~": (strikethrough.tokenize,),
    "*": (emphasis.tokenize,),
    "_": (emphasis.tokenize,),
    "[": (_footnote, _wiki, link),
    "!": (_wiki, image, _image),
    "<": (autolink, html_inline, _vue_tag),
    "&": (entity,),
    "$": (_formula,),
    ":": (_role,),
    "{": (_role,),
    **dict.fromkeys(_HIDING, (_hidden,)),
}
"""Rules by the first character of their construct."""
