"""Subtitles, as srt, webvtt-py and pysubs2 read them."""

from __future__ import annotations

import io
import re
from collections import Counter

from benchmarks.round_trips.readers.seen import Seen, decoded

_TAGS = re.compile(r"\{[^{}]*\}")
_DRAWING = re.compile(r"\{[^{}]*\\p[1-9][^{}]*\}[^{}]*")
_LOOK = re.compile(r"\{(?:\\[bi][01])+\}|\{\\r\}")
"""Tags of words, which may be in another event of the same sentence."""


def srt(data: bytes) -> Seen:
    """Cues with their numbers and times."""
    import srt as library

    cues = list(library.parse(decoded(data)))
    return Seen([(c.index, c.start, c.end) for c in cues], [c.content for c in cues])


def vtt(data: bytes) -> Seen:
    """Cues with their names and times."""
    import webvtt

    cues = list(webvtt.from_buffer(io.StringIO(decoded(data))))
    return Seen([(c.identifier, c.start, c.end) for c in cues], [c.text for c in cues])


def ass(data: bytes) -> Seen:
    """Events with their fields and tags."""
    import pysubs2

    file = pysubs2.SSAFile.from_string(decoded(data), format_="ass")
    fields = ("start", "end", "style", "layer", "name", "effect", "type")
    events = [
        (
            [getattr(event, field) for field in fields],
            [tag for tag in _TAGS.findall(event.text) if not _LOOK.match(tag)],
            event.text if event.is_comment else _DRAWING.findall(event.text),
        )
        for event in file
    ]
    read = [_DRAWING.sub("", event.text) for event in file if not event.is_comment]
    texts = [_TAGS.sub("", text).replace("\\N", "\n") for text in read]
    looks = Counter(tag for event in file for tag in _LOOK.findall(event.text))
    return Seen((dict(file.info), sorted(file.styles), events, looks), texts)
