"""Writes inline text of AsciiDoc, verified by reading the result.

Signs keep the form that they have in the file where it is valid beside the new words; else they
are doubled: `**bold**`. Text that would be read as markup gets character references (`&#42;`),
which AsciiDoc never reads as signs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from longways.formats.asciidoc.text.passages import Hole, Inline, read_inline
from longways.formats.base import Passage
from longways.formats.markdown.nodes import Markup
from longways.formats.markdown.sequence import Step, beside_items, outline, sequence

_SIGNS = re.compile(
    r"(?<!\s)[*_`#+^~]|[*_`#+^~](?!\s)|[{}\\]|<(?=<)|\[(?=\[)|\((?=\()|"
    r"(?<=[\"'])`|(?<=[a-z]):(?=[^\s])|[ ]\+$"
)
_ADDRESS = re.compile(r"(?:https?|ftp|irc|file)://|\{[\w-]+\}[\w/.#-]*\[")
_QUOTES = frozenset(["strong", "em", "code", "mark"])
_LINE_ENDS = re.compile(r"[\r\n\t\v\f\x00-\x1f\x7f\x85\u2028\u2029]")


def write_inline(own: Inline, new: Passage, holes: Mapping[tuple[int, int], str]) -> str:
    """A new passage with the markup of its own one; `holes` are new texts inside of markup."""
    passage = Passage(_LINE_ENDS.sub(" ", new.text), new.marks)
    steps = beside_items(sequence(passage, own.markups), own.markups, own.text)
    meant, written = _outline(steps, own.markups, own.words), ""
    for doubled, strict in ((False, False), (False, True), (True, False), (True, True)):
        written = _Writer(own, holes, doubled, strict).write(steps)
        again = read_inline(written)
        if _outline(sequence(again.passage, again.markups), again.markups, again.words) == meant:
            break
    return written


def _outline(steps: Sequence[Step], markups: Mapping[int, Markup], words: Sequence[str]) -> str:
    """A key that is equal for texts that are rendered equally, whitespace aside."""
    kept = [_marked(step, words) if step.kind == "text" else step for step in steps]
    return re.sub(r"\s+", "", outline(kept, markups))


def _marked(step: Step, words: Sequence[str]) -> Step:
    """A text whose words of markup are marked as such, since other text may look like them."""
    longest = sorted((w for w in words if "://" not in w[:8]), key=len, reverse=True)
    if not longest:
        return step
    pattern = "|".join(map(re.escape, longest))
    return Step("text", re.sub(pattern, "\x05\\g<0>\x06", step.text))


class _Writer:
    """Writes steps in one style."""

    def __init__(
        self, own: Inline, holes: Mapping[tuple[int, int], str], doubled: bool, strict: bool
    ) -> None:
        self.own, self.holes, self.doubled, self.strict = own, holes, doubled, strict
        self.inside = dict[int, list[Hole]]()
        for hole in own.holes:
            self.inside.setdefault(hole.tag, []).append(hole)
        longest = sorted(own.words, key=len, reverse=True)
        self.words = re.compile(f"({'|'.join(map(re.escape, longest))})") if longest else None

    def write(self, steps: Sequence[Step]) -> str:
        """The text of the block on one line, but for its line breaks."""
        fragments = [self._fragment(step) for step in steps]
        opened = dict[int, int]()
        for at, step in enumerate(steps):
            if step.kind == "open":
                opened[step.tag] = at
            elif step.kind == "close" and step.tag in opened:
                self._sign(fragments, opened[step.tag], at, step.tag)
        return self._with_spaces("".join(fragments))

    def _with_spaces(self, written: str) -> str:
        """The text with spaces around addresses that touch a word of another script."""
        for word in self.own.words:
            if "://" in word[:8]:
                bare = rf"(?<=[^\s<>()\[\];\"'])(?={re.escape(word)})"
                glued = rf"(?<={re.escape(word)})(?=[^\x00-\x7f\u3000-\u303f\uff00-\uffef])"
                written = re.sub(f"{bare}|{glued}", " ", written)
        return written

    def _fragment(self, step: Step) -> str:
        if step.kind == "text":
            return self._text(step.text)
        markup = self.own.markups[step.tag]
        if step.kind == "alone":
            return self._alone(step.tag, markup)
        return self._source(markup.opening if step.kind == "open" else markup.closing or (0, 0))

    def _source(self, place: tuple[int, int]) -> str:
        return self.own.text[slice(*place)].replace("\n", " ")

    def _alone(self, tag: int, markup: Markup) -> str:
        if markup.name == "br":
            return " +\n"
        (start, end), parts = markup.opening, list[str]()
        for hole in self.inside.get(tag, ()):
            if (hole.start, hole.end) in self.holes:
                parts += self._source((start, hole.start)), self.holes[hole.start, hole.end]
                start = hole.end
        return "".join([*parts, self._source((start, end))])

    def _text(self, text: str) -> str:
        if not self.strict:
            return text
        parts = self.words.split(text) if self.words else [text]
        parts[::2] = [_SIGNS.sub(_reference, part) for part in parts[::2]]
        return "".join(parts)

    def _sign(self, fragments: list[str], start: int, end: int, tag: int) -> None:
        """Write both ends of a mark so that they are read beside the characters there."""
        markup = self.own.markups[tag]
        before = _beside(fragments, start, -1)[-1:]
        after = _beside(fragments, end, 1)[:1]
        inside = _beside(fragments, start, 1)[:1] + _beside(fragments, end, -1)[-1:]
        if markup.name in _QUOTES:
            fragments[start], fragments[end] = self._quotes(markup, before, inside, after)
        elif markup.name in ("sup", "sub"):
            for at in range(start + 1, end):
                fragments[at] = re.sub(r"\s", "&#160;", fragments[at])
        elif markup.name == "curved" and (_is_word(before) or _is_word(after)):
            is_double = fragments[start][0] == '"'
            fragments[start] = "\u201c" if is_double else "\u2018"
            fragments[end] = "\u201d" if is_double else "\u2019"
        elif markup.name == "a":
            self._link(fragments, start, end, before)

    def _quotes(self, markup: Markup, before: str, inside: str, after: str) -> tuple[str, str]:
        """The signs of formatted text, doubled if single ones would not be read."""
        opening = self._source(markup.opening)
        sign = opening[opening.rfind("]") + 1 :]
        role = opening.removesuffix(sign)
        is_edge = not _is_word(before) and before not in _BEFORE and not _is_word(after)
        if sign[0] == "`":
            is_edge = is_edge and after not in ("'", '"', "`") and before not in ("'", '"', "`")
        fits = is_edge and inside[:1].strip() and inside[-1:].strip()
        if len(sign) == 1 and (self.doubled or not fits):
            sign = sign * 2
        return f"{role}{sign}", sign

    def _link(self, fragments: list[str], start: int, end: int, before: str) -> None:
        """Write a link: its text ends at no bracket of its own, its address begins a word."""
        opening, closing = fragments[start], fragments[end]
        texts = range(start + 1, end)
        if closing.startswith(">>"):
            escapes = {">>": "&gt;&gt;"}
        elif closing.startswith('"'):
            escapes = {'"': '\\"'}
        elif opening.startswith("(("):
            escapes = {")": "&#41;", "(": "&#40;"}
        elif "=" in closing:
            escapes = {",": "&#44;", "=": "&#61;", '"': "&#34;"}
        else:
            escapes = {"=": "&#61;"}
        if opening.endswith("["):
            escapes |= {"[": "&#91;", "]": "&#93;"}
        for at in texts:
            if not fragments[at][:1] or self._is_markup(fragments[at]):
                continue
            for sign, new in escapes.items():
                fragments[at] = fragments[at].replace(sign, new)
        if before and _ADDRESS.match(opening) and not (before.isspace() or before in "<>()[];\"'"):
            fragments[start] = f"link:{opening}"

    def _is_markup(self, fragment: str) -> bool:
        return fragment.endswith("]") and ":" in fragment and fragment in self.own.words


_BEFORE = frozenset("_;:}")


def _beside(fragments: Sequence[str], at: int, step: int) -> str:
    """The next fragment in a direction that is not empty."""
    at += step
    while 0 <= at < len(fragments) and not fragments[at]:
        at += step
    return fragments[at] if 0 <= at < len(fragments) else ""


def _is_word(char: str) -> bool:
    return bool(char) and (char.isalnum() or char == "_")


def _reference(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(char)};" for char in match[0])
