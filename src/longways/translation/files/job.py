"""Files translated side by side, each written when it is whole; one that was ended goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import BinaryIO

from longways.decoding.hypothesis import Hypothesis
from longways.errors import FormatError, LongwaysError
from longways.text.charset import decode_chunks
from longways.text.scripts import language_warning
from longways.text.sentences.splitter import Segment, split_stream
from longways.translation.files.file_translation import Destination, FileTranslation
from longways.translation.files.formatted_file import FormattedFile, read_formatted
from longways.translation.files.journal import Journal
from longways.translation.files.journal_about import about, journal_path
from longways.translation.files.output import open_output
from longways.translation.files.output_styles import Form, JsonLines, PlainText
from longways.translation.files.plan import File
from longways.translation.segments import Piece
from longways.translation.translator import Options, Translator


class Listener:
    """Whom a job tells of what happens; this one does not listen."""

    def warn(self, message: str) -> None:
        """Something a user should know, in a sentence."""

    def begin(self, file: File, characters: int | None) -> None:
        """A file is begun; its length, if it is known."""

    def advance(self, piece: Piece) -> None:
        """A piece is written."""


class Job:
    """A translation of files: how, in which form, and whom to tell of it. A `Memory` of itself."""

    def __init__(
        self,
        translator: Translator,
        options: Options,
        form: type[Form] = PlainText,
        listener: Listener | None = None,
        *,
        force: bool = False,
    ) -> None:
        self.translator, self.options, self.form = translator, options, form
        self.listener, self.force = listener or Listener(), force
        self.warned = False
        self.shared: Destination | None = None
        self.opened: dict[int, FileTranslation] = {}
        self.failed: list[FormatError] = []

    def run(self, files: Sequence[File]) -> None:
        """Translate all. A file appears when it is whole; a job that is ended can go on later.

        A file that is not what its name says is left out, told of, and an error in the end. JSON
        lines of all files go to one output, that of the first.
        """
        try:
            for piece in self.translator.pieces(self._documents(files), self, **self.options):
                self.opened[piece.document].add(piece)
                self.listener.advance(piece)
                self._tell_missed(piece)
            if self.shared:
                self.shared.finish()
        except BaseException:
            self._leave()
            raise
        self._check_failed(len(files))

    def recall(self, document: int, sentence: int) -> Hypothesis | None:
        """A sentence that was translated before the job was ended."""
        return self.opened[document].recall(sentence)

    def record(self, document: int, sentence: int, best: Hypothesis) -> None:
        """Write a sentence down, so that it is never translated again."""
        self.opened[document].record(sentence, best)

    def _tell_missed(self, piece: Piece) -> None:
        """Say where a term could not be honoured."""
        file = self.opened[piece.document]
        for wanted in piece.missed:
            what = f"{wanted.target!r} for {wanted.source!r}"
            self.listener.warn(f"{file.name}, sentence {file.sentences}: {what} is not in it.")

    def _documents(self, files: Sequence[File]) -> Iterator[Iterator[Segment]]:
        if files and self.form is JsonLines:
            self.shared = self._destination(files)
        number = 0
        for file in files:
            began = time.monotonic()
            try:
                form, segments = self._open(file)
            except FormatError as error:
                self._fail(error, len(files))
                continue
            place = self.shared or self._destination([file])
            taken, within = time.monotonic() - began, number if self.shared else 0
            under_way = FileTranslation(form, place, within, file.name, taken)
            self.opened[number] = under_way
            yield self._until_written(number, under_way, segments)
            number += 1

    def _open(self, file: File) -> tuple[Form | FormattedFile, Iterator[Segment]]:
        """What its translation looks like, and its sentences."""
        if file.format is None:
            self.listener.begin(file, file.characters)
            return self.form(file.name, self.translator.target_language), self._segments(file)
        document = read_formatted(file, self.translator.source_language)
        form = FormattedFile(document, self.translator, self.form, file.name)
        for warning in document.warnings:
            self.listener.warn(f"{file.name}: {warning}")
        self._check_language(file, form.beginning)
        self.listener.begin(file, form.characters)
        return form, form.segments()

    def _destination(self, files: Sequence[File]) -> Destination:
        """Where files go that are written together, with a journal if they can be read again."""
        target, output = files[0].target, open_output(files[0].target)
        again = all(file.source is not None and file.source.is_file() for file in files)
        if target is None or not again:
            return Destination(output, None)
        of = about(files, self.translator, self.options)
        return Destination(output, Journal(journal_path(target), of, force=self.force))

    def _until_written(
        self, number: int, file: FileTranslation, segments: Iterator[Segment]
    ) -> Iterator[Segment]:
        """The segments of a file; when they end, all of them were translated and written."""
        yield from segments
        file.finish()
        if file.place is not self.shared:
            file.place.finish()
        del self.opened[number]

    def _leave(self) -> None:
        """Leave what is not whole so that it can go on, and can be looked at."""
        for file in self.opened.values():
            with suppress(LongwaysError):  # the disk may be full
                file.show()
        places = [self.shared] if self.shared else [file.place for file in self.opened.values()]
        left = [path for place in places if (path := place.leave()) and path.exists()]
        if left:
            more = f" and {len(left) - 1} more" if left[1:] else ""
            self.listener.warn(
                f"Not finished: what is ready is in {left[0]}{more}. The same command goes on from "
                "there."
            )

    def _fail(self, error: FormatError, files: int) -> None:
        self.failed.append(error)
        if files > 1:
            self.listener.warn(str(error))

    def _check_failed(self, files: int) -> None:
        """Raise if there were files that could not be read."""
        if self.failed and files == 1:
            raise self.failed[0]
        if self.failed:
            raise FormatError(
                f"{len(self.failed)} of {files} files were not translated, for the reasons above. "
                "All others were."
            )

    def _segments(self, file: File) -> Iterator[Segment]:
        language = self.translator.source_language
        with _bytes_of(file) as data:
            chunks = decode_chunks(data, file.encoding, file.name, language)
            yield from split_stream(self._watched(chunks, file), language)

    def _watched(self, chunks: Iterator[str], file: File) -> Iterator[str]:
        first = next(chunks, "")
        self._check_language(file, first)
        yield first
        yield from chunks

    def _check_language(self, file: File, beginning: str) -> None:
        """One warning in all if the beginning of a text is hardly in our language."""
        warning = language_warning(file.name, beginning, self.translator.source_language)
        if warning and not self.warned:
            self.warned = True
            self.listener.warn(warning)


@contextmanager
def _bytes_of(file: File) -> Iterator[BinaryIO]:
    if file.source is None:
        yield sys.stdin.buffer
    else:
        with file.source.open("rb") as opened:
            yield opened
