"""Documents translated side by side, each sentence in the sliding window that ends at it.

A `DocumentDecoder` holds the documents in flight. Its caller opens documents while there is room,
and asks for one event at a time: a sentence that is ready, or the end of a document.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import Found, open_searcher
from longways.decoding.stream import StreamRuntime, Translated, stream_sentence
from longways.decoding.windows import Pair, Window, sliding_window
from longways.errors import WindowError
from longways.text.tokenizers.special_tokens import BOS, SEP

Sentences = Sequence[Sequence[int]]
"""The sentences of a document as token ids, without special tokens."""

T = TypeVar("T")
"""What a document makes of a translated sentence."""

D = TypeVar("D", contravariant=True)
T_co = TypeVar("T_co", covariant=True)


class OpenDocument(ABC, Generic[T]):
    """A document in flight, read sentence by sentence. The next sentence is read by `peek`."""

    @abstractmethod
    def peek(self) -> Sequence[int] | None:
        """The token ids of the next sentence: none if it is not translated, None at the end."""

    @abstractmethod
    def take(self, found: Found) -> T:
        """Move past the next sentence, whose hypotheses are given; returns what the caller gets."""

    def recall(self) -> Found | None:
        """The hypotheses of the next sentence, if an interrupted job has found them already."""
        return None

    def record(self, found: Found) -> None:
        """Store new hypotheses of the next sentence for a job that resumes this one."""


class DocumentEnd(NamedTuple):
    """The event after the last sentence of a document."""

    document: int
    """The number of the document, in the order of opening."""


Revise = Callable[[Sequence[tuple[Any, Window, Found]]], list[Found]]
"""Given documents with the windows and hypotheses of their next sentences, returns better ones."""

NOTHING = [Hypothesis([], 0.0, 0.0, None)]
"""The only hypothesis of an empty sentence."""


class DocumentDecoder(Generic[T]):
    """Decodes documents side by side; the windows of all documents share the batches.

    The sentences of one document are ready in order. An empty sentence stays empty, and no window
    holds it. A document reads its next sentence only after the caller received the one before.
    """

    def __init__(
        self, runtime: AnyRuntime, config: TranslateConfig, revise: Revise | None = None
    ) -> None:
        self.runtime, self.config, self.revise = runtime, config, revise
        self.searcher = open_searcher(runtime, config)
        self.opened = 0
        self.active: dict[int, _Active[T]] = {}
        self.reading: deque[_Active[T]] = deque()
        """Documents whose next sentence is not submitted yet."""
        self.decoded: deque[tuple[_Active[T], Found]] = deque()
        """Sentences that the caller has not received yet."""

    @property
    def room(self) -> int:
        """The number of documents that can be opened now."""
        return self.config.documents - len(self.active)

    def open(self, document: OpenDocument[T]) -> int:
        """Take a document in; returns its number."""
        number, self.opened = self.opened, self.opened + 1
        if isinstance(self.runtime, StreamRuntime):
            self.active[number] = _Streamed(number, document, self.config, self.runtime)
        else:
            self.active[number] = _Active(number, document, self.config)
        self.reading.append(self.active[number])
        return number

    def next(self) -> T | DocumentEnd | None:
        """The next event; None if no document is in flight."""
        while self.active:
            if self.decoded:
                active, found = self.decoded.popleft()
                self.reading.append(active)
                return active.take(found)
            if self.reading:
                active = self.reading[0]
                known = active.known()
                if known:
                    return active.take(known)
                self.reading.popleft()
                if active.document.peek() is None:
                    del self.active[active.number]
                    return DocumentEnd(active.number)
                self._submit(active)
            else:
                self._wait()
        return None

    def _submit(self, active: _Active[T], *, alone: bool = False) -> None:
        """Search the next sentence of a document; with `alone`, without its context."""
        if isinstance(active, _Streamed):
            active.read_together(self.active.values())
        self.searcher.expect(len(self.active))
        self.searcher.submit(active.number, active.ask(self.runtime.positions, alone))

    def _wait(self) -> None:
        """Search until at least one sentence is decoded.

        A sentence that was cut because its context took up the positions is searched again without
        the context.
        """
        ready = list[tuple[_Active[T], Found]]()
        for number, found in self.searcher.wait():
            active = self.active[number]
            if active.window.cramped and found[0].stop is None:
                self._submit(active, alone=True)
            else:
                ready.append((active, found))
        for active, found in self._revised(ready):
            active.document.record(found)
            self.decoded.append((active, found))

    def _revised(self, ready: list[tuple[_Active[T], Found]]) -> list[tuple[_Active[T], Found]]:
        if self.revise is None or not ready:
            return ready
        better = self.revise([(one.document, one.window, found) for one, found in ready])
        return [(one, found) for (one, _), found in zip(ready, better, strict=True)]


class _Active(Generic[T]):
    """A document in flight with the sliding context of its next sentence."""

    window: Window
    """The window of the next sentence, once it is submitted."""

    def __init__(self, number: int, document: OpenDocument[T], config: TranslateConfig) -> None:
        self.number, self.document, self.length = number, document, config.length
        self.sentence = 0
        self.context: deque[Pair] = deque(maxlen=config.L - 1)

    def known(self) -> Found | None:
        """The hypotheses of the next sentence, if it is empty or was translated before."""
        tokens = self.document.peek()
        if tokens is None:
            return None
        if not len(tokens):
            return NOTHING
        return self.document.recall()

    def ask(self, positions: int, alone: bool) -> Window:
        """The window of the next sentence."""
        tokens = self.document.peek()
        assert tokens is not None, "the document has ended"
        try:
            self.window = sliding_window(
                () if alone else self.context, tokens, self.length, positions
            )
        except WindowError as error:
            place = f"Document {self.number + 1}, sentence {self.sentence + 1}"
            raise WindowError(f"{place}: {error}") from error
        return self.window

    def take(self, found: Found) -> T:
        """Move past the next sentence; it becomes context unless it is empty."""
        tokens = self.document.peek()
        if tokens is not None and len(tokens):
            self.context.append(Pair(tokens, found[0].tokens))
        self.sentence += 1
        return self.document.take(found)


class _Streamed(_Active[T]):
    """A document in flight that a stream model translates: no window, but a state.

    The state after a sentence is computed when the next one needs it, for all documents at a time.
    """

    def __init__(
        self,
        number: int,
        document: OpenDocument[T],
        config: TranslateConfig,
        runtime: StreamRuntime,
    ) -> None:
        super().__init__(number, document, config)
        self.runtime, self.limit = runtime, config.context
        self.state, self.read = runtime.open_document(), 0
        self.unread: deque[Pair] = deque()
        """Translated sentences that the state does not contain yet."""
        self.recent: deque[Pair] = deque(maxlen=config.context)

    def ask(self, positions: int, alone: bool) -> Window:
        """The search of the next sentence."""
        tokens = self.document.peek()
        assert tokens is not None, "the document has ended"
        assert not self.unread, "the state is not up to date"
        try:
            self.window = stream_sentence(
                tokens, self.length, positions, self.state, first=not self.read
            )
        except WindowError as error:
            place = f"Document {self.number + 1}, sentence {self.sentence + 1}"
            raise WindowError(f"{place}: {error}") from error
        return self.window

    def take(self, found: Found) -> T:
        """Move past the next sentence; the state will contain it unless it is empty."""
        tokens = self.document.peek()
        if tokens is not None and len(tokens):
            pair = Pair(tokens, found[0].tokens)
            if self.limit is None:
                self.unread.append(pair)
            else:
                self.recent.append(pair)
                self.state, self.read = self.runtime.open_document(), 0
                self.unread = deque(self.recent)
        self.sentence += 1
        return self.document.take(found)

    def read_together(self, documents: Iterable[_Active[T]]) -> None:
        """Bring the states of all documents up to date."""
        while waiting := [one for one in documents if isinstance(one, _Streamed) and one.unread]:
            states = self.runtime.finish_sentences([one._next_unread() for one in waiting])
            for one, state in zip(waiting, states, strict=True):
                one.state, one.read = state, one.read + 1

    def _next_unread(self) -> Translated:
        pair, first = self.unread.popleft(), BOS if self.read == 0 else SEP
        return Translated([*pair.source, SEP], [first, *pair.target], self.state)


class Translation(NamedTuple):
    """A translated sentence of a document that was given as token ids."""

    document: int
    """The place of its document among those given."""
    sentence: int
    """Its place in the document."""
    hypotheses: Found
    """The best first. An empty sentence has one, which is empty and certain."""

    @property
    def tokens(self) -> list[int]:
        """The best translation."""
        return self.hypotheses[0].tokens


class TokenDocument(OpenDocument[Translation]):
    """A document whose sentences are token ids already."""

    def __init__(self, number: int, sentences: Sentences) -> None:
        self.number, self.sentences, self.place = number, sentences, 0

    def peek(self) -> Sequence[int] | None:
        """The next sentence."""
        return self.sentences[self.place] if self.place < len(self.sentences) else None

    def take(self, found: Found) -> Translation:
        """The translation of the next sentence."""
        self.place += 1
        return Translation(self.number, self.place - 1, found)


def translate_documents(
    runtime: AnyRuntime, documents: Iterable[Sentences], config: TranslateConfig
) -> Iterator[Translation]:
    """Every sentence as it is ready: in order within a document, mixed between documents.

    A document that ends makes room for the next, which is read from `documents` only then.
    """
    decoder = DocumentDecoder[Translation](runtime, config)
    opened = (TokenDocument(number, document) for number, document in enumerate(documents))
    yield from decode_all(decoder, opened)


class _Decoder(Protocol[D, T_co]):
    """A decoder of documents that are given as D."""

    @property
    def room(self) -> int: ...
    def open(self, document: D, /) -> int: ...
    def next(self) -> T_co | DocumentEnd | None: ...


def decode_all(decoder: _Decoder[D, T], documents: Iterable[D]) -> Iterator[T]:
    """Open documents whenever there is room; yields the sentences of all of them."""
    waiting = iter(documents)
    while True:
        for document in islice(waiting, decoder.room):
            decoder.open(document)
        event = decoder.next()
        if event is None:
            return
        if not isinstance(event, DocumentEnd):
            yield event


def gather(translations: Iterable[Translation], sizes: Sequence[int]) -> list[list[list[int]]]:
    """The best translations as documents again, given the number of sentences of each."""
    documents: list[list[list[int]]] = [[[] for _ in range(size)] for size in sizes]
    for translation in translations:
        documents[translation.document][translation.sentence] = translation.tokens
    return documents
