"""The protocol of a runtime: encode windows, read a prefix, take a step. Imports no runtime.

B windows, K beams, C candidates, N source tokens, P prefix tokens, T target tokens, V target
vocabulary.

Token arrays are right-padded with `<pad>`. Large arrays (memory, state) belong to the runtime and
stay on its device; search receives small numpy arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from longways.decoding.threads import ThreadPool
from longways.text.tokenizers.special_tokens import BOS, PAD, UNK

Tokens = NDArray[np.int64]
Scores = NDArray[np.floating[Any]]

MemoryT = TypeVar("MemoryT")
StateT = TypeVar("StateT")

FORBIDDEN = (PAD, BOS, UNK)
"""Tokens that are never candidates, since they cannot be written as text."""

EXTRA_CANDIDATES = 2
"""Each beam has this number of candidates more than there are beams: `<sep>` and `<eos>` must not
displace other tokens."""


class Runtime(Protocol[MemoryT, StateT]):
    """A translation model as search sees it, the same for every library.

    The beams of a window are adjacent rows of a state. A memory has one row for each window. A call
    consumes the state that it is given; use the returned state afterwards.
    """

    @property
    def framework(self) -> str:
        """The library that runs the model: `torch` or `onnx`."""

    @property
    def positions(self) -> int:
        """The largest number of tokens of a source window, and of a prefix with its new tokens."""

    def encode(self, windows: Tokens) -> MemoryT:
        """Encode source windows (B, N), each `s1 <sep> s2 <eos>`."""

    def start(self, memory: MemoryT, prefix: Tokens, beams: int) -> StateT:
        """The state after a forced prefix (B, P), read in one parallel pass: `<bos> t1 <sep> t2`.

        The last token before the new ones, `<bos>` or `<sep>`, is read by the first `step`.
        """

    def step(self, tokens: Tokens, parents: Tokens, state: StateT) -> tuple[Scores, Tokens, StateT]:
        """Follow the parents (B, K), beams of the same window, and read a token (B, K) after each.

        Returns the log-probabilities (B, K, C) of the likeliest next tokens, and their ids, the
        best first. C is `K + EXTRA_CANDIDATES`, or V if that is less. `FORBIDDEN` tokens have minus
        infinity; the other probabilities are not renormalised.
        """

    def select(self, state: StateT, windows: Tokens) -> StateT:
        """The state and the memory of some windows (ascending indices); the others are dropped."""

    def score(self, source: Tokens, target: Tokens) -> Scores:
        """The log-probability (B, T) of each token of target windows (B, T) `t1 <sep> t2 <eos>`.

        Source windows are (B, N). Padding has the value 0.
        """

    def align(self, source: Tokens, target: Tokens) -> Scores:
        """Alignment weights (B, T, N) of every source token for each token of target windows.

        They are computed from cross attention; the weights of a target token sum to one.
        """


AnyRuntime: TypeAlias = Runtime[Any, Any]
"""A runtime of any library, for callers that hold none of its memories or states."""


@runtime_checkable
class Parallelizable(Protocol):
    """A multi-threaded runtime that can provide a single-threaded clone of itself.

    Each thread of the pool then runs its own search with the clone.
    """

    @property
    def thread_pool(self) -> ThreadPool:
        """The threads of the runtime."""

    def single_threaded(self) -> AnyRuntime:
        """The single-threaded clone, which all threads may use at the same time."""


def pad_rows(rows: Sequence[Sequence[int]]) -> Tokens:
    """Rows of token ids as one array, padded at the end to the longest row."""
    longest = max(map(len, rows), default=0)
    tokens = np.full((len(rows), longest), PAD, dtype=np.int64)
    for padded, row in zip(tokens, rows, strict=True):
        padded[: len(row)] = row
    return tokens


def row_lengths(tokens: Tokens) -> NDArray[np.int64]:
    """The number of tokens in each row of (B, T), padding not counted."""
    return np.asarray((tokens != PAD).sum(1))
