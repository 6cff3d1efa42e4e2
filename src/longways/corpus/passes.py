"""One split of a corpus that is read in several passes: to learn subwords, then to encode it."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO

from longways.corpus.document import Document
from longways.corpus.filter.screen import Screen
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.recipe import CorpusConfig, read_split

STORED_FORMATS = ("pages",)
"""Formats whose documents take long to read: the first pass stores them in a temporary file."""


class SplitReader:
    """Reads a split; decisions of the filter and aligned pages are kept from pass to pass."""

    def __init__(self, config: CorpusConfig, split: str, root: Path, skip_bad: bool) -> None:
        self._config, self._split, self._root, self._skip_bad = config, split, root, skip_bad
        is_filtered = split in config.filter.splits
        self._screen = Screen(config.filter, config.languages) if is_filtered else None
        self._is_stored = config.files(split).format in STORED_FORMATS
        self._store: IO[str] | None = None
        self.dropped = Counter[str]()
        """What the last pass has dropped, by kind."""

    def documents(self) -> Iterator[Document]:
        """The documents, in the same order in each pass."""
        if self._store is not None:
            self._store.seek(0)
            for line in self._store:
                yield Document(*json.loads(line))
            return
        policy = BadInputPolicy(self._skip_bad, drop_empty=self._screen is not None)
        self.dropped = policy.dropped
        found = read_split(self._config, self._split, self._root, policy, self._screen)
        yield from self._stored(found) if self._is_stored else found

    def _stored(self, documents: Iterator[Document]) -> Iterator[Document]:
        """The documents, which are written to the store; it is used when all of them are there."""
        store = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - see __exit__
        try:
            for document in documents:
                store.write(json.dumps([document.name, document.source, document.target]) + "\n")
                yield document
        except BaseException:
            store.close()
            raise
        self._store = store

    def __enter__(self) -> SplitReader:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._store is not None:
            self._store.close()
