"""Many small requests are translated together.

A thread for each model takes all requests that wait, and translates their texts side by side. A
text has the same translation beside any others, so nobody sees who else was served.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice
from threading import Condition, Thread

from longways.errors import LongwaysError
from longways.server.errors import RequestError
from longways.translation.texts import Document, translate_texts
from longways.translation.translator import Translator

CHARACTERS = 20_000
"""Characters that are translated together; a longer request is translated by itself."""


@dataclass(frozen=True)
class Wanted:
    """How the texts of a request are translated."""

    beam: int = 4
    glossary: tuple[tuple[str, str], ...] = ()
    """Source terms with the translations to use."""


@dataclass(frozen=True)
class Work:
    """The texts of one request, and where their translations go."""

    documents: Sequence[Document]
    wanted: Wanted
    characters: int
    """The characters of all texts."""
    result: Future[list[Document]] = field(default_factory=Future)


class Batcher:
    """The queue of one model, and the thread that serves it."""

    def __init__(self, translator: Translator, max_waiting: int) -> None:
        self.translator, self.max_waiting = translator, max_waiting
        self._waiting, self._changed, self._closed = deque[Work](), Condition(), False
        self._thread = Thread(target=self._serve, name="longways-batches", daemon=True)
        self._thread.start()

    def submit(self, documents: Sequence[Document], wanted: Wanted) -> Future[list[Document]]:
        """Queue the texts of one request; the future has their translations in order."""
        work = Work(documents, wanted, characters(documents))
        with self._changed:
            if self._closed:
                raise RequestError("The server is stopping. Ask again when it has restarted.", 503)
            if len(self._waiting) >= self.max_waiting:
                raise RequestError(
                    f"{self.max_waiting} requests are waiting already. Ask again later.", 503, 1
                )
            self._waiting.append(work)
            self._changed.notify()
        return work.result

    def close(self) -> None:
        """Finish what waits, and end the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _serve(self) -> None:
        while works := self._next():
            _answer(self.translator, works)

    def _next(self) -> list[Work]:
        """The next requests that are translated alike; none when the batcher is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return []
            count = sum(1 for _ in _together(self._waiting))
            return [self._waiting.popleft() for _ in range(count)]


def _together(waiting: deque[Work]) -> Iterator[Work]:
    """The requests from the first one on that are wanted alike and short enough in all."""
    first, total = waiting[0], 0
    for work in waiting:
        total += work.characters
        if work.wanted != first.wanted or (work is not first and total > CHARACTERS):
            return
        yield work


def _answer(translator: Translator, works: Sequence[Work]) -> None:
    """Translate requests together; if that fails, each by itself, so that one error stays its."""
    works = [work for work in works if work.result.set_running_or_notify_cancel()]
    try:
        found = _translated(translator, works)
    except Exception as error:
        if len(works) == 1 or not isinstance(error, LongwaysError):
            for work in works:
                work.result.set_exception(error)
            return
        for work in works:
            _answer_alone(translator, work)
        return
    for work, documents in zip(works, found, strict=True):
        work.result.set_result(documents)


def _answer_alone(translator: Translator, work: Work) -> None:
    try:
        work.result.set_result(_translated(translator, [work])[0])
    except Exception as error:
        work.result.set_exception(error)


def _translated(translator: Translator, works: Sequence[Work]) -> list[list[Document]]:
    """The translations of all documents of each request."""
    if not works:
        return []
    wanted = works[0].wanted
    documents = [one for work in works for one in work.documents]
    rest = iter(
        translate_texts(translator, documents, beam=wanted.beam, glossary=dict(wanted.glossary))
    )
    return [list(islice(rest, len(work.documents))) for work in works]


def characters(documents: Sequence[Document]) -> int:
    """The characters of all texts of documents."""
    return sum(len(one) if isinstance(one, str) else sum(map(len, one)) for one in documents)
