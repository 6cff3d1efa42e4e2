r"""Objects inside of Org text: emphasis, links, notes, and the words that stay.

    *粗体* [[file:a.org][链接]][fn:1] =code= $x$ <2024-05-01 Wed> {{{macro}}} \alpha

Org puts emphasis only between spaces and some punctuation. Beside Chinese characters, bold and code
are read as well, since writers of Chinese set Org so, and have no spaces to write.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from longways.formats.nested.line import Line
from longways.formats.nested.nodes import Node

ZERO_WIDTH_SPACE = "\u200b"
CJK = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef\u2018-\u201d\u2026\u2014"
BEFORE = r"\s\u200b\-\u2013\u2014('\"{"
"""Characters that may stand before emphasis."""
AFTER = r"\s\u200b\-\u2013\u2014.,;:!?'\")}\\\["
"""Characters that may stand after emphasis."""
MAX_EMPHASIS = 300
"""Emphasis is no longer than this many characters."""
MAX_DEPTH = 10
_TEXT = rf"[\s\S]{{0,{MAX_EMPHASIS}}}?"

_SOLID = r"[^\s\u200b]"
"""A zero-width space is a space for Org, too."""

OBJECT = re.compile(
    rf"""
      (?P<space> [ \t]*+ (?: \r\n | \r | \n ) [ \t]*+ | [ \t]++ )
    | (?P<link> \[\[ (?: [^\[\]\\\r\n] | \\. ){{1,1000}}+ \]
        (?: \[ (?P<text> (?: (?! \]\] | \[\[ ) [\s\S] ){{1,1000}}+ ) \] )? \] )
    | (?P<reference> \[fn:[\w-]{{1,60}}+\] )
    | (?P<note> \[fn:[\w-]{{0,60}}+: )
    | (?P<item> <<<? [^<>\r\n]{{1,200}} >>>? | @@[\w-]+: [\s\S]{{0,300}}? @@ )
    | (?P<word>
        \[cite (?: /[\w/-]+ )? : [^\]\r\n]{{1,300}} \]
      | \[ \d*/\d* \] | \[ \d*% \]
      | [<\[] \d{{4}}-\d\d-\d\d [^<>\[\]\r\n]{{0,60}} [>\]]
        (?: --? [<\[] \d{{4}}-\d\d-\d\d [^<>\[\]\r\n]{{0,60}} [>\]] )?
      | <%%\( [^<>\r\n]{{0,200}} >
      | \{{\{{\{{ [A-Za-z][\w-]* (?: \( [\s\S]{{0,300}}? \) )? \}}\}}\}}
      | (?<! \w ) src_[\w+-]+ (?: \[ [^\]\r\n]{{0,200}} \] )? \{{ [^{{}}\r\n]{{0,300}} \}}
      | (?<! \w ) call_[\w-]+ (?: \[ [^\]\r\n]{{0,200}} \] )? \( [^()\r\n]{{0,300}} \)
      | \\\( [^\r\n]{{1,500}}? \\\) | \\\[ [\s\S]{{1,800}}? \\\]
      | \$\$ [^$]{{1,800}} \$\$
      | \$ (?! [\s$,.;] ) [^$\r\n]{{0,500}} (?<! [\s\\,.] ) \$ (?! [A-Za-z\d] )
      | \\ (?! begin | end ) [A-Za-z]+ (?: \{{\}} | (?: \[ [^\[\]\r\n]{{0,100}} \]
          | \{{ [^{{}}\r\n]{{0,200}} \}} )* )
      | [_^] \{{ [^{{}}\r\n]{{0,100}} \}}
      | < (?: https? | ftp | mailto | file ) : [^<>\r\n]{{1,500}} >
      | (?: (?<! [^{BEFORE}] ) (?P<code> [=~] ) (?= {_SOLID} ) {_TEXT} {_SOLID} (?P=code)
          (?! [^{AFTER}] )
        | (?<! [^{BEFORE}{CJK}] ) (?P<code2> [=~] ) (?= {_SOLID} ) [^\r\n=~]{{0,200}}? {_SOLID}
          (?P=code2) (?! [^{AFTER}{CJK}] ) )
      )
    | (?P<emphasis> (?<! [^{BEFORE}] ) (?P<mark> [*/_+] ) (?= {_SOLID} ) (?! (?P=mark) )
        {_TEXT} {_SOLID} (?P=mark) (?! [^{AFTER}] )
      | (?<! [^{BEFORE}{CJK}] ) \* (?= [^\s\u200b*] ) [^\r\n*]{{0,{MAX_EMPHASIS}}}?
        (?<! [\s\u200b] ) \*
        (?! [^{AFTER}{CJK}] ) )
    | (?P<end> \\\\ [ \t]* (?= [\r\n] | \Z ) )
    """,
    re.VERBOSE,
)


@dataclass
class InlineReader:
    """Reads a range of a file into nodes."""

    text: str
    place: str

    def nodes(self, start: int, end: int, depth: int = 0) -> list[Node]:
        """The nodes of a range; a line break ends a passage."""
        self.line, found = Line(), list[Node]()
        while start < end:
            start = self._read(self.text[start:end], start, depth)
            found += self.line.nodes(self.place, start)
            self.line = Line()
        return found

    def _read(self, text: str, base: int, depth: int) -> int:
        """Read a text that is at `base` in the file; returns where a passage ends."""
        place = 0
        while match := OBJECT.search(text, place):
            start = match.start()
            self._words(text[place:start], base + place)
            place = match.end()
            kind = match.lastgroup
            if match["space"] is not None:
                self.line.space(" " if match[0].isspace() and "\n" not in match[0] else "\n")
            elif match["end"] is not None and not depth:
                return base + place
            elif match["link"] is not None:
                self._link(match, base, depth)
            elif match["note"] is not None:
                place = self._note(text, match, base, depth)
            elif match["emphasis"] is not None:
                self._emphasis(match, base, depth)
            elif match["word"] is not None:
                self.line.word(match[0], base + start, base + place)
            else:
                self.line.alone(base + start, base + place)
            assert kind
        self._words(text[place:], base + place)
        return base + len(text)

    def _words(self, text: str, start: int) -> None:
        if text:
            self.line.text(text, start, start + len(text))

    def _link(self, match: re.Match[str], base: int, depth: int) -> None:
        start, end = base + match.start(), base + match.end()
        if match["text"] is None or depth >= MAX_DEPTH:
            self.line.word(match[0], start, end)
            return
        first, last = base + match.start("text"), base + match.end("text")
        self.line.open(start, first)
        self._read(match["text"], first, depth + 1)
        self.line.close(last, end)

    def _emphasis(self, match: re.Match[str], base: int, depth: int) -> None:
        start, end = base + match.start(), base + match.end()
        if match[0].count("\n") > 1 or depth >= MAX_DEPTH or len(match[0]) < 3:
            self._words(match[0], start)
            return
        self.line.open(start, start + 1)
        self._read(match[0][1:-1], start + 1, depth + 1)
        self.line.close(end - 1, end)

    def _note(self, text: str, match: re.Match[str], base: int, depth: int) -> int:
        """A note inside of the text: its own passage; returns where it ends."""
        end = _closed(text, match.end())
        if end < 0 or depth >= MAX_DEPTH:
            self._words(match[0], base + match.start())
            return match.end()
        inside = InlineReader(self.text, "note")
        children = inside.nodes(base + match.end(), base + end, depth + 1)
        self.line.alone(base + match.start(), base + end + 1, children)
        return end + 1


_BRACKET = re.compile(r"[\[\]]")
MAX_NOTE = 3_000


def _closed(text: str, place: int) -> int:
    """The offset of the bracket that closes the one before a place; -1 without one."""
    depth = 1
    for match in _BRACKET.finditer(text, place, place + MAX_NOTE):
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.start()
    return -1
