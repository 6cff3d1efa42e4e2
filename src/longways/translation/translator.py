"""The translator: text in, text out, every sentence in the window that ends at it.

    translator = longways.load("model")
    translator.translate("...")             # a text: its paragraphs and line ends are kept
    translator.translate(["...", "..."])    # the sentences of one document
    translator.translate_results("...")     # objects with source, score, alignment, alternatives
    for translation in translator.stream(sentences): ...
    await translator.translate_async("...")

Strings stay strings: code that only wants the text needs no attribute, and code that wants more
calls a method whose type says so.

Sentences are read only when there is room to translate them, and given as soon as they are ready.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

from longways.decoding.open import open_runtime
from longways.decoding.runtime import AnyRuntime
from longways.errors import TextError
from longways.text.sentences.joiner import Joiner, SentenceJoiner
from longways.text.sentences.splitter import Segment, split_item
from longways.translation.documents import decode_all
from longways.translation.installed.lookup import check_languages, find_model
from longways.translation.markup.alignment import Aligner
from longways.translation.model_folder import ModelFolder
from longways.translation.options import (
    DEFAULT_BEAM,
    DEFAULT_LENGTH_PENALTY,
    Options,
    open_decoder,
)
from longways.translation.plain_text import plain_segments
from longways.translation.report import Report
from longways.translation.results import ResultBuilder, TranslationResult
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
    def translate(
        self,
        text: str,
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> str: ...
    @overload
    def translate(
        self,
        text: list[str],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> list[str]: ...
    def translate(
        self,
        text: str | list[str],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> str | list[str]:
        """Translate a text, or a list of the sentences of one document.

        window: L, sentences in a window; by default the model's best window. Stream models have no
            windows.
        context: sentences that a stream model carries from before each sentence; by default all.
            Only for stream models.
        beam: hypotheses of the beam search; 1 is greedy search.
        length_penalty: exponent of the length penalty; a larger one prefers longer translations.
        glossary: source terms with the translations that search must use.
        keep: words that are copied, never translated.
        report: a `longways.Report`, to which the counts of this call are added.
        """
        options = _options(window, context, beam, length_penalty, glossary, keep, report)
        if isinstance(text, str):
            return "".join(self._stream_text([text], options))
        return list(self._stream(text, options))

    def translate_results(
        self,
        text: str | list[str],
        *,
        nbest: int = 1,
        alignment: bool = False,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> list[TranslationResult]:
        """Translate like `translate`; returns an object for each sentence.

        A result has the source sentence, its place, its translation, score and confidence. With
        `nbest` it also has as many alternatives, at most `beam`; with `alignment` the source of
        each word. A text gives one result for each sentence in it, a list one for each item. The
        other options are the same as for `translate`.
        """
        return list(
            self.stream_results(
                text,
                nbest=nbest,
                alignment=alignment,
                window=window,
                context=context,
                beam=beam,
                length_penalty=length_penalty,
                glossary=glossary,
                keep=keep,
                report=report,
            )
        )

    def stream_results(
        self,
        text: str | Iterable[str],
        *,
        nbest: int = 1,
        alignment: bool = False,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> Iterator[TranslationResult]:
        """Yield each result of `translate_results` as soon as it is ready."""
        options = _options(window, context, beam, length_penalty, glossary, keep, report, nbest)
        whole = isinstance(text, str)
        given = (
            plain_segments([text], self.source_language)
            if isinstance(text, str)
            else item_segments(text)
        )
        aligner = Aligner(self.runtime, self.model.text) if alignment else None
        builder = ResultBuilder(self.target_language, aligner, nbest, items=not whole)
        return builder.add(self._segments([given], options))

    def translate_documents(
        self,
        documents: Iterable[Iterable[str]],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> list[list[str]]:
        """Translate documents side by side; each is given as its sentences.

        The options are the same as for `translate`.
        """
        options = _options(window, context, beam, length_penalty, glossary, keep, report)
        found: list[list[str]] = []
        joiners: list[SentenceJoiner] = []

        def begin() -> Iterator[Iterator[Segment]]:
            for document in documents:
                found.append([])
                joiners.append(SentenceJoiner(self.target_language))
                yield item_segments(document)

        for ready in self._segments(begin(), options):
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
        columns: Sequence[str | int] = (),
        header: bool = False,
        memory: Sequence[str | Path] = (),
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> Path:
        """Translate a file into another of the same format (a PDF into Markdown), return its path.

        Without `out` the translation lies beside the source, with the target language in its name.
        The format is known by the file's name, unless it is given: a name, or an object of your
        own. `force` overwrites a translation that exists; `encoding` is that of the file, if it is
        not UTF-8. Of a table, `columns` are translated, by name or number from 1; by default all
        with words. `header` translates the names of the columns, too. `memory` names translation
        memories: .tmx or .sqlite files. A call that was interrupted resumes when it is made again.
        The other options are the same as for `translate`.
        """
        from longways.formats.tables.columns import Columns
        from longways.translation.files.job import Job
        from longways.translation.files.plan import STANDARD, Languages, plan_files
        from longways.translation.memory.opened import open_memory

        if Path(path) == STANDARD or Path(path).is_dir():
            raise TextError(
                f"{path} is not a file, but translate_file takes one. For folders and pipes use "
                "the command `longways translate`."
            )
        options = _options(window, context, beam, length_penalty, glossary, keep, report)
        languages = Languages(self.source_language, self.target_language)
        target = None if out is None else Path(out)
        (file,) = plan_files(
            [Path(path)],
            target,
            languages,
            force=force,
            encoding=encoding,
            format_name=format,
            columns=Columns.of(columns, header=header),
        )
        if memory:
            paths = [Path(one) for one in memory]
            options["memory"] = open_memory(paths, self.source_language, self.target_language)
        Job(self.model, self.runtime, options, force=force).run([file])
        assert file.target is not None, "only standard input has no target"
        return file.target

    def stream(
        self,
        sentences: Iterable[str],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> Iterator[str]:
        """Translate the sentences of one document; the next is read after one was returned.

        Each item is one sentence. For paragraphs or whole pages use `stream_text`, which splits
        them into sentences. The options are the same as for `translate`.
        """
        return self._stream(
            sentences, _options(window, context, beam, length_penalty, glossary, keep, report)
        )

    def stream_text(
        self,
        chunks: Iterable[str],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> Iterator[str]:
        """Translate a text that arrives in chunks; yields its translation segment by segment.

        The chunks may be lines, paragraphs or any other parts of the text: they are split into
        sentences here. What is yielded, joined, is the translation with all whitespace. The
        options are the same as for `translate`.
        """
        return self._stream_text(
            chunks, _options(window, context, beam, length_penalty, glossary, keep, report)
        )

    @overload
    async def translate_async(
        self,
        text: str,
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> str: ...
    @overload
    async def translate_async(
        self,
        text: list[str],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> list[str]: ...
    async def translate_async(
        self,
        text: str | list[str],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> str | list[str]:
        """Translate like `translate`, without blocking the event loop.

        All asynchronous calls share one worker thread of the translator: they may be made
        concurrently and are served in turn, each with all CPU threads of the runtime.
        """
        call = partial(
            self.translate,
            text,
            window=window,
            context=context,
            beam=beam,
            length_penalty=length_penalty,
            glossary=glossary,
            keep=keep,
            report=report,
        )
        return await asyncio.get_running_loop().run_in_executor(self._worker, call)

    async def stream_async(
        self,
        sentences: Iterable[str],
        *,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> AsyncIterator[str]:
        """Translate like `stream`, without blocking the event loop.

        Sentences are read in the worker thread. Several streams take turns, sentence by sentence.
        """
        options = _options(window, context, beam, length_penalty, glossary, keep, report)
        translations = self._stream(sentences, options)
        loop = asyncio.get_running_loop()
        while True:
            ready = await loop.run_in_executor(self._worker, next, translations, None)
            if ready is None:
                return
            yield ready

    def segments(
        self,
        documents: Iterable[Iterable[Segment]],
        *,
        nbest: int = 1,
        window: int | None = None,
        context: int | None = None,
        beam: int = DEFAULT_BEAM,
        length_penalty: float = DEFAULT_LENGTH_PENALTY,
        glossary: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        report: Report | None = None,
    ) -> Iterator[TranslatedSegment]:
        """Every segment as it is ready: in order within a document, mixed between documents."""
        options = _options(window, context, beam, length_penalty, glossary, keep, report, nbest)
        return self._segments(documents, options)

    def _segments(
        self, documents: Iterable[Iterable[Segment]], options: Options
    ) -> Iterator[TranslatedSegment]:
        return decode_all(open_decoder(self.model, self.runtime, options), documents)

    def _stream(self, sentences: Iterable[str], options: Options) -> Iterator[str]:
        joiner = SentenceJoiner(self.target_language)
        for ready in self._segments([item_segments(sentences)], options):
            whole = joiner.add(ready.segment, ready.translation)
            if whole is not None:
                yield whole

    def _stream_text(self, chunks: Iterable[str], options: Options) -> Iterator[str]:
        joiner = Joiner(self.target_language)
        for ready in self._segments([plain_segments(chunks, self.source_language)], options):
            yield joiner.add(ready.segment, ready.translation)
        yield joiner.finish()

    @cached_property
    def _worker(self) -> ThreadPoolExecutor:
        """The thread of all asynchronous calls; runtimes serve one search at a time."""
        return ThreadPoolExecutor(1, "longways-translator")


def _options(
    window: int | None,
    context: int | None,
    beam: int,
    length_penalty: float,
    glossary: Mapping[str, str] | None,
    keep: Sequence[str],
    report: Report | None,
    nbest: int = 1,
) -> Options:
    """The options of one call."""
    return Options(
        window=window,
        context=context,
        beam=beam,
        length_penalty=length_penalty,
        nbest=nbest,
        report=report,
        glossary=glossary or {},
        keep=keep,
    )


def item_segments(sentences: Iterable[str]) -> Iterator[Segment]:
    """The segments of items; a string is not a list of its characters."""
    if isinstance(sentences, str | bytes) or not isinstance(sentences, Iterable):
        raise TextError(
            f"The sentences are {sentences!r:.80}, but they must be a list of strings. Use "
            "translate or stream_text for a text that is one string."
        )
    return (segment for number, item in enumerate(sentences, 1) for segment in _item(number, item))


def _item(number: int, item: str) -> list[Segment]:
    if not isinstance(item, str):
        raise TextError(f"Sentence {number} is {item!r:.80}, but it must be a string.")
    return split_item(item)


def load(
    model: str | Path | None = None,
    source: str | None = None,
    target: str | None = None,
    *,
    device: str = "cpu",
    threads: int | None = None,
    shortlist: bool | None = None,
) -> Translator:
    """A translator from a model folder, or from an installed model.

    `model` is a folder or the name of an installed model (`longways models list`). Without it, the
    model for the languages `source` and `target`, such as zh and en, is loaded; of several, one
    that you have added comes first, then packages, then bundled ones. With both, the languages of
    the model are checked. `device` is cpu or cuda. `threads` is the number of CPU threads.
    `shortlist` says whether search chooses among the tokens that the model's shortlist has for a
    sentence; by default as the model says.
    """
    found = ModelFolder.read(find_model(model, source, target))
    check_languages(found, source, target)
    return Translator(found, open_runtime(found.folder, device, threads, shortlist))
