"""The translator: text in, text out, every sentence in the window that ends at it.

    translator = longways.load("model")
    translator.translate("...")             # a text: its paragraphs and line ends are kept
    translator.translate(["...", "..."])    # the sentences of one document
    for translation in translator.stream(sentences): ...

Sentences are read only when there is room to translate them, and given as soon as they are ready.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, overload

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.open import open_runtime
from longways.decoding.runtime import AnyRuntime
from longways.text.sentences.joiner import Joiner, SentenceJoiner
from longways.text.sentences.splitter import Segment, split_item, split_stream
from longways.translation.files.memory import Memory
from longways.translation.model_folder import ModelFolder, default_model
from longways.translation.report import Report
from longways.translation.segments import Piece, translate_pieces
from longways.translation.terminology.glossary import Terms

if TYPE_CHECKING:
    from longways.formats.base import Format

DOCUMENTS = 64
"""Documents that advance side by side: as many as are decoded together."""


class Options(TypedDict, total=False):
    """What can be chosen for each call."""

    window: int | None
    """L, sentences in a window; None: what the model does best with."""
    beam: int
    """Hypotheses of the beam search, 4 unless told; 1 is greedy."""
    report: Report | None
    """Where to count what happens."""
    glossary: Mapping[str, str]
    """How words of the source are always translated."""
    keep: Sequence[str]
    """Words that are never translated."""


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
        """A text translated, or the sentences of a document one by one."""
        if isinstance(text, str):
            return "".join(self.stream_text([text], **options))
        return list(self.stream(text, **options))

    def translate_documents(
        self, documents: Iterable[Iterable[str]], **options: Unpack[Options]
    ) -> list[list[str]]:
        """Documents, given as their sentences, translated side by side."""
        found: list[list[str]] = []
        joiners: list[SentenceJoiner] = []

        def begin() -> Iterator[Iterator[Segment]]:
            for document in documents:
                found.append([])
                joiners.append(SentenceJoiner(self.target_language))
                yield _items(document)

        for piece in self.pieces(begin(), **options):
            whole = joiners[piece.document].add(piece.segment, piece.translation)
            if whole is not None:
                found[piece.document].append(whole)
        return found

    def translate_file(
        self,
        path: str | Path,
        out: str | Path | None = None,
        format: str | Format | None = None,  # noqa: A002 - what callers know it by
        *,
        force: bool = False,
        encoding: str | None = None,
        **options: Unpack[Options],
    ) -> Path:
        """A file translated into another of the same format, whose path is returned.

        Without `out` it lies beside the source, with the target language in its name. Unless it is
        told, the format is known by the file's name; it may be one of your own. A call that is
        ended half-way goes on where it was when it is made again.
        """
        from longways.translation.files.job import Job
        from longways.translation.files.plan import Languages, plan_files

        languages = Languages(self.source_language, self.target_language)
        target = None if out is None else Path(out)
        (file,) = plan_files(
            [Path(path)], target, languages, force=force, encoding=encoding, form=format
        )
        Job(self, options, force=force).run([file])
        assert file.target is not None, "a file has a name"
        return file.target

    def stream(self, sentences: Iterable[str], **options: Unpack[Options]) -> Iterator[str]:
        """The sentences of one document, each as it is ready; the next is read only then."""
        joiner = SentenceJoiner(self.target_language)
        for piece in self.pieces([_items(sentences)], **options):
            whole = joiner.add(piece.segment, piece.translation)
            if whole is not None:
                yield whole

    def stream_text(self, chunks: Iterable[str], **options: Unpack[Options]) -> Iterator[str]:
        """A text that comes in chunks, translated: what is ready, piece by piece."""
        joiner = Joiner(self.target_language)
        for piece in self.pieces([split_stream(chunks, self.source_language)], **options):
            yield joiner.add(piece.segment, piece.translation)
        yield joiner.finish()

    def pieces(
        self,
        documents: Iterable[Iterable[Segment]],
        memory: Memory | None = None,
        **options: Unpack[Options],
    ) -> Iterator[Piece]:
        """The segments of documents side by side: see `translate_pieces`."""
        config = TranslateConfig(
            L=self.model.window(options.get("window")),
            search=SearchConfig(beams=options.get("beam", 4)),
            documents=DOCUMENTS,
        )
        report = options.get("report") or Report()
        given = options.get("glossary", {}), options.get("keep", ())
        terms = Terms(*given, self.target_language) if any(given) else None
        return translate_pieces(
            self.runtime, self.model.text, documents, config, report, memory, terms
        )


def _items(sentences: Iterable[str]) -> Iterator[Segment]:
    return (segment for sentence in sentences for segment in split_item(sentence))


def load(
    folder: str | Path | None = None, *, device: str = "cpu", threads: int | None = None
) -> Translator:
    """A translator from a model folder, or from the model that comes with the package.

    `device` is cpu or cuda. `threads` of the CPU work on one operation.
    """
    model = ModelFolder.read(default_model() if folder is None else Path(folder))
    return Translator(model, open_runtime(model.folder, device, threads))
