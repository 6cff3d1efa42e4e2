"""What is kept of a finished translation: its passages, each with its sentences in both languages.

The file is gzip, whose checksum finds damage, and inside it JSON lines. The first one is the head;
each further line is a passage: its source, its translation and its pairs of sentences; or, where
the translation reads otherwise once it is written, `[text, marks]` as it is read again.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

from longways.formats.base import Mark, Passage

VERSION = 1
"""The version of the files of kept pairs."""


class KeptSentence(NamedTuple):
    """A sentence with its translation."""

    source: str
    target: str
    corrected: bool = False
    """Whether a person has changed the translation."""


@dataclass(frozen=True)
class KeptPassage:
    """A passage with its translation."""

    source: Passage
    target: Passage
    sentences: tuple[KeptSentence, ...]
    """Its sentences in order; those without any text are left out."""
    is_whole: bool = field(default=True, compare=False)
    """Whether the marks of the translation are known; if not, they are placed again."""


class Head(NamedTuple):
    """What a kept translation was made from."""

    file: str
    """The name of the translation."""
    source: str
    """The path of the source from the folder of the translation."""
    text: str
    """The hash of the source."""
    output: str
    """The hash of the translation as it was written."""
    format: str
    """The name of its format."""
    options: Mapping[str, Any]
    """The model and the options."""
    before: str = ""
    """The hash of the translation that it replaced; empty if there was none."""
    version: int = VERSION


@dataclass(frozen=True)
class Kept:
    """All that is kept of a translation."""

    head: Head
    passages: Sequence[KeptPassage]
    output: Sequence[Passage] | None = None
    """The passages of the written translation; None where they are the translated ones."""

    @property
    def read_again(self) -> Sequence[Passage]:
        """The passages of the written translation."""
        return [one.target for one in self.passages] if self.output is None else self.output


def dump(kept: Kept) -> bytes:
    """The bytes of a file of kept pairs; the same pairs give the same bytes."""
    lines: list[object] = [kept.head._asdict()]
    lines += ([_values(p.source), _values(p.target), p.sentences] for p in kept.passages)
    lines += (_values(passage) for passage in kept.output or ())
    lines += [] if kept.output is not None else [None]
    text = "\n".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) for line in lines)
    return gzip.compress(text.encode("utf-8", "surrogatepass"), mtime=0)


def load_head(data: BinaryIO) -> Head | None:
    """The head of a file of kept pairs, without the rest."""
    try:
        with gzip.open(data) as lines:
            return _head(json.loads(lines.readline()))
    except (OSError, EOFError, zlib.error, ValueError, TypeError, RecursionError):
        return None


def load(data: bytes) -> Kept | None:
    """What a file of kept pairs says; None if it is damaged or of another version."""
    try:
        text = gzip.decompress(data).decode("utf-8", "surrogatepass")
        head, *lines = (json.loads(line) for line in text.split("\n"))
        is_same = lines[-1:] == [None]
        pairs = [line for line in lines if line and len(line) == 3 and isinstance(line[0], list)]
        others = lines[len(pairs) :]
        output = None if is_same else [_passage(line) for line in others]
        found = _head(head)
        return Kept(found, [_kept(line) for line in pairs], output) if found else None
    except (OSError, EOFError, zlib.error, ValueError, TypeError, RecursionError):
        return None


def _head(values: Any) -> Head | None:
    """The head, unless it is of another version."""
    is_ours = isinstance(values, dict) and values.get("version") == VERSION
    return Head(**values) if is_ours else None


def same_as_read(kept: Iterable[KeptPassage], read: Sequence[Passage]) -> bool:
    """Whether a written translation reads as its passages were translated."""
    return [_shape(one.target) for one in kept] == [_shape(passage) for passage in read]


def _shape(passage: Passage) -> tuple[str, list[tuple[int, int]]]:
    return passage.text, [(mark.start, mark.end) for mark in passage.marks]


def _values(passage: Passage) -> list[Any]:
    marks = [[mark.start, mark.end, mark.tag] for mark in passage.marks]
    return [passage.text, marks, passage.keep] if passage.keep else [passage.text, marks]


def _passage(values: list[Any]) -> Passage:
    text, marks, *keep = values
    if not isinstance(text, str):
        raise TypeError(text)
    spans = tuple((a, b) for a, b in keep[0]) if keep else ()
    return Passage(text, tuple(Mark(*mark) for mark in marks), spans)


def _kept(line: list[Any]) -> KeptPassage:
    source, target, sentences = line
    found = tuple(KeptSentence(*sentence) for sentence in sentences)
    return KeptPassage(_passage(source), _passage(target), found)
