"""Documents translated side by side, each sentence from the window that ends at it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import Found, Searcher, open_searcher
from longways.decoding.windows import Pair, Window, sliding_window
from longways.errors import WindowError
from longways.translation.files.memory import Memory, NoMemory

Sentences = Sequence[Sequence[int]]
"""The sentences of a document as token ids, without special tokens."""


Mend = Callable[[Sequence[tuple[int, Window, Found]]], list[Found]]
"""Given documents, windows of their next sentences and what was found, what is to be used."""


class Translation(NamedTuple):
    """A sentence that is ready."""

    document: int
    """The place of its document among those given."""
    sentence: int
    """Its place in the document."""
    hypotheses: list[Hypothesis]
    """The best first. An empty sentence has one, which is empty and certain."""

    @property
    def tokens(self) -> list[int]:
        """The best translation."""
        return self.hypotheses[0].tokens


def translate_documents(
    runtime: AnyRuntime,
    documents: Iterable[Sentences],
    config: TranslateConfig,
    memory: Memory | None = None,
    mend: Mend | None = None,
) -> Iterator[Translation]:
    """Every sentence as it is ready: those of a document in order, those of several mixed.

    Open documents advance as their sentences are done. One that is over makes room for the next,
    which is asked for only then. An empty sentence stays empty, and no window holds it. What the
    memory knows is taken from it, and what is translated is recorded there first, after it was
    given to `mend` for what it must be like.
    """
    known, searcher = memory or NoMemory(), open_searcher(runtime, config)
    waiting = (_OpenDocument(number, d, config, known) for number, d in enumerate(documents))
    turn, opened = list(islice(waiting, config.documents)), dict[int, _OpenDocument]()
    while turn or opened:
        searcher.expect(len(opened) + sum(document.number not in opened for document in turn))
        for document in turn:
            yield from document.pass_ready()
            opened[document.number] = document
            if document.is_over:
                del opened[document.number]
            else:
                searcher.submit(document.number, document.ask(runtime.positions))
        ready = _wait(searcher, opened, runtime.positions) if opened else []
        yield from _recorded(ready, mend or _as_found)
        turn = [one.document for one in ready]
        turn += islice(waiting, config.documents - len(opened))


def _wait(searcher: Searcher, opened: dict[int, _OpenDocument], positions: int) -> list[_Decoded]:
    """Some sentences that are done.

    One that was cut only because its context took up the room is asked for again without it.
    """
    ready = []
    for number, found in searcher.wait():
        document = opened[number]
        if document.window.cramped and found[0].stop is None:
            searcher.submit(number, document.ask(positions, alone=True))
        else:
            ready.append(_Decoded(document, document.window, found))
    return ready


def _recorded(decoded: list[_Decoded], mend: Mend) -> list[Translation]:
    """Sentences that were just translated, mended and written down."""
    found = mend([(one.document.number, one.window, one.found) for one in decoded])
    return [one.document.record(best) for one, best in zip(decoded, found, strict=True)]


def _as_found(decoded: Sequence[tuple[int, Window, Found]]) -> list[Found]:
    return [found for _, _, found in decoded]


def gather(translations: Iterable[Translation], sizes: Sequence[int]) -> list[list[list[int]]]:
    """The best translations as documents again, given how many sentences each has."""
    documents: list[list[list[int]]] = [[[] for _ in range(size)] for size in sizes]
    for translation in translations:
        documents[translation.document][translation.sentence] = translation.tokens
    return documents


def empty_translation(document: int, sentence: int) -> Translation:
    """Nothing, translated."""
    return Translation(document, sentence, [Hypothesis([], 0.0, 0.0, None)])


class _Decoded(NamedTuple):
    """A window of a document, and what was found for it."""

    document: _OpenDocument
    window: Window
    found: Found


class _OpenDocument:
    """A document on its way: the sentence it has come to, and the context of that."""

    window: Window
    """What the sentence is translated from, since it was asked for."""

    def __init__(
        self, number: int, sentences: Sentences, config: TranslateConfig, memory: Memory
    ) -> None:
        self.number, self.sentences, self.place, self.memory = number, sentences, 0, memory
        self.length = config.length
        self.context: deque[Pair] = deque(maxlen=config.L - 1)

    @property
    def is_over(self) -> bool:
        return self.place == len(self.sentences)

    def pass_ready(self) -> Iterator[Translation]:
        """Go on to the next sentence that has words and whose translation is not known."""
        while not self.is_over:
            if not len(self.sentences[self.place]):
                yield empty_translation(self.number, self.place)
                self.place += 1
            elif known := self.memory.recall(self.number, self.place):
                yield self.take([known])
            else:
                return

    def ask(self, positions: int, alone: bool = False) -> Window:
        """The window that is to be searched now; `alone`, without its context."""
        try:
            sentence, context = self.sentences[self.place], () if alone else self.context
            self.window = sliding_window(context, sentence, self.length, positions)
        except WindowError as error:
            place = f"Document {self.number + 1}, sentence {self.place + 1}"
            raise WindowError(f"{place}: {error}") from error
        return self.window

    def record(self, found: list[Hypothesis]) -> Translation:
        """Go on to the next sentence, this one having just been translated."""
        self.memory.record(self.number, self.place, found[0])
        return self.take(found)

    def take(self, found: list[Hypothesis]) -> Translation:
        """Go on to the next sentence, this one being translated."""
        translation = Translation(self.number, self.place, found)
        self.context.append(Pair(self.sentences[self.place], found[0].tokens))
        self.place += 1
        return translation
