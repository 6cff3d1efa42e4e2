"""A file with a format on its way: taken apart, its sentences translated, put together again."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from longways.errors import FormatError, TextError
from longways.formats.base import FormattedDocument, Passage
from longways.text.sentences.splitter import Segment
from longways.translation.files.output_styles import Bilingual, Form, PlainText
from longways.translation.files.plan import File
from longways.translation.markup.passages import Passages
from longways.translation.segments import Piece
from longways.translation.translator import Translator

BEGINNING = 2000
"""Characters by which the language of a file is known."""


def read_formatted(file: File, language: str) -> FormattedDocument:
    """Take a file apart; what is wrong with it is told with its name."""
    assert file.format is not None, "it is plain text"
    try:
        data = file.source.read_bytes() if file.source else sys.stdin.buffer.read()
        return file.format.read(data, language, file.encoding)
    except OSError as error:
        raise FormatError(f"{file.name} cannot be read: {error.strerror}.") from error
    except TextError as error:
        raise FormatError(f"{file.name}: {error}") from error


class FormattedFile:
    """The form of a translation that is a file like its source, or sentences taken out of it.

    Plain text and both languages together are written in the file's own format; other forms show
    its sentences.
    """

    def __init__(
        self, document: FormattedDocument, translator: Translator, form: type[Form], name: str
    ) -> None:
        self.document, self.language = document, translator.target_language
        self.passages = Passages(document.passages, translator)
        self.bilingual = form is Bilingual
        self.shown = None if form in (PlainText, Bilingual) else form(name, self.language)

    @property
    def characters(self) -> int:
        """All that there is to translate."""
        return sum(len(passage.text) for passage in self.document.passages)

    @property
    def beginning(self) -> str:
        """The first words of it."""
        return " ".join(passage.text for passage in self.document.passages[:50])[:BEGINNING]

    def segments(self) -> Iterator[Segment]:
        """Its sentences, one document."""
        return self.passages.segments()

    def add(self, piece: Piece) -> str:
        """What to write, now that a piece is ready: nothing, unless sentences are shown."""
        mended = self.passages.add(piece)
        return self.shown.add(mended) if self.shown else ""

    def so_far(self) -> bytes | None:
        """The whole file, translated as far as it is; None if it is not written as a file."""
        return None if self.shown else self._write(self.passages.so_far())

    def finish(self) -> str | bytes:
        """What to write at the end."""
        passages = self.passages.finish()
        return self.shown.finish() if self.shown else self._write(passages)

    def _write(self, passages: list[Passage]) -> bytes:
        return self.document.write(passages, self.language, bilingual=self.bilingual)
