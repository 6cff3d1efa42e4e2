"""A file with a format: its passages are translated, and it is written again as a whole."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from longways.errors import FormatError, TextError, unreadable
from longways.formats.base import FormattedDocument, Passage
from longways.formats.contents import SIGNATURE_BYTES, check_text
from longways.formats.registry import NAMES, PACKAGES
from longways.text.sentences.splitter import Segment
from longways.translation.files.output import Output
from longways.translation.files.output_styles import Bilingual, OutputStyle, PlainText
from longways.translation.files.plan import File
from longways.translation.files.updates.collect import passage_pairs
from longways.translation.files.updates.kept import KeptPassage
from longways.translation.markup.passages import Passages
from longways.translation.segments import TranslatedSegment

LANGUAGE_SAMPLE_CHARACTERS = 2000
"""The length of the text by which the language of a file is checked."""


def read_formatted(file: File, language: str) -> FormattedDocument:
    """Parse a file; an error names the file."""
    assert file.format is not None, "it is plain text"
    try:
        data = _data(file)
        if file.format.name in NAMES and file.format.name not in PACKAGES:
            check_text(data[:SIGNATURE_BYTES], file.name)
        return file.format.read(data, language, file.encoding)
    except OSError as error:
        raise FormatError(unreadable(file.name, error)) from error
    except TextError as error:
        said = str(error)
        named = said if said.startswith(file.name) else f"{file.name}: {said}"
        raise FormatError(named) from error


def _data(file: File) -> bytes:
    if file.source is None:
        return sys.stdin.buffer.read()
    return file.edited_links() or file.source.read_bytes()


class FormattedFile:
    """The content of a file with a format.

    In the styles plain text and bilingual, the file is written in its own format. Other styles list
    its sentences.
    """

    def __init__(
        self,
        document: FormattedDocument,
        passages: Passages,
        style: type[OutputStyle],
        name: str,
        language: str,
    ) -> None:
        """`language` is the language of the translation."""
        self.document, self.passages, self.language = document, passages, language
        self.bilingual = style is Bilingual
        self.listed = None if style in (PlainText, Bilingual) else style(name, language)
        self.characters = sum(len(passage.text) for passage in document.passages)

    @property
    def beginning(self) -> str:
        """The text by which the language of the file is checked."""
        text = " ".join(passage.text for passage in self.document.passages[:50])
        return text[:LANGUAGE_SAMPLE_CHARACTERS]

    def segments(self) -> Iterator[Segment]:
        """The sentences of all passages, one document."""
        return self.passages.segments()

    def add(self, ready: TranslatedSegment, output: Output) -> TranslatedSegment:
        """Put a translated segment into its passage; a style that lists sentences appends it."""
        placed = self.passages.add(ready)
        if self.listed and (text := self.listed.add(placed)):
            output.append(text)
        return placed

    def note(self, warning: str) -> None:
        """Let a style that lists sentences write the warning after them."""
        if self.listed:
            self.listed.note(warning)

    def preview(self, output: Output) -> None:
        """Write the file with the passages that are translated so far."""
        if not self.listed:
            output.replace(self._bytes(self.passages.so_far()))

    def finish(self, output: Output) -> None:
        """Write the whole file."""
        passages = self.passages.finish()
        if self.listed:
            output.append(self.listed.finish())
        else:
            output.replace(self._bytes(passages))

    def pairs(self) -> list[KeptPassage]:
        """The passages with their translations."""
        return passage_pairs(self.passages)

    def _bytes(self, passages: list[Passage]) -> bytes:
        return self.document.write(passages, self.language, bilingual=self.bilingual)
