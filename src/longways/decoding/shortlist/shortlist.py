"""A shortlist: the target tokens among which search chooses the translation of a sentence.

S source vocabulary, V target vocabulary, W listed tokens.

A sentence has its own list, whatever is searched beside it. Tokens of its forced prefix are in it,
so that terms which were placed before can be used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from longways.decoding.runtime import Tokens
from longways.decoding.windows import Window
from longways.text.tokenizers.special_tokens import SEP


@dataclass(frozen=True)
class Shortlist:
    """The target tokens of every source token."""

    always: Tokens
    """Tokens in the list of every sentence: special, frequent and short ones."""
    words: NDArray[np.integer[Any]]  # (W,)
    """The tokens of source token 0, then of source token 1, and so on."""
    offsets: Tokens  # (S + 1,)
    """The start of each source token's list, then the end."""
    vocabulary: int
    """V."""

    def of(self, source: Sequence[int], prefix: Sequence[int] = ()) -> Tokens:
        """The list of a sentence, ascending; `prefix` are the target tokens before it."""
        chosen = self._every.copy()
        for token in set(source):
            chosen[self.words[self.offsets[token] : self.offsets[token + 1]]] = True
        chosen[list(prefix)] = True
        return np.flatnonzero(chosen)

    def of_window(self, window: Window) -> Tokens:
        """The list of the sentences of a window that are not translated yet."""
        return self.of(untranslated(window), window.prefix)

    @cached_property
    def _every(self) -> NDArray[np.bool_]:
        chosen = np.zeros(self.vocabulary, bool)
        chosen[self.always] = True
        return chosen

    @cached_property
    def identity(self) -> str:
        """A digest of all lists, by which a job knows whether it resumes the same search."""
        arrays = (self.always, self.words, self.offsets)
        digest = sha256(b"".join(np.asarray(one, np.int64).tobytes() for one in arrays))
        return digest.hexdigest()


def untranslated(window: Window) -> list[int]:
    """The source tokens of a window whose translation is searched: of its last sentence, or all."""
    if window.separators is not None:
        return window.source
    *tokens, _ = window.source
    before = len(tokens) - tokens[::-1].index(SEP) if SEP in tokens else 0
    return tokens[before:]


@runtime_checkable
class Shortlisting(Protocol):
    """A runtime that can search among listed tokens only."""

    @property
    def shortlist(self) -> Shortlist | None:
        """The lists of the model, if search is to use them."""

    def limit(self, memory: Any, words: Sequence[Tokens]) -> Any:
        """The memory of encoded windows, each with its list of tokens, ascending."""
