"""What a file format is: it takes a file apart into passages, and puts it together again.

A passage is text that belongs together: a paragraph, a heading, a table cell, the cues of a
sentence. What a machine reads (code blocks, addresses, times, styles) is in no passage; the format
keeps it. Markup inside a passage is a list of marks beside its text, so that sentences are
translated whole and the marks find their places again afterwards.

    document = format.read(data, "zh")
    document.write(document.passages, "zh")              # the same bytes
    document.write([translated(p) for p in document.passages], "en")

To add a format, write these two classes and give yours to `translate_file(..., format=...)`; or
name it in `longways.translate.formats.known`, by which it is also known to the command.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Mark:
    """Markup around some characters of a passage, or a thing that stands between two of them."""

    start: int
    end: int
    """The characters it encloses, `text[start:end]`. None for what stands by itself: an image, a
    line break, the reference to a footnote."""
    tag: int
    """Which markup this is. Only the format knows what it stands for; no two marks of a passage
    have the same."""


@dataclass(frozen=True)
class Passage:
    """What a reader reads in one place, without markup and escapes."""

    text: str
    """It may have line ends in it, where the file has them and they mean no more than a space."""
    marks: tuple[Mark, ...] = ()
    """Properly nested: two marks are apart, or one encloses the other. In the order in which they
    begin, the outer before the inner."""
    keep: tuple[tuple[int, int], ...] = ()
    """Characters, from and up to, that must not be translated, apart and in order: code, addresses,
    placeholders. They are found again in a translation, each as it was."""


class Document(Protocol):
    """A file that was taken apart."""

    @property
    def passages(self) -> Sequence[Passage]:
        """In the order in which they are read."""

    @property
    def warnings(self) -> Sequence[str]:
        """What was wrong with the file and was mended: a sentence each, with its place."""

    def write(
        self, passages: Sequence[Passage], language: str, *, bilingual: bool = False
    ) -> bytes:
        """The file with these passages in place of its own, as many and in the same order.

        A passage that is equal to the file's own is written as the file has it, to the byte. Of any
        other, text and places of marks are new, but every mark is there; `language` is that of its
        text. Any mixture is a valid file. `bilingual` shows each new passage with its own below
        or beside it.
        """


class Format(Protocol):
    """A kind of file."""

    @property
    def name(self) -> str:
        """As in `--format NAME`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Ends of file names, as in `.md`, in lower case."""

    def read(self, data: bytes, language: str, encoding: str | None = None) -> Document:
        """Take a file apart; `language` is that of its text.

        `encoding` is what the user says the bytes are; None: found out. A byte order mark at the
        start of the file counts more, what the file says of itself counts less.

        Raises `FormatError`, one sentence that says what is wrong and where, if it is no such file
        and cannot be mended.
        """
