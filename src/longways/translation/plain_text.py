"""Sentences of plain text, none of which ends inside a placeholder, and items of rows.

`{{ message("你好。再见。") }}` is one part, whatever the marks in it. Markup formats find their
placeholders in a passage; plain text has them in a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from longways.formats.base import Passage
from longways.formats.placeholders import Range, code_spans, kept_parts
from longways.text.sentences.splitter import BLOCK, LINE_END, Segment, split_stream
from longways.translation.markup.passages import keep_whole
from longways.translation.markup.rows import row_segments, separators


def plain_segments(chunks: Iterable[str], language: str) -> Iterator[Segment]:
    """The sentences of a text that arrives in chunks, each with its placeholders."""
    line, length = list[Segment](), 0
    for segment in split_stream(chunks, language):
        line.append(segment)
        length += len(segment.text) + len(segment.after)
        if length > BLOCK or LINE_END.search(segment.after):
            yield from _with_placeholders(line, language)
            line, length = [], 0
    yield from _with_placeholders(line, language)


def _with_placeholders(line: list[Segment], language: str) -> Iterator[Segment]:
    """The segments of a line; segments are joined where one would cut a placeholder."""
    text = "".join(segment.text + segment.after for segment in line)
    if len(text) > BLOCK or not text.strip():
        return iter(line)
    keep = kept_parts(text, code_spans(text))
    return keep_whole(_items(line, text, keep, language), keep)


def _items(
    line: list[Segment], text: str, keep: Sequence[Range], language: str
) -> Iterable[Segment]:
    """The segments of a line; in a row of labels, such as 姓名|年龄|性别, one for each of them."""
    body = text.rstrip()
    flow = Passage(body, (), tuple(span for span in keep if span[1] <= len(body)))
    if not separators(flow):
        return line
    *items, last = row_segments(flow, language)
    return [*items, last._replace(after=last.after + text[len(body) :])]
