"""What search asks of an engine: summarise windows, read a prefix, take a step. Loads no engine.

B windows, K beams, C candidates, N source tokens, P prefix tokens, T target tokens, V target words.

Token arrays are right-padded with `<pad>`. Everything large (memory, state) belongs to the engine
and stays where it computes; what comes back is small and in numpy.
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
"""Tokens that no engine offers: they stand for nothing that could be written."""

SPARE = 2
"""Candidates of a beam beyond the number of beams, so that `<sep>` and `<eos>` displace no word."""


class Runtime(Protocol[MemoryT, StateT]):
    """A translation model as search sees it, the same for every engine.

    The beams of a window stand side by side. A memory is kept once a window, whatever the beams.
    A state is used up by the call it is given to: go on with the one that comes back.
    """

    @property
    def framework(self) -> str:
        """The library that computes the model: `torch` or `onnx`."""

    @property
    def positions(self) -> int:
        """The most tokens that a source window, or a prefix and what follows it, may have."""

    def encode(self, windows: Tokens) -> MemoryT:
        """Source windows (B, N), each `s1 <sep> s2 <eos>`, summarised once."""

    def start(self, memory: MemoryT, prefix: Tokens, beams: int) -> StateT:
        """The state after a forced prefix (B, P), read in one parallel pass: `<bos> t1 <sep> t2`.

        The last token before the new ones, `<bos>` or `<sep>`, is left to the first `step`.
        """

    def step(self, tokens: Tokens, parents: Tokens, state: StateT) -> tuple[Scores, Tokens, StateT]:
        """Follow the parents (B, K), beams of the same window, and read a token (B, K) after each.

        Gives the log-probabilities (B, K, C) of the likeliest next tokens, and their ids, the best
        first. C is `K + SPARE`, or V where that is less. `FORBIDDEN` tokens have minus infinity;
        the others keep the probability that the model gives them.
        """

    def select(self, state: StateT, windows: Tokens) -> StateT:
        """The state and the memory of some windows (indices, ascending), the others forgotten."""

    def score(self, source: Tokens, target: Tokens) -> Scores:
        """The log-probability (B, T) of each token of target windows (B, T) `t1 <sep> t2 <eos>`.

        Source windows are (B, N). Padding has 0.
        """

    def align(self, source: Tokens, target: Tokens) -> Scores:
        """The share (B, T, N) of each source token in each token of target windows (B, T).

        By what cross attention looks at; the shares of a target token add up to one.
        """


AnyRuntime: TypeAlias = Runtime[Any, Any]
"""A runtime of any engine, for those who keep no memory or state of it."""


@runtime_checkable
class Parallelizable(Protocol):
    """An engine for several threads that can be had for one, several of which work side by side."""

    @property
    def crew(self) -> ThreadPool:
        """The threads."""

    def single_threaded(self) -> AnyRuntime:
        """The engine for one of them; all may use it at the same time."""


def pad_rows(rows: Sequence[Sequence[int]]) -> Tokens:
    """Rows of token ids side by side, padded at the end to the longest."""
    longest = max(map(len, rows), default=0)
    tokens = np.full((len(rows), longest), PAD, dtype=np.int64)
    for padded, row in zip(tokens, rows, strict=True):
        padded[: len(row)] = row
    return tokens


def row_lengths(tokens: Tokens) -> NDArray[np.int64]:
    """Real tokens of each row of (B, T), padding not counted."""
    return np.asarray((tokens != PAD).sum(1))
