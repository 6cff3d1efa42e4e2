"""The content of a file: segments to translate, and how their translations are written.

`TextStream` is plain text, written as it is translated. `FormattedFile` (in `formatted_file`) is a
file that is written as a whole.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol

from longways.errors import TextError, unreadable
from longways.formats.contents import SIGNATURE_BYTES, check_text
from longways.text.charset import decode_chunks
from longways.text.sentences.splitter import Segment
from longways.translation.files.output import Output
from longways.translation.files.output_styles import OutputStyle
from longways.translation.files.plan import File
from longways.translation.files.updates.kept import KeptPassage
from longways.translation.files.updates.lines import LinePairs
from longways.translation.plain_text import plain_segments
from longways.translation.segments import TranslatedSegment


class Content(Protocol):
    """The content of one file."""

    @property
    def characters(self) -> int | None:
        """The number of characters to translate, if it is known."""

    def segments(self) -> Iterator[Segment]:
        """The segments to translate, one document."""

    def add(self, ready: TranslatedSegment, output: Output) -> TranslatedSegment:
        """Take the next translated segment, and write what it completes; returns what it writes."""

    def note(self, warning: str) -> None:
        """Take a warning about the whole file, for styles that have a place for it."""

    def preview(self, output: Output) -> None:
        """Write the file as far as it is translated, unless it is written already."""

    def finish(self, output: Output) -> None:
        """Write the rest, now that all segments are translated."""

    def pairs(self) -> list[KeptPassage]:
        """The passages with their translations, once all segments are translated."""


class TextStream:
    """Plain text, read and written in a stream."""

    def __init__(
        self,
        file: File,
        language: str,
        style: OutputStyle,
        check: Callable[[str], None],
        find: Callable[[Iterable[Segment]], Iterator[Segment]] = iter,
        lines: LinePairs | None = None,
    ) -> None:
        """`check` is called with the beginning of the text.

        `find` adds known translations, and `lines` collects pairs of lines.
        """
        self.lines = lines
        self.file, self.language, self.style, self.check = file, language, style, check
        self.find = find
        self.characters = file.characters

    def segments(self) -> Iterator[Segment]:
        """The segments of the text, read as they are asked for."""
        try:
            with _open_bytes(self.file) as data:
                if peek := getattr(data, "peek", None):
                    check_text(peek(SIGNATURE_BYTES), self.file.name)
                chunks = decode_chunks(data, self.file.encoding, self.file.name, self.language)
                yield from self.find(plain_segments(self._checked(chunks), self.language))
        except OSError as error:
            raise TextError(unreadable(self.file.name, error)) from error

    def add(self, ready: TranslatedSegment, output: Output) -> TranslatedSegment:
        """Append the translation in the style of the output."""
        if self.lines:
            self.lines.add(ready.segment, ready.translation)
        if text := self.style.add(ready):
            output.append(text)
        return ready

    def note(self, warning: str) -> None:
        """Let the style write the warning at the end of the text."""
        self.style.note(warning)

    def preview(self, output: Output) -> None:
        """Do nothing: all that is translated is written."""

    def finish(self, output: Output) -> None:
        """Append the end of the text."""
        output.append(self.style.finish())

    def pairs(self) -> list[KeptPassage]:
        """The lines with their translations; none if they are not collected."""
        return self.lines.finish() if self.lines else []

    def _checked(self, chunks: Iterator[str]) -> Iterator[str]:
        first = next(chunks, "")
        self.check(first)
        yield first
        yield from chunks


@contextmanager
def _open_bytes(file: File) -> Iterator[BinaryIO]:
    if file.source is None:
        yield sys.stdin.buffer
    else:
        with file.source.open("rb") as opened:
            yield opened
