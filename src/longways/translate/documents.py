"""Documents translated side by side, each sentence from the window that ends at it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from longways.errors import WindowError
from longways.runtime.protocol import AnyRuntime
from longways.search.hypothesis import Hypothesis
from longways.translate.config import TranslateConfig
from longways.translate.decode import decode_all
from longways.translate.memory import Memory, NoMemory
from longways.translate.window import Pair, Window, sliding_window

Sentences = Sequence[Sequence[int]]
"""The sentences of a document as token ids, without special tokens."""


Found = list[Hypothesis]
"""What was found for a window, the best first."""

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

    All open documents advance by one sentence a turn. One that is over makes room for the next,
    which is asked for only then. An empty sentence stays empty, and no window holds it. What the
    memory knows is taken from it, and what is translated is recorded there first, after it was
    given to `mend` for what it must be like.
    """
    known = memory or NoMemory()
    waiting = (_OpenDocument(number, d, config.L, known) for number, d in enumerate(documents))
    opened = list(islice(waiting, config.documents))
    while opened:
        for document in opened:
            yield from document.pass_ready()
        opened = [document for document in opened if not document.is_over]
        yield from _turn(runtime, opened, config, mend or _as_found)
        opened += islice(waiting, config.documents - len(opened))


def _turn(
    runtime: AnyRuntime, opened: list[_OpenDocument], config: TranslateConfig, mend: Mend
) -> Iterator[Translation]:
    """The next sentence of every document; all of a batch are recorded before any is given.

    One that was cut only because its context took up the room is translated again without it.
    """
    windows = [document.window(config, runtime.positions) for document in opened]
    again = []
    for batch in decode_all(runtime, windows, config):
        cut = {i for i, found in batch if windows[i].cramped and found[0].stop is None}
        again += [opened[i] for i in sorted(cut)]
        ready = [_Decoded(opened[i], windows[i], found) for i, found in batch if i not in cut]
        yield from _recorded(ready, mend)
    alone = [document.window(config, runtime.positions, alone=True) for document in again]
    for batch in decode_all(runtime, alone, config):
        yield from _recorded([_Decoded(again[i], alone[i], found) for i, found in batch], mend)


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

    def __init__(self, number: int, sentences: Sentences, L: int, memory: Memory) -> None:
        self.number, self.sentences, self.place, self.memory = number, sentences, 0, memory
        self.context: deque[Pair] = deque(maxlen=L - 1)

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

    def window(self, config: TranslateConfig, positions: int, alone: bool = False) -> Window:
        """What the sentence is translated from; `alone`, without its context."""
        try:
            sentence, context = self.sentences[self.place], () if alone else self.context
            return sliding_window(context, sentence, config.length, positions)
        except WindowError as error:
            place = f"Document {self.number + 1}, sentence {self.place + 1}"
            raise WindowError(f"{place}: {error}") from error

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
