r"""The tokens of a LaTeX file and their pairs: braces, brackets, dollars.

    \section{标题} 文字 $x$  ->  command, {, text, }, space, text, space, $ ... $

Tokens follow each other without gaps. What TeX does not read as text is one token, however long:
comments, `\verb`, verbatim environments, drawings, formulas in environments.

No library reads the file: pylatexenc and TexSoup know the arguments of known commands only, and
give other bytes back for what they cannot read; here every byte has its token.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left

from longways.formats.latex.commands import BREAKING
from longways.formats.latex.environments import (
    HIDDEN_ENVIRONMENTS,
    MATHS_ENVIRONMENTS,
    is_hidden,
)

_NEWLINE = r"(?:\r\n?|\n)"
_LETTER = r"(?: \{ \s* (?: \\[ij] | [A-Za-z] )? \s* \} | \\[ij] (?![A-Za-z]) | [A-Za-z] )"
_DELIMITER = r"[^A-Za-z\s*{\[]"
_OPTION = r"(?: \[ [^\]\r\n]{0,300}+ \] )?"
_GROUP = r"\{ (?: [^{}\r\n] | \{ [^{}\r\n]{0,300}+ \} ){0,2000}+ \}"
_TO = r"[^\r\n]{0,1000}?"

_MASTER = re.compile(
    rf"""
      (?P<comment> (?: % [^\r\n]*+ (?: {_NEWLINE} [ \t]*+ (?! [\r\n] ) )? )++ )
    | (?P<blank> [ \t]*+ {_NEWLINE} (?: [ \t]*+ {_NEWLINE} )++ [ \t]*+ )
    | (?P<space> [ \t]++ (?: {_NEWLINE} [ \t]*+ )? | {_NEWLINE} [ \t]*+ )
    | (?P<text> [^\\{{}}\[\]$&~\#%\r\n\t ]++ )
    | (?P<begin> \\begin [ \t]* \{{ [^{{}}\\\r\n$%]{{1,60}} \}} (?: < [^<>\s{{}}]{{1,20}} > )? )
    | (?P<end> \\end [ \t]* \{{ [^{{}}\\\r\n$%]{{1,60}} \}} )
    | (?P<region> \\ (?: makeatletter | ExplSyntaxOn | iffalse ) (?! [A-Za-z] ) )
    | (?P<verb>
        \\ (?: verb | Verb | lstinline ) \*? {_OPTION} (?P<d> {_DELIMITER} ) {_TO} (?P=d)
      | \\ (?: Verb | lstinline ) {_OPTION} {_GROUP}
      | \\ (?: if )? csname [^\\{{}}\r\n]{{0,100}}+ \\endcsname
      | \\ mintinline {_OPTION} {_GROUP}
        (?: {_GROUP} | (?P<e> {_DELIMITER} ) {_TO} (?P=e) )
      | \\ (?: url | nolinkurl | path ) [ \t]* {_GROUP}
      | \\ (?: url | path ) (?P<f> {_DELIMITER} ) {_TO} (?P=f)
      )
    | (?P<href> \\href [ \t]* {_OPTION} [ \t]* {_GROUP} \s{{0,20}}+ (?= \{{ ) )
    | (?P<accent> \\ (?: ['`^"~=.] [ ]* {_LETTER}
        | [cvHkudbr] (?: [ ]* \{{ \s* (?: \\[ij] | [A-Za-z] ) \s* \}}
          | [ ]+ [A-Za-z] (?! [A-Za-z] ) )
        ) )
    | (?P<command> \\ [A-Za-z]+ \*? (?: < (?= [^<>]* [\d+] ) [-\d+.,|:@ a-z]{{1,30}} > )? )
    | (?P<symbol> \\ (?: \r\n | [\s\S] )? )
    | (?P<one> [\s\S] )
    """,
    re.VERBOSE,
)
_KINDS = {name: code for code, name in enumerate(_MASTER.groupindex)}
COMMENT, BLANK, SPACE, TEXT, BEGIN, END, VERB, HREF, ACCENT, COMMAND, SYMBOL, ONE = (
    _KINDS[name]
    for name in (
        "comment", "blank", "space", "text", "begin", "end", "verb", "href", "accent", "command",
        "symbol", "one",
    )
)  # fmt: skip
MATHS, DISPLAY, HIDDEN = (len(_KINDS) + n for n in range(3))
"""A formula between words, a formula on lines of its own, and what is not read."""

_NAME = re.compile(r"\{(.*?)\*?\}")
_OWN_CODE = re.compile(
    r"\\(?:lstnewenvironment|newtcblisting|DefineVerbatimEnvironment|CustomVerbatimEnvironment"
    r"|newmintedenvironment|newminted)[ \t]*(?:\[[^\]\r\n]*\])?[ \t]*\{([^{}\\\r\n]{1,60})\}"
)
"""Environments of code that a file defines."""
_ACCENTS_OR_TABS = re.compile(r"\\[='`-][ ]*[A-Za-z{]")
"""Signs that are accents in text and tabs in columns."""
_REGION_ENDS = {
    "\\makeatletter": "\\makeatother",
    "\\ExplSyntaxOn": "\\ExplSyntaxOff",
    "\\iffalse": "\\fi",
}
MAX_NESTED = 20
"""Environments of one name that are nested deeper end with the first end."""
_BODY = "\\begin{document}"
_FORMULA_ENDS = {"\\(": "\\)", "\\[": "\\]"}
_CLOSERS = {"}": "{", "]": "[", "\\)": "\\(", "\\]": "\\["}


def environment_of(token: str) -> str:
    r"""The name in `\begin{name}`, without a star."""
    found = _NAME.search(token)
    return found[1].strip() if found else ""


def _is_read(text: str, name: str, start: int, end: int) -> bool:
    """Whether an environment with the name of code is text: a float with a caption, columns."""
    if name == "tabbing":
        return not _ACCENTS_OR_TABS.search(text, start, end)
    return name not in HIDDEN_ENVIRONMENTS and text.find("\\caption", start, end) >= 0


class Tokens:
    """The tokens of a range of a text."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text, self.end = text, end
        self.kinds, self.starts = bytearray(), array("q")
        self.partners = array("q")
        """For an opening token the closing one, and for a closing one the opening one; else -1."""
        self.warnings: list[tuple[int, str]] = []
        self._stack: list[tuple[str, int]] = []
        self._braces = 0
        self._lost = dict[str, int]()
        self._own = frozenset(_OWN_CODE.findall(text, start, end))
        self._split(start)
        self._finish()
        self.breaks = array("q", self._breaks())

    def __len__(self) -> int:
        return len(self.kinds)

    def at(self, number: int) -> str:
        """The text of a token."""
        return self.text[self.starts[number] : self.starts[number + 1]]

    def stop(self, number: int) -> int:
        """The offset after a token."""
        return self.starts[number + 1]

    def name(self, number: int) -> str:
        """The name of a command, with its star."""
        return self.at(number)[1:].partition("<")[0]

    def is_broken(self, first: int, last: int) -> bool:
        """Whether a sentence ends between two tokens."""
        at = bisect_left(self.breaks, first)
        return at < len(self.breaks) and self.breaks[at] < last

    def _split(self, place: int) -> None:
        match = _MASTER.match
        while place < self.end:
            found = match(self.text, place, self.end)
            assert found
            assert found.lastgroup
            kind = _KINDS[found.lastgroup]
            begun = place
            place = found.end()
            if found.lastgroup in ("begin", "region"):
                kind, place = self._hidden(found[0], kind, begun, place)
            self.kinds.append(kind)
            self.starts.append(begun)
            self.partners.append(-1)
            if kind in (ONE, SYMBOL, BLANK):
                self._pair(found[0], len(self.kinds) - 1)
        self.starts.append(self.end)

    def _hidden(self, token: str, kind: int, start: int, place: int) -> tuple[int, int]:
        """The kind and the end of what may begin something that is not read."""
        if kind != BEGIN:
            end = self._find(_REGION_ENDS[token], place)
            is_whole = token != "\\iffalse" and self.text.find(_BODY, place, end) >= 0
            if is_whole:
                self._lost[_REGION_ENDS[token]] = place  # the others do not end either
            return (HIDDEN, end) if end and not is_whole else (COMMAND, place)
        name = environment_of(token)
        is_maths = name in MATHS_ENVIRONMENTS
        if not is_maths and name not in self._own and not is_hidden(name):
            return kind, place
        nests = is_maths or "picture" in name
        braced = token[token.index("{") : token.index("}") + 1]
        end = self._environment_end(braced, place, nests=nests)
        if not end:
            self.warnings.append((start, f"{token} is never ended"))
            return kind, place
        if not is_maths and _is_read(self.text, name, place, end):
            return kind, place
        return (DISPLAY if is_maths else HIDDEN), end

    def _environment_end(self, name: str, place: int, *, nests: bool) -> int:
        """The offset after the end of an environment; 0 without one."""
        depth, first = 1, 0
        while ended := self._find("\\end" + name, place):
            first = first or ended
            depth += self.text.count("\\begin" + name, place, ended) - 1
            if not nests or depth > MAX_NESTED:
                break
            if not depth:
                return ended
            place = ended
        return first

    def _find(self, what: str, place: int) -> int:
        """The offset after a string; 0 if it is not there, which is searched once only."""
        if self._lost.get(what, self.end) <= place:
            return 0
        found = self.text.find(what, place, self.end)
        if found < 0:
            self._lost[what] = place
            return 0
        return found + len(what)

    def _pair(self, token: str, number: int) -> None:
        stack = self._stack
        if token == "{":
            self._braces += 1
            stack.append((token, number))
        elif token in ("[", "\\(", "\\["):
            stack.append((token, number))
        elif token == "$":
            self._dollar(number)
        elif token == "}":
            if self._braces:
                self._braces -= 1
                self._close(number, "{")
            else:
                self.warnings.append((self.starts[number], "a brace is closed that was not opened"))
        elif token in _CLOSERS:
            self._close_near(number, _CLOSERS[token])
        elif token[:1] in "\r\n\t " and token:
            while stack and stack[-1][0] != "{":  # nothing but a group extends over a blank line
                stack.pop()

    def _close(self, number: int, opener: str) -> None:
        while self._stack[-1][0] != opener:
            self._stack.pop()
        self._match(self._stack.pop()[1], number)

    def _close_near(self, number: int, opener: str) -> None:
        """Close a bracket or formula if it is the innermost one, brackets inside it aside."""
        stack = self._stack
        if opener != "[":
            while stack and stack[-1][0] == "[":
                stack.pop()
        if stack and stack[-1][0] == opener:
            self._match(stack.pop()[1], number)

    def _dollar(self, number: int) -> None:
        stack = self._stack
        while stack and stack[-1][0] == "[":
            stack.pop()
        if not stack or stack[-1][0] not in ("$", "$$"):
            stack.append(("$", number))
        elif stack[-1] == ("$", number - 1):
            stack[-1] = ("$$", number - 1)
        elif stack[-1][0] == "$" or not self.text.startswith("$", self.starts[number] + 1):
            self._match(stack.pop()[1], number)

    def _match(self, first: int, last: int) -> None:
        self.partners[first], self.partners[last] = last, first

    def _finish(self) -> None:
        """Give formulas their kind, and warn of groups without an end."""
        for opener, number in self._stack:
            if opener == "{":
                self.warnings.append((self.starts[number], "a brace is never closed"))
        for number, partner in enumerate(self.partners):
            if partner <= number:
                continue
            token = self.at(number)
            if token == "$":
                self.kinds[number] = MATHS if self.at(number + 1) != "$" else DISPLAY
            elif token in _FORMULA_ENDS:
                self.kinds[number] = MATHS if token == "\\(" else DISPLAY

    def _breaks(self) -> list[int]:
        """The tokens at which sentences end, outside of formulas."""
        found, number, kinds = list[int](), 0, self.kinds
        while number < len(kinds):
            kind = kinds[number]
            if kind in (BLANK, BEGIN, END, DISPLAY, HIDDEN) or self._is_break(number, kind):
                found.append(number)
            skip = kind in (MATHS, DISPLAY) and self.partners[number] > number
            number = self.partners[number] + 1 if skip else number + 1
        return found

    def _is_break(self, number: int, kind: int) -> bool:
        if kind == COMMAND:
            name = self.name(number)
            return name in BREAKING or name.startswith("if")
        if kind == ONE:
            return self.at(number) == "&"
        return kind == SYMBOL and self.at(number) in ("\\\\", "\\>", "\\=")
