# ruff: noqa: RUF001 - Chinese marks look like ASCII ones
"""The text of an e-mail without markup: paragraphs, quoted answers, signatures, flowed text.

    > 你好
    > 谢谢          a passage for each line; lines that a program has wrapped are one paragraph

A wrapped paragraph is wrapped again at its width. In text of the kind `format=flowed`, a line that
ends with a space continues in the next one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longways.formats.base import Passage
from longways.formats.html.charset import DecodedHtml
from longways.formats.placeholders import kept_parts
from longways.formats.resources.readable import has_letters

MIN_WRAPPED_COLUMNS, MAX_WRAPPED_COLUMNS = 60, 80
"""A line of such a width may have been wrapped by a program."""
FLOWED_COLUMNS = 72
_LINE = re.compile(r"([^\r\n]*)(\r\n|\n|\r|\Z)")
_LINE_ENDS = re.compile(r"(?<!\s)\s*[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
_PREFIX = re.compile(r"(?:[ \t]*>)*[ \t\u3000]*")
_QUOTES = re.compile(r"((?:> ?)*>|)( ?)")
_ITEM = re.compile(r"(?:[-*+•·]|\d{1,3}[.)、．]|[一二三四五六七八九十]{1,3}、|[（(]\d{1,3}[）)])")
_COLUMNS = re.compile(r"\S(?:\t|   )")
_UNIT = re.compile(
    r"[\u2e80-\ufaff\uff00-\uffef][，。、；：！？”’）】》…—]*|[^\s\u2e80-\ufaff\uff00-\uffef]+|\s+"
)
_ENCODED = re.compile(r"begin [0-7]{3} \S|={3,}ybegin ")


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    prefix: str
    text: str
    is_soft: bool = False
    """Whether flowed text continues in the next line."""


@dataclass(frozen=True)
class _Paragraph:
    """Lines of one passage."""

    start: int
    end: int
    lines: Sequence[_Line]


@dataclass(frozen=True)
class Flow:
    """Whether a text is flowed, and whether the spaces at its line ends are deleted."""

    is_flowed: bool = False
    deletes: bool = False


class PlainText:
    """The passages of a text."""

    def __init__(self, decoded: DecodedHtml, language: str, flow: Flow) -> None:
        self._decoded, self._flow = decoded, flow
        lines = list(_lines(decoded.text, flow))
        found = ((p, _passage(p, flow)) for p in _paragraphs(lines, flow))
        self._found = [(p, passage) for p, passage in found if has_letters(passage.text, language)]
        self.passages = [passage for _, passage in self._found]
        ends = re.search(r"\r\n|\n|\r", decoded.text)
        self._end = ends[0] if ends else "\r\n"

    def write(self, passages: Sequence[Passage], *, bilingual: bool) -> tuple[bytes, str]:
        """The text with new passages, and its charset if that is another one now."""
        text = self._decoded.text
        edits = [
            (own.start, own.end, self._written(own, new, bilingual=bilingual))
            for (own, old), new in zip(self._found, passages, strict=True)
            if new.text != old.text
        ]
        codec = self._decoded.writing
        fits = all(_fits(new, codec) for _, _, new in edits)
        parts, place = list[bytes](), 0
        for start, end, new in [*edits, (len(text), len(text), "")]:
            own = text[place:start].encode("utf-8", "surrogateescape")
            parts.append(self._decoded.original(place, start) if fits else own)
            parts.append(new.encode(codec if fits else "utf-8", "replace"))
            place = end
        return b"".join(parts), "" if fits else "utf-8"

    def _written(self, own: _Paragraph, new: Passage, *, bilingual: bool) -> str:
        text = _LINE_ENDS.sub(" ", new.text).strip()
        prefix, rest = own.lines[0].prefix, own.lines[-1].prefix
        if self._flow.is_flowed:
            lines = _flowed(text, prefix, deletes=self._flow.deletes)
        elif len(own.lines) == 1:
            lines = [prefix + text]
        else:
            width = max(_columns(line.text) for line in own.lines)
            lines = [(rest if n else prefix) + line for n, line in enumerate(_wrapped(text, width))]
        if ">" not in prefix:
            lines = [f" {line}" if line.startswith(">") else line for line in lines]
        lines += [self._decoded.text[own.start : own.end]] if bilingual else []
        return self._end.join(lines)


def _lines(text: str, flow: Flow) -> Iterator[_Line]:
    """The lines of a text that are read; files that are encoded in it are not."""
    end = ""
    for match in _LINE.finditer(text):
        line = match[1]
        if end or _ENCODED.match(line):
            end = "" if end and line.startswith(end) else end or _end_of(line)
            line = ""
        if not flow.is_flowed:
            prefix = _PREFIX.match(line)
            before = prefix[0] if prefix else ""
            yield _Line(match.start(), match.end(1), before, line[len(before) :].rstrip())
            continue
        quotes = _QUOTES.match(line)
        assert quotes  # it may be empty
        inside = line[quotes.end() :]
        is_soft = inside.endswith(" ") and inside.rstrip() != "--"
        yield _Line(match.start(), match.end(1), quotes[1], inside, is_soft)


def _end_of(line: str) -> str:
    return "=yend" if line.startswith("=") else "end"


def _paragraphs(lines: Sequence[_Line], flow: Flow) -> Iterator[_Paragraph]:
    open_ones, signature = list[_Line](), -1
    for line in lines:
        depth = line.prefix.count(">")
        is_signature = depth == signature
        if open_ones and not _continues(open_ones[-1], line, flow, is_signature=is_signature):
            yield _paragraph(open_ones, flow)
            open_ones = []
        if line.text.strip():
            open_ones.append(line)
            signature = depth if line.text.rstrip() == "--" else signature if is_signature else -1
    if open_ones:
        yield _paragraph(open_ones, flow)


def _paragraph(lines: Sequence[_Line], flow: Flow) -> _Paragraph:
    end = lines[-1].start + len(lines[-1].prefix) + len(lines[-1].text)
    return _Paragraph(lines[0].start, lines[-1].end if flow.is_flowed else end, lines)


def _continues(line: _Line, following: _Line, flow: Flow, *, is_signature: bool) -> bool:
    """Whether a paragraph continues in the next line."""
    if not following.text.strip():
        return False
    if flow.is_flowed:
        return line.is_soft and following.prefix == line.prefix
    if is_signature or following.prefix.rstrip() != line.prefix.rstrip():
        return False
    if _ITEM.match(following.text) or _COLUMNS.search(line.text):
        return False
    return MIN_WRAPPED_COLUMNS <= _columns(line.prefix + line.text) <= MAX_WRAPPED_COLUMNS


def _passage(paragraph: _Paragraph, flow: Flow) -> Passage:
    between = "" if flow.is_flowed else "\n"
    cut = 1 if flow.deletes else 0
    texts = [line.text[: len(line.text) - cut * line.is_soft] for line in paragraph.lines]
    text = between.join(texts).strip()
    return Passage(text, keep=kept_parts(text))


def _columns(text: str) -> int:
    """The width of a text; letters of East Asia have two columns."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def _wrapped(text: str, width: int) -> list[str]:
    """The lines of a text at a width; a longer word has a line of its own."""
    lines, room = [""], width
    for unit in _UNIT.findall(text):
        size = _columns(unit)
        if size > room and lines[-1].strip():
            lines.append("")
            room = width
        if lines[-1] or not unit.isspace():
            lines[-1] += unit
            room -= size
    return [line.rstrip() for line in lines]


def _flowed(text: str, quotes: str, *, deletes: bool) -> list[str]:
    """The lines of flowed text: all but the last end with a space."""
    units, lines, room = _UNIT.findall(text), [""], FLOWED_COLUMNS
    for unit in units:
        size = _columns(unit)
        if (size > room and lines[-1].endswith(" ")) or (deletes and size > room and lines[-1]):
            lines.append("")
            room = FLOWED_COLUMNS
        lines[-1] += unit
        room -= size
    soft = " " if deletes else ""
    stuffed = (_stuffed(line, quotes) for line in lines)
    return [line + (soft if n < len(lines) - 1 else "") for n, line in enumerate(stuffed)]


def _stuffed(line: str, quotes: str) -> str:
    needs = quotes or line.startswith((" ", ">", "From "))
    return f"{quotes} {line}" if needs else line


def _fits(text: str, codec: str) -> bool:
    try:
        return text.encode(codec).decode(codec) == text
    except UnicodeError:
        return False
