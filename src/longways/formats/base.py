"""The interface of a file format: it reads a file as passages, and writes passages as a file.

A passage is text that belongs together: a paragraph, a heading, a table cell, the cues of a
sentence. Machine-readable content (code blocks, addresses, times, styles) is in no passage; the
format keeps it. Markup inside a passage is a list of marks beside its text, so that sentences are
translated whole and the marks are projected onto the translation.

    document = format.read(data, "zh")
    document.write(document.passages, "zh")              # the same bytes
    document.write([translated(p) for p in document.passages], "en")

To add a format, write these two classes and give yours to `translate_file(..., format=...)`; or
add it to `longways.formats.registry`, so that the command line knows it too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Mark:
    """Markup around some characters of a passage, or a standalone item between two characters."""

    start: int
    end: int
    """The characters it encloses, `text[start:end]`. The range is empty for a
    standalone item: an image, a line break, a footnote reference."""
    tag: int
    """Number of the markup, unique within the passage. Only the format knows its meaning."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Text of one place in a file, without markup and escapes."""

    text: str
    """The text. It may contain soft line breaks of the file, which mean a space."""
    marks: tuple[Mark, ...] = ()
    """Marks, properly nested, in the order in which they begin, outer before inner."""
    keep: tuple[tuple[int, int], ...] = ()
    """Ranges (start, end) that must not be translated, disjoint and in order: code, addresses,
    placeholders. A translation contains each of them unchanged."""
    breaks: tuple[int, ...] = field(default=(), compare=False)
    """Places of hard line breaks and tabs, in order. Sentences end there, and what is on one side
    of a break stays there. The break itself is a mark, if it must be written again."""


class FormattedDocument(Protocol):
    """A parsed file."""

    @property
    def passages(self) -> Sequence[Passage]:
        """The passages in reading order."""

    @property
    def warnings(self) -> Sequence[str]:
        """Defects of the file that were fixed: one sentence each, with its place."""

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own, same number and order.

        A passage that equals the original is written byte for byte as in the file. A new passage
        has new text and mark positions, but the same marks; `language` is the language of new text.
        Any mixture gives a valid file. `bilingual` adds the original below or beside each new
        passage.
        """


class Format(Protocol):
    """A file format."""

    @property
    def name(self) -> str:
        """The name in `--format NAME`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """File name suffixes in lower case, as in `.md`."""

    def read(self, data: bytes, language: str, encoding: str | None = None) -> FormattedDocument:
        """Parse a file; `language` is the language of its text.

        `encoding` is the encoding that the user gives, or None to detect it. A byte order mark has
        priority over it; it has priority over a declaration in the file.

        Raises `FormatError`, which says what is wrong and where, if the file is not of this format
        and cannot be fixed.
        """
