"""The inline markup of a Markdown block, each piece with its place in the block's text.

markdown-it reads it; what it does not tell, where a token stands in the source, is noted here
while it reads. Beside CommonMark it reads strikethrough, footnotes `[^1]`, formulas `$x^2$`, names
of pages `[[page]]` and the hidden tags of templates.
"""

from __future__ import annotations

import re
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
from markdown_it.token import Token
from markdown_it.utils import EnvType

from longways.translate.formats.markdown_formulas import BRACKETS, DOLLARS, is_formula
from longways.translate.formats.markdown_mask import (
    ATTRIBUTES,
    HIDDEN,
    TAG,
    TAG_GOES_ON,
    VALUE,
    VALUE_GOES_ON,
)

Range = tuple[int, int]

FOOTNOTE = re.compile(r"\[\^[^\]\[\s\\]+\](?!\()")
WIKI = re.compile(r"!?\[\[[^\[\]\n]+\]\](?![(\[:])")
"""A link to a page by its name, or a page that is shown: both are found by that name."""
_HIDING = (TAG, TAG_GOES_ON, VALUE, VALUE_GOES_ON, ATTRIBUTES)
_ALIKE = re.compile(r"(.)\1*")
FORMULA, TEX = re.compile(DOLLARS), re.compile(BRACKETS)


class PlacedState(StateInline):
    """Notes where each token stands as it is pushed."""

    pending_at = 0
    label_end = 0

    def pushPending(self) -> Token:
        """The text that waited, with its place: it is as the source has it."""
        token = super().pushPending()
        token.meta["at"] = (self.pending_at, self.pending_at + len(token.content))
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """A new token; the end of a link begins where its text ends."""
        if ttype == "link_close":
            self.label_end = self.posMax
        return super().push(ttype, tag, nesting)


class PlacedInline(ParserInline):
    """Reads inline markup as `ParserInline` does, and gives every token its place."""

    def tokenize(self, state: StateInline) -> None:
        """Generate tokens for the range of the state, in `meta["at"]` their places."""
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
        """Go to the end of what stands here, without a token for it."""
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
        """Whether a rule fits here."""
        if state.level >= state.md.options["maxNesting"]:
            return False
        return any(rule(state, False) for rule in _rules_at(state))


def place_of(token: Token) -> Range:
    """Where a token stands in the text that was parsed."""
    return cast(Range, token.meta["at"])


def new_inline() -> PlacedInline:
    """A parser with all the rules we know."""
    parser = PlacedInline()
    parser.terminator_re = re.compile(f"[{re.escape(''.join(_RULES))}\\]]")
    parser.ruler2.disable("fragments_join")
    return parser


def _rules_at(state: StateInline) -> tuple[RuleFuncInlineType, ...]:
    """Those that may fit, by the character that stands here."""
    return _RULES.get(state.src[state.pos], _NO_SIGN)


def _place(state: PlacedState, start: int, count: int) -> None:
    """Give the tokens of a rule their places, in order; those inside have theirs already."""
    place = start
    new = [token for token in state.tokens[count:] if "at" not in token.meta]
    for token in new:
        if token.type == "link_close":
            begin = place if token.markup else state.label_end
            token.meta["at"] = (begin, state.pos)
        elif token.type in ("text", "link_open"):
            length = 1 if token.type == "link_open" else len(token.content)
            if token.type == "text" and len(new) == 3 and new[0].type == "link_open":
                length = state.pos - start - 2  # of an autolink, whose text is made readable
            token.meta["at"] = (place, place + length)
            place += length
        else:
            token.meta["at"] = (start, state.pos)


def _footnote(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, FOOTNOTE, "footnote")


def _wiki(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, WIKI, "value")


def _formula(state: StateInline, silent: bool) -> bool:
    return _whole(state, silent, FORMULA, "value")


def _tex(state: StateInline, silent: bool) -> bool:
    r"""A formula between `\(` and `\)`, if these are no escaped brackets."""
    match = TEX.match(state.src, state.pos, state.posMax)
    return bool(match and is_formula(match["inside"])) and _whole(state, silent, TEX, "value")


def _hidden(state: StateInline, silent: bool) -> bool:
    char = state.src[state.pos]
    if char in (TAG_GOES_ON, VALUE_GOES_ON, ATTRIBUTES):
        kind = "attributes" if char == ATTRIBUTES else "template"
        return _whole(state, silent, _ALIKE, kind)
    return _whole(state, silent, HIDDEN, "template" if char == TAG else "value")


def _backslash(state: StateInline, silent: bool) -> bool:
    """A backslash before a hidden tag escapes nothing."""
    if state.src[state.pos] != "\\" or state.src[state.pos + 1 : state.pos + 2] not in _HIDING:
        return False
    if not silent:
        state.append_pending("\\")
    state.pos += 1
    return True


def _whole(state: StateInline, silent: bool, pattern: re.Pattern[str], kind: str) -> bool:
    """One token for all that a pattern fits."""
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
    "!": (_wiki, image),
    "<": (autolink, html_inline),
    "&": (entity,),
    "$": (_formula,),
    **dict.fromkeys(_HIDING, (_hidden,)),
}
"""By the character with which each begins."""
