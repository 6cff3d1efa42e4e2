"""Sentences of plain text, none of which ends inside a placeholder.

`{{ message("你好。再见。") }}` is one part, whatever the marks in it. Markup formats find their
placeholders in a passage; plain text has them in a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from longways.formats.placeholders import code_spans, kept_parts
from longways.text.sentences.splitter import BLOCK, LINE_END, Segment, split_stream
from longways.translation.markup.passages import keep_whole


def plain_segments(chunks: Iterable[str], language: str) -> Iterator[Segment]:
    """The sentences of a text that arrives in chunks, each with its placeholders."""
    line, length = list[Segment](), 0
    for segment in split_stream(chunks, language):
        line.append(segment)
        length += len(segment.text) + len(segment.after)
        if length > BLOCK or LINE_END.search(segment.after):
            yield from _with_placeholders(line)
            line, length = [], 0
    yield from _with_placeholders(line)


def _with_placeholders(line: list[Segment]) -> Iterator[Segment]:
    """The segments of a line; segments are joined where one would cut a placeholder."""
    text = "".join(segment.text + segment.after for segment in line)
    if len(line) == 1 or len(text) > 2 * BLOCK:
        return iter(line)
    return keep_whole(line, kept_parts(text, code_spans(text)))
