"""Documents translated side by side, each sentence from the window that ends at it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from longways.errors import WindowError
from longways.runtime.protocol import AnyRuntime
from longways.search.hypothesis import Hypothesis
from longways.translate.config import TranslateConfig
from longways.translate.decode import decode_all
from longways.translate.window import Pair, Window, sliding_window

Sentences = Sequence[Sequence[int]]
"""The sentences of a document as token ids, without special tokens."""


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
    runtime: AnyRuntime, documents: Iterable[Sentences], config: TranslateConfig
) -> Iterator[Translation]:
    """Every sentence as it is ready: those of a document in order, those of several mixed.

    All open documents advance by one sentence a turn. One that is over makes room for the next,
    which is asked for only then. An empty sentence stays empty, and no window holds it.
    """
    waiting = (_OpenDocument(number, d, config.L) for number, d in enumerate(documents))
    opened = list(islice(waiting, config.documents))
    while opened:
        for document in opened:
            yield from document.pass_empty()
        opened = [document for document in opened if not document.is_over]
        yield from _turn(runtime, opened, config)
        opened += islice(waiting, config.documents - len(opened))


def _turn(
    runtime: AnyRuntime, opened: list[_OpenDocument], config: TranslateConfig
) -> Iterator[Translation]:
    """The next sentence of every document.

    One that was cut only because its context took up the room is translated again without it.
    """
    windows = [document.window(config, runtime.positions) for document in opened]
    again = []
    for index, found in decode_all(runtime, windows, config):
        if windows[index].cramped and found[0].stop is None:
            again.append(opened[index])
        else:
            yield opened[index].take(found)
    alone = [document.window(config, runtime.positions, alone=True) for document in again]
    for index, found in decode_all(runtime, alone, config):
        yield again[index].take(found)


def gather(translations: Iterable[Translation], sizes: Sequence[int]) -> list[list[list[int]]]:
    """The best translations as documents again, given how many sentences each has."""
    documents: list[list[list[int]]] = [[[] for _ in range(size)] for size in sizes]
    for translation in translations:
        documents[translation.document][translation.sentence] = translation.tokens
    return documents


def empty_translation(document: int, sentence: int) -> Translation:
    """Nothing, translated."""
    return Translation(document, sentence, [Hypothesis([], 0.0, 0.0, None)])


class _OpenDocument:
    """A document on its way: the sentence it has come to, and the context of that."""

    def __init__(self, number: int, sentences: Sentences, L: int) -> None:
        self.number, self.sentences, self.place = number, sentences, 0
        self.context: deque[Pair] = deque(maxlen=L - 1)

    @property
    def is_over(self) -> bool:
        return self.place == len(self.sentences)

    def pass_empty(self) -> Iterator[Translation]:
        """Go on to the next sentence that has words."""
        while not self.is_over and not len(self.sentences[self.place]):
            yield empty_translation(self.number, self.place)
            self.place += 1

    def window(self, config: TranslateConfig, positions: int, alone: bool = False) -> Window:
        """What the sentence is translated from; `alone`, without its context."""
        try:
            sentence, context = self.sentences[self.place], () if alone else self.context
            return sliding_window(context, sentence, config.length, positions)
        except WindowError as error:
            place = f"Document {self.number + 1}, sentence {self.place + 1}"
            raise WindowError(f"{place}: {error}") from error

    def take(self, found: list[Hypothesis]) -> Translation:
        """Go on to the next sentence, this one being translated."""
        translation = Translation(self.number, self.place, found)
        self.context.append(Pair(self.sentences[self.place], found[0].tokens))
        self.place += 1
        return translation
