"""The translator: text in, text out, every sentence in the window that ends at it.

    translator = longways.load("model")
    translator.translate("...")             # a text: its paragraphs and line ends are kept
    translator.translate(["...", "..."])    # the sentences of one document
    for translation in translator.stream(sentences): ...

Sentences are read only when there is room to translate them, and given as soon as they are ready.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, overload

from longways.decoding.open import open_runtime
from longways.decoding.runtime import AnyRuntime
from longways.text.sentences.joiner import Joiner, SentenceJoiner
from longways.text.sentences.splitter import Segment, split_item, split_stream
from longways.translation.documents import decode_all
from longways.translation.model_folder import ModelFolder, default_model
from longways.translation.options import Options, open_decoder
from longways.translation.segments import TranslatedSegment

if TYPE_CHECKING:
    from longways.formats.base import Format


class Translator:
    """A model that translates text."""

    def __init__(self, model: ModelFolder, runtime: AnyRuntime) -> None:
        self.model, self.runtime = model, runtime
        self.source_language = model.text.source_language
        self.target_language = model.text.target_language

    @overload
    def translate(self, text: str, **options: Unpack[Options]) -> str: ...
    @overload
    def translate(self, text: list[str], **options: Unpack[Options]) -> list[str]: ...
    def translate(self, text: str | list[str], **options: Unpack[Options]) -> str | list[str]:
        """Translate a text, or a list of the sentences of one document."""
        if isinstance(text, str):
            return "".join(self.stream_text([text], **options))
        return list(self.stream(text, **options))

    def translate_documents(
        self, documents: Iterable[Iterable[str]], **options: Unpack[Options]
    ) -> list[list[str]]:
        """Translate documents side by side; each is given as its sentences."""
        found: list[list[str]] = []
        joiners: list[SentenceJoiner] = []

        def begin() -> Iterator[Iterator[Segment]]:
            for document in documents:
                found.append([])
                joiners.append(SentenceJoiner(self.target_language))
                yield _items(document)

        for ready in self.segments(begin(), **options):
            whole = joiners[ready.document].add(ready.segment, ready.translation)
            if whole is not None:
                found[ready.document].append(whole)
        return found

    def translate_file(
        self,
        path: str | Path,
        out: str | Path | None = None,
        format: str | Format | None = None,  # noqa: A002 - the word that callers know
        *,
        force: bool = False,
        encoding: str | None = None,
        **options: Unpack[Options],
    ) -> Path:
        """Translate a file into another of the same format, and return its path.

        Without `out` the translation lies beside the source, with the target language in its name.
        The format is known by the file's name, unless it is given: a name, or an object of your
        own. A call that was interrupted resumes when it is made again.
        """
        from longways.translation.files.job import Job
        from longways.translation.files.plan import Languages, plan_files

        languages = Languages(self.source_language, self.target_language)
        target = None if out is None else Path(out)
        (file,) = plan_files(
            [Path(path)], target, languages, force=force, encoding=encoding, format_name=format
        )
        Job(self.model, self.runtime, options, force=force).run([file])
        assert file.target is not None, "only standard input has no target"
        return file.target

    def stream(self, sentences: Iterable[str], **options: Unpack[Options]) -> Iterator[str]:
        """Translate the sentences of one document; the next is read after one was returned."""
        joiner = SentenceJoiner(self.target_language)
        for ready in self.segments([_items(sentences)], **options):
            whole = joiner.add(ready.segment, ready.translation)
            if whole is not None:
                yield whole

    def stream_text(self, chunks: Iterable[str], **options: Unpack[Options]) -> Iterator[str]:
        """Translate a text that arrives in chunks; yields its translation segment by segment."""
        joiner = Joiner(self.target_language)
        for ready in self.segments([split_stream(chunks, self.source_language)], **options):
            yield joiner.add(ready.segment, ready.translation)
        yield joiner.finish()

    def segments(
        self, documents: Iterable[Iterable[Segment]], **options: Unpack[Options]
    ) -> Iterator[TranslatedSegment]:
        """Every segment as it is ready: in order within a document, mixed between documents."""
        return decode_all(open_decoder(self.model, self.runtime, options), documents)


def _items(sentences: Iterable[str]) -> Iterator[Segment]:
    return (segment for sentence in sentences for segment in split_item(sentence))


def load(
    folder: str | Path | None = None, *, device: str = "cpu", threads: int | None = None
) -> Translator:
    """A translator from a model folder, or from the bundled model.

    `device` is cpu or cuda. `threads` is the number of CPU threads.
    """
    model = ModelFolder.read(default_model() if folder is None else Path(folder))
    return Translator(model, open_runtime(model.folder, device, threads))
