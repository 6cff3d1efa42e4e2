r"""Markdown writer for a sequence of text and marks.

Text is escaped so that Markdown reads it as text: `1\. No list`, `2 \* 3 \* 4`, `\<b>`. There are
four manners, from the plainest to the safest; the writer takes the first one whose output is parsed
as intended. Emphasis is written with delimiters where Markdown recognises them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Literal, NamedTuple

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace

from longways.formats.markdown.blocks import MarkdownBlock
from longways.formats.markdown.inline import BRACKETS, is_formula
from longways.formats.markdown.nodes import Markup, PassageNode
from longways.formats.markdown.sequence import Step
from longways.formats.markdown.values import PRINTED, escape_argument
from longways.formats.placeholders import DOLLARS

Edits = list[tuple[int, int, str]]
"""Replacements in a block's text (start, end, new text), disjoint and in order."""


class WritingStyle(NamedTuple):
    """How defensively to escape."""

    manner: Manner
    one_line: bool = False
    html: bool = False
    """Whether emphasis and code are written as HTML."""
    space: str = ""
    """Text to begin with, so that HTML does not begin the line."""


class MarkdownWriter:
    """Writes sequences of one passage in one style."""

    def __init__(
        self, block: MarkdownBlock, node: PassageNode, edits: Edits, style: WritingStyle
    ) -> None:
        self.block, self.markups, self.edits, self.style = block, node.markups, edits, style
        self.role = node.role
        words = "|".join(map(re.escape, node.words))
        self.words = re.compile(f"({words})") if words else None
        self.starts_lines = node.role == "block" and block.begins_line
        self.flat = style.one_line or not self.starts_lines or block.kind == "cell"

    def write(self, steps: list[Step]) -> str:
        """The text of the block, without line prefixes."""
        fragments = [self._text(step.text) for step in steps]
        done = self._write_spans(steps, fragments)
        for at, step in enumerate(steps):
            if step.kind == "alone":
                fragments[at] = self._alone(step, at, steps)
            elif step.kind != "text" and at not in done:
                fragments[at] = self._end(step)
        self._write_emphasis(steps, fragments)
        if self.starts_lines and self.style.manner != "plain":
            self._escape_line_starts(steps, fragments)
        return self._finished("".join(fragments))

    def _finished(self, written: str) -> str:
        """Escape a closing sequence at the end of a heading."""
        if self.style.manner != "plain" and self.block.kind == "heading":
            written = re.sub(r"(?<!\S)#+$", r"\\\g<0>", written)
        return self.style.space + written

    def _escape_line_starts(self, steps: list[Step], fragments: list[str]) -> None:
        """Escape line starts, so that no text begins another block."""
        at_start = True
        for at, step in enumerate(steps):
            if step.kind == "text" and fragments[at]:
                first, *more = fragments[at].split("\n")
                first = escape_line_start(first) if at_start else first
                fragments[at] = "\n".join([first, *map(escape_line_start, more)])
            at_start = fragments[at].endswith("\n") if fragments[at] else at_start

    def _text(self, text: str) -> str:
        parts = self.words.split(text) if self.words else [text]
        parts[::2] = [escape(self._flat(part), self.style.manner) for part in parts[::2]]
        escaped = "".join(parts)
        return escaped if self.role == "block" else escape_inside(escaped)

    def _flat(self, text: str) -> str:
        return text.replace("\n", " ") if self.flat else text

    def _source(self, start: int, end: int) -> str:
        return self._flat(spliced(self.block.text, start, end, self.edits))

    def _write_spans(self, steps: list[Step], fragments: list[str]) -> set[int]:
        """Write code and autolinks that contain only text; return their steps."""
        done: set[int] = set()
        for at in range(len(steps) - 2):
            opening, inner, closing = steps[at : at + 3]
            if opening.kind == "open" and inner.kind == "text" and closing.tag == opening.tag:
                span = self._span(self.markups[opening.tag], inner.text.replace("\n", " "))
                if span:
                    fragments[at : at + 3] = span
                    done |= {at, at + 2}
        return done

    def _span(self, markup: Markup, text: str) -> list[str]:
        """Code or an autolink with its delimiters; empty for other markup."""
        if markup.html or not markup.closing:
            return []
        if markup.name == PRINTED:
            inner = escape_argument(text, self._source(*markup.closing)[0])
            return [self._source(*markup.opening), inner, self._source(*markup.closing)]
        if markup.name == "code" and not self.style.html:
            ticks = _ticks(text, len(self.block.text[slice(*markup.opening)].rstrip()))
            text = self._with_own_spaces(text, markup)
            edges = "`" in (text[0], text[-1]) or text[0] == text[-1] == " "
            pad = " " if edges and text.strip(" ") else ""
            return [ticks + pad, text, pad + ticks]
        same = text == self.block.text[markup.opening[1] : markup.closing[0]]
        return ["<", text, ">"] if markup.name == "auto" and same else []

    def _with_own_spaces(self, text: str, markup: Markup) -> str:
        """Code with the spaces at its ends that the source has."""
        own = self.block.text[markup.opening[0] : (markup.closing or markup.opening)[1]]
        own = own.strip("`").replace("\n", " ")
        if own[:1] == own[-1:] == " ":
            own = own[1:-1]
        bare = own.strip(" ")
        before, _, after = own.partition(bare) if bare else ("", "", "")
        return f"{before}{text.strip(' ')}{after}" if bare and text.strip(" ") else text

    def _alone(self, step: Step, at: int, steps: list[Step]) -> str:
        markup = self.markups[step.tag]
        if markup.name != "br" or markup.html:
            return self._source(*markup.opening)
        if self.flat or at in (0, len(steps) - 1):
            return "<br>"
        bare = self.block.text[markup.opening[0]] != "\\" and steps[at - 1].kind == "text"
        return "  \n" if bare else "\\\n"

    def _end(self, step: Step) -> str:
        """The start or end of a link or HTML tag; code is written as HTML."""
        markup, opens = self.markups[step.tag], step.kind == "open"
        if markup.html or markup.name == PRINTED:
            return self._source(*(markup.opening if opens else markup.closing or (0, 0)))
        if markup.name in ("a", "auto"):
            return "[" if opens else self._link_end(markup)
        return f"<{'' if opens else '/'}{markup.name}>"

    def _link_end(self, markup: Markup) -> str:
        start, end = markup.closing or (0, 0)
        inside = self.block.text[markup.opening[1] : start]
        if markup.name == "auto":
            return f"](<{'' if ':' in inside else 'mailto:'}{inside}>)"
        tail = self._source(start, end)
        return f"][{' '.join(inside.split())}]" if tail in ("]", "][]") else tail

    def _write_emphasis(self, steps: list[Step], fragments: list[str]) -> None:
        """Write emphasis with delimiters where Markdown recognises them."""
        opened, delimiters = dict[int, int](), Delimiters(fragments)
        for at, step in enumerate(steps):
            markup = self.markups.get(step.tag)
            if not markup or markup.html or markup.name not in EMPHASIS or self.style.html:
                continue
            if step.kind == "open":
                opened[step.tag] = at
            elif at > opened[step.tag] + 1:
                own = self.block.text[markup.opening[0]]
                delimiters.write(own, markup.name, opened[step.tag], at)


def spliced(text: str, start: int, end: int, edits: Edits) -> str:
    """A range of a text with edits applied."""
    parts, place = list[str](), start
    for at in range(bisect_left(edits, (start,)), len(edits)):
        begin, stop, new = edits[at]
        if begin >= end:
            break
        parts += text[place:begin], new
        place = stop
    return "".join([*parts, text[place:end]])


def _ticks(text: str, least: int) -> str:
    """A run of backticks whose length does not occur in the text."""
    runs = {len(run) for run in re.findall("`+", text)}
    while least in runs:
        least += 1
    return "`" * least


Manner = Literal["plain", "lines", "light", "strict"]
"""Escapes templates only; also beginnings of lines; also text that looks like markup; all
characters that can be markup."""

_VALUE = rf"""(?P<value> \{{\{{\{{ [^{{}}`\n]{{0,500}} \}}\}}\}}
    | \{{\{{ (?! [<%] ) [^{{}}`\n]{{0,500}} \}}\}}
    | {DOLLARS} | {BRACKETS}
    | !? \[\[ [^\[\]\n]+ \]\] (?! [(\[:] ) )"""
"""Text that is not escaped: a template value, a formula, a wiki link."""

_LIGHT = re.compile(
    _VALUE
    + r"""
    | (?P<brace> \{ (?= [{%\#:.] | [ ][.\#] | [ ]?[\w-]+= ) )
    | \\ (?= [!-/:-@\[-`{-~\n] | $ )
    | (?<! \s ) \*+ | \*+ (?! \s )
    | (?<! [^\W_] ) _+ | _+ (?! [^\W_] )
    | [`\[\]] | \A [\^(]
    | < (?= [A-Za-z/!?] )
    | & (?= \#? \w+ ; )
    | ~ (?= ~ ) | (?<= ~ ) ~
    | ! (?= \[ | $ )
    """,
    re.VERBOSE,
)
_STRICT = re.compile(
    r"(?P<value>\{\{\{[^{}`\n]{0,500}\}\}\}|\{\{(?![<%])[^{}`\n]{0,500}\}\})|(?P<brace>\{)|[\\`*_\[\]<>&~!$|#^(]"
)
_TEMPLATE = re.compile(_VALUE + r"|(?P<brace> \{ (?= [{%\#] ) )", re.VERBOSE)
_PATTERNS = {"plain": _TEMPLATE, "lines": _TEMPLATE, "light": _LIGHT, "strict": _STRICT}
"""A template tag is always escaped, since it may continue in another passage."""

_LINE_START = re.compile(
    r"""
      (?P<number> \d{1,9} ) [.)] (?= \s | $ )
    | [-+*] (?= \s | $ | [-*\s]* $ )
    | \# {1,6} (?= \s | $ )
    | [-=_*] (?= [-=_*\s]* $ )
    | > | ``` | ~~~ | ::: | \$\$ | \| | : (?= [-\s]) | \* (?= \[) | - (?= -*[:|])
    | [<\["'(]
    """,
    re.VERBOSE,
)


def escape(text: str, manner: Manner) -> str:
    """Escape text within a line."""
    return _PATTERNS[manner].sub(_escaped, text)


def escape_inside(text: str) -> str:
    """Escape alt text further, so that no construct extends beyond the image."""
    return re.sub(r"(?<!\\)\$", r"\\$", text.replace("\\`", "&#96;"))


def escape_title(text: str, quote: str) -> str:
    """Escape a title between quotes or, if its quote is `(`, between parentheses."""
    special = "()" if quote == "(" else quote
    text = re.sub(r"\\(?=[!-/:-@\[-`{-~]|$)|&(?=#?\w+;)", r"\\\g<0>", text)
    text = re.sub("[`<>$]", lambda char: f"&#{ord(char[0])};", text)  # may match outside
    text = re.sub(f"[{re.escape(special)}]", r"\\\g<0>", text)
    return re.sub(
        r"\{(?=[{%#:.]| [.#]| ?[\w-]+=)(?!\{(?![<%])[^{}`\n]*\}\}|\{\{[^{}`\n]*\}{3})",
        "&#123;",
        text,
    )


def _escaped(match: re.Match[str]) -> str:
    if match["value"]:
        brackets = not is_formula(match.groupdict().get("inside") or "")
        return match[0].replace("\\", "\\" * 2) if brackets else match[0]
    if match["brace"]:
        return "&#123;"
    return "".join("\\" + char for char in match[0])


def escape_line_start(line: str) -> str:
    """Escape the beginning of a line, so that it begins no other block."""
    match = _LINE_START.match(line)
    if not match:
        return line
    number = match["number"] or ""
    return f"{number}\\{line[len(number) :]}"


EMPHASIS = frozenset(["em", "strong", "s"])
"""Markup that is written with delimiters."""


class Delimiters:
    """Replaces the ends of marks by delimiters, from the inside out.

    The extent of each delimiter run is cached, so that nested emphasis takes linear time. A
    fragment in a run stays in it.
    """

    def __init__(self, fragments: list[str]) -> None:
        self.fragments = fragments
        self.ends: dict[tuple[str, int, int], int] = {}

    def write(self, own: str, name: str, start: int, end: int) -> None:
        """Write both delimiters of a mark, with its own character or one that is recognised."""
        for char in dict.fromkeys([own, "~" if own == "~" else "*"]):
            before, first = self._beside(start, char)
            last, after = self._beside(end, char)
            if _opens(before, first, char) and _closes(last, after, char):
                self.fragments[start] = self.fragments[end] = char if name == "em" else char * 2
                return

    def _beside(self, at: int, char: str) -> tuple[str, str]:
        """The characters before and after the delimiter run of a fragment."""
        before, after = self._end(at, char, -1), self._end(at, char, 1)
        left = self.fragments[before][-1] if before >= 0 else " "
        return left, self.fragments[after][0] if after < len(self.fragments) else " "

    def _end(self, at: int, char: str, step: int) -> int:
        """The first fragment in this direction outside the delimiter run."""
        place = at + step
        while 0 <= place < len(self.fragments) and not self.fragments[place].strip(char):
            place = self.ends.get((char, step, place), place + step)
        self.ends[char, step, at] = place
        return place


def _opens(before: str, after: str, char: str) -> bool:
    left, right = _flanks(before, after)
    return left and (char != "_" or not right or _is_punctuation(before))


def _closes(before: str, after: str, char: str) -> bool:
    left, right = _flanks(before, after)
    return right and (char != "_" or not left or _is_punctuation(after))


def _flanks(before: str, after: str) -> tuple[bool, bool]:
    """Whether a delimiter run is left-flanking, and whether it is right-flanking."""
    spaces = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
    signs = _is_punctuation(before), _is_punctuation(after)
    left = not spaces[1] and (not signs[1] or spaces[0] or signs[0])
    right = not spaces[0] and (not signs[0] or spaces[1] or signs[1])
    return left, right


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)
