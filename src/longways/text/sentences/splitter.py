r"""Sentence splitting of plain text that keeps every character.

    text == "".join(segment.text + segment.after for segment in split_text(text, language))

A line end always ends a sentence, so that text with one sentence per line keeps its lines;
`boundaries` and `gaps` find the ends within a line. Memory does not grow with the text, nor with
its longest line: a long line is read in blocks, and a sentence longer than a block is cut at its
best break, into segments that belong together.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from typing import NamedTuple

from longways.text.sentences.boundaries import sentence_ends
from longways.text.sentences.gaps import gap_starts
from longways.text.sentences.long_sentences import best_break

BLOCK = 8_192
"""Characters of a line that are split together."""

LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
"""All line ends that `str.splitlines` knows."""

_VISIBLE = re.compile(r"\S")


class Segment(NamedTuple):
    """A sentence, or a part of one, and the whitespace after it."""

    text: str
    """Without whitespace at its ends. Empty for a blank line and for an indent."""
    after: str
    """Whitespace up to the next segment, or to the end of the line and with it."""
    ends: bool = True
    """Whether a sentence ends here; otherwise the next segment continues it."""
    keep: tuple[tuple[int, int], ...] = ()
    """Ranges (start, end) of the text that must be copied unchanged."""
    given: str | None = None
    """Its translation, where it is known before any search."""


def split_text(text: str, language: str) -> list[Segment]:
    """The sentences of a text."""
    return list(split_stream([text], language))


def split_stream(chunks: Iterable[str], language: str) -> Iterator[Segment]:
    """Split a text that arrives in chunks; sentences are yielded when their line ends.

    The chunk borders do not change the result.
    """
    rest = ""
    for chunk in chunks:
        rest = yield from _whole_lines(rest + chunk, language)
        rest = yield from _whole_blocks(rest, language)
    end = "\r" if rest.endswith("\r") else ""
    yield from _line(rest.removesuffix("\r"), end, language)


def split_item(item: str) -> list[Segment]:
    """Split an item that the user calls one sentence, at line ends only."""
    segments, start = list[Segment](), 0
    for end in LINE_END.finditer(item):
        segments += _segments(item[start : end.start()], [], end[0])
        start = end.end()
    segments += _segments(item[start:], [], "")
    if not segments:
        return [Segment("", "")]
    return [*(s._replace(ends=False) for s in segments[:-1]), segments[-1]]


def _whole_lines(text: str, language: str) -> Generator[Segment, None, str]:
    r"""Yield the complete lines; return the rest. A last \r may be half a line end."""
    start = 0
    for end in LINE_END.finditer(text):
        if end[0] == "\r" and end.end() == len(text):
            break
        yield from _line(text[start : end.start()], end[0], language)
        start = end.end()
    return text[start:]


def _line(line: str, end: str, language: str) -> Iterator[Segment]:
    """The segments of a whole line."""
    rest = yield from _whole_blocks(line, language)
    yield from _segments(rest, _ends(rest, language), end)


def _ends(line: str, language: str) -> list[int]:
    """Offsets at which segments of a line end: at the end of a sentence, and before a gap."""
    return sorted({*sentence_ends(line, language), *gap_starts(line, language)})


def _whole_blocks(line: str, language: str) -> Generator[Segment, None, str]:
    """Yield sentences of a line as long as it is longer than a block; return the rest."""
    while len(line.removesuffix("\r")) > BLOCK:
        block = line[:BLOCK]
        segments = _segments(block, _ends(block, language), "")
        whole = segments[:-1] or _first_part(block, segments[0])
        yield from whole
        line = line[sum(len(s.text) + len(s.after) for s in whole) :]
    return line


def _first_part(block: str, only: Segment) -> list[Segment]:
    """The first segment of a block that holds a single sentence or only whitespace."""
    if not only.text:
        return [only]
    first = block[: best_break(block)]
    return [Segment(first.rstrip(), first[len(first.rstrip()) :], ends=False)]


def _segments(line: str, ends: Iterable[int], end: str) -> list[Segment]:
    """The segments of a line between sentence ends, each with the whitespace after it."""
    visible = _VISIBLE.search(line)
    if not visible:
        return [Segment("", line + end)] if line or end else []
    start = visible.start()
    segments = [Segment("", line[:start])] if start else []
    for place in (*ends, len(line)):
        text = line[start:place].rstrip()
        following = _VISIBLE.search(line, place)
        stop = following.start() if following else len(line)
        segments.append(Segment(text, line[start + len(text) : stop]))
        start = stop
    last = segments[-1]
    return [*segments[:-1], last._replace(after=last.after + end)]
