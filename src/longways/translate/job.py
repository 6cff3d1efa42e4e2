"""Files translated side by side, each written when it is whole."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, NamedTuple

from longways.text.encoding import decode_chunks
from longways.text.scripts import language_warning
from longways.text.sentences import Segment, split_stream
from longways.translate.files import File
from longways.translate.formatted import translate_formatted
from longways.translate.forms import Form, JsonLines, PlainText
from longways.translate.pieces import Piece
from longways.translate.translator import Options, Translator
from longways.translate.writing import Output, open_output


class _Open(NamedTuple):
    """A file on its way: what its translation looks like, and where it goes."""

    form: Form
    output: Output


def _silent(_: object) -> None:
    pass


class Job:
    """A translation of files: how, in which form, and whom to tell of it."""

    def __init__(
        self,
        translator: Translator,
        options: Options,
        form: type[Form] = PlainText,
        warn: Callable[[str], None] = _silent,
        advance: Callable[[Piece], None] = _silent,
    ) -> None:
        self.translator, self.options, self.form = translator, options, form
        self.warn, self.advance = warn, advance
        self.warned = False
        self.opened: dict[int, _Open] = {}

    def run(self, files: Sequence[File]) -> None:
        """Translate all. A file appears when it is whole, and after an error no more do.

        JSON lines of all files go to one output, that of the first. Files with a format come first,
        one after the other.
        """
        for file in files:
            if file.has_format:
                translate_formatted(self, file)
        files = [file for file in files if not file.has_format]
        shared = open_output(files[0].target) if files and self.form is JsonLines else None
        try:
            documents = self._documents(files, shared)
            for piece in self.translator.pieces(documents, **self.options):
                form, output = self.opened[piece.document]
                output.write(form.add(piece))
                self.advance(piece)
            if shared:
                shared.finish()
        except BaseException:
            for output in [shared] if shared else [o.output for o in self.opened.values()]:
                output.discard()
            raise

    def _documents(
        self, files: Sequence[File], shared: Output | None
    ) -> Iterator[Iterator[Segment]]:
        for number, file in enumerate(files):
            form = self.form(file.name, self.translator.target_language)
            self.opened[number] = _Open(form, shared or open_output(file.target))
            yield self._until_written(number, file, shared is None)

    def _until_written(self, number: int, file: File, whole: bool) -> Iterator[Segment]:
        """The segments of a file; when they end, all of them were translated and written."""
        yield from self._segments(file)
        form, output = self.opened[number]
        output.write(form.finish())
        if whole:
            output.finish()
        del self.opened[number]

    def _segments(self, file: File) -> Iterator[Segment]:
        language = self.translator.source_language
        with _bytes_of(file) as data:
            chunks = decode_chunks(data, file.encoding, file.name, language)
            yield from split_stream(self._watched(chunks, file), language)

    def _watched(self, chunks: Iterator[str], file: File) -> Iterator[str]:
        first = next(chunks, "")
        self.check_language(file, first)
        yield first
        yield from chunks

    def check_language(self, file: File, beginning: str) -> None:
        """One warning in all if the beginning of a text is hardly in our language."""
        warning = language_warning(file.name, beginning, self.translator.source_language)
        if warning and not self.warned:
            self.warned = True
            self.warn(warning)


@contextmanager
def _bytes_of(file: File) -> Iterator[BinaryIO]:
    if file.source is None:
        yield sys.stdin.buffer
    else:
        with file.source.open("rb") as opened:
            yield opened
