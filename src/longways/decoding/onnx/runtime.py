"""The ONNX engine: exported graphs driven by search, on a CPU, without torch.

B windows, K beams, R rows of the state, C candidates, N source tokens, P prefix tokens, T target
tokens, V target words.

The engine knows no architecture. What the encoder's graph gives is the memory; what the decoder's
takes as `past.*` and gives as `new.*` is the state.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.buffers import DoubleBuffer
from longways.decoding.onnx.inputs import (
    asking,
    every_window,
    first_rows,
    for_each,
    nothing_wanted,
    pad_in_front,
    read_before,
    seated,
    strided,
)
from longways.decoding.onnx.io_binding import NEW, PAST, Arrays, BoundDecoder
from longways.decoding.onnx.session import (
    ALIGNMENT_FILE,
    DECODER_FILE,
    ENCODER_FILE,
    MANY_FILE,
    Session,
    check_files,
    open_session,
)
from longways.decoding.onnx.states import OnnxMemory, OnnxState, OnnxStates
from longways.decoding.runtime import SPARE, Scores, Tokens, row_lengths
from longways.decoding.threads import cores, thread_pool
from longways.errors import WindowError
from longways.model.config import ModelConfig
from longways.model.manifest import read_manifest

ENCODED_AT_ONCE = 1024
"""Source tokens, padding included, that are read together. What is made of more of them leaves the
caches of a processor, and reading takes up to 1.3 times as long."""

SCORED_AT_ONCE = 2048
"""Target tokens, padding included, whose probabilities of all words are in memory together, those
of all threads taken together."""


class OnnxRuntime:
    """Exported graphs as search sees them."""

    framework = "onnx"

    def __init__(
        self,
        folder: Path,
        config: ModelConfig,
        threads: int | None = None,
        decoder: str = DECODER_FILE,
    ) -> None:
        self.folder, self.config, self.threads = folder, config, threads
        self.crew = thread_pool(threads or cores())
        self.encoder = open_session(folder / ENCODER_FILE, threads)
        self.decoder = open_session(folder / decoder, threads)
        self.states = OnnxStates(self.decoder, self.crew)

    @classmethod
    def load(cls, folder: Path, threads: int | None = None) -> Self:
        """The graphs in a model folder; `threads` compute an operator, by default one a core."""
        manifest = read_manifest(folder)
        check_files(folder, manifest.facts.get("export", {}).get("files", {}))
        return cls(folder, manifest.model, threads)

    def single_threaded(self) -> OnnxRuntime:
        """The same for one thread and many rows; several threads can use it at the same time."""
        return self._alone

    @cached_property
    def _alone(self) -> OnnxRuntime:
        """Opened when it is first needed."""
        has_many = (self.folder / MANY_FILE).is_file()
        if self.crew.threads == 1 and not has_many:
            return self
        return OnnxRuntime(self.folder, self.config, 1, MANY_FILE if has_many else DECODER_FILE)

    @property
    def positions(self) -> int:
        """The most tokens that a source window, or a prefix and what follows it, may have."""
        return self.config.positions

    def encode(self, windows: Tokens) -> OnnxMemory:
        """Source windows (B, N), summarised once."""
        self._check(windows.shape[1])
        source = strided(windows, self.positions, self.config.pad)
        together = max(1, ENCODED_AT_ONCE // max(1, source.shape[1]))
        if len(source) <= together:
            arrays = self.encoder.run({"source": source})
        else:
            arrays = self._encode_in_turns(source, together)
        return OnnxMemory(arrays, row_lengths(windows))

    def _encode_in_turns(self, source: Tokens, together: int) -> dict[str, NDArray[Any]]:
        """The memory of some windows after the other, each part written where it belongs."""
        sizes = {"windows": len(source), "source": source.shape[1]}
        arrays = {
            name: np.empty(self.decoder.shape(name, sizes), self.decoder.dtypes[name])
            for name in self.encoder.outputs
        }
        for start in range(0, len(source), together):
            part = slice(start, start + together)
            found = {name: array[part] for name, array in arrays.items()}
            self.encoder.bind({"source": np.ascontiguousarray(source[part])}, found)()
        return arrays

    def start(self, memory: OnnxMemory, prefix: Tokens, beams: int) -> OnnxState:
        """The state after a forced prefix (B, P), read in one parallel pass."""
        windows, longest = prefix.shape
        arrays, lengths = self.states.nothing(windows), row_lengths(prefix)
        if longest:
            self._check(longest)
            read = pad_in_front(prefix, lengths, self.config.pad)
            # No candidates are asked for, but of no rows at all ONNX Runtime mistakes the shape.
            found = self._read(read, memory, arrays, first=longest - 1)
            arrays = {name: found[name] for name in self.states.names}
        rows = np.repeat(np.arange(windows)[:, None], beams, axis=1)
        return OnnxState(arrays, memory, lengths, rows, DoubleBuffer(), BoundDecoder(self.decoder))

    def step(
        self, tokens: Tokens, parents: Tokens, state: OnnxState
    ) -> tuple[Scores, Tokens, OnnxState]:
        """Follow the parents (B, K) and read one token (B, K) after each."""
        self._check(int(state.lengths.max()) + 1)
        beams, windows = tokens.shape[1], every_window(tokens)
        followed = state.rows[windows, parents] if beams > 1 else state.rows
        arrays, places = self.states.follow(state, followed)
        read = {"tokens": seated(tokens, places), "positions": for_each(state.lengths, beams)}
        candidates = min(beams + SPARE, self.config.target_vocabulary)
        scores, ids, arrays = self._step(read, state, arrays, candidates)
        if beams > 1:
            scores, ids = scores[windows, places], ids[windows, places]
        rows, lengths = first_rows(places) + places, state.lengths + 1
        return scores, ids, replace(state, arrays=arrays, lengths=lengths, rows=rows)

    def select(self, state: OnnxState, windows: Tokens) -> OnnxState:
        """The state and the memory of some windows, the others forgotten."""
        return self.states.select(state, windows)

    def score(self, source: Tokens, target: Tokens) -> Scores:
        """The log-probability (B, T) of each token of target windows (B, T)."""
        scores, threads = np.zeros(target.shape, dtype=np.float32), self.crew.threads
        together = max(1, SCORED_AT_ONCE // (threads * max(1, target.shape[1])))
        parts = [slice(start, start + together) for start in range(0, len(target), together)]
        apart = len(parts) >= threads  # or all threads work on each part
        engine, crew = (self.single_threaded(), self.crew) if apart else (self, thread_pool(1))

        def score(part: slice) -> None:
            scores[part] = engine._score(source[part], target[part])

        crew.run([partial(score, part) for part in parts])
        return scores

    def _score(self, source: Tokens, target: Tokens) -> Scores:
        given = {"wanted": target[..., None], **self._asked(target), **asking(0, 1)}
        given |= self._memory_of_each(source)
        (found,) = self.decoder.run(given, ["given"]).values()
        return np.where(target == self.config.pad, np.float32(0), found[..., 0])

    def _memory_of_each(self, source: Tokens) -> Arrays:
        """The memory of every window; sources that occur again are not read again."""
        distinct, places = np.unique(source, axis=0, return_inverse=True)
        if len(distinct) == len(source):
            return self.encode(source).arrays
        memory = self.encode(distinct).arrays
        return {name: array[places.ravel()] for name, array in memory.items()}

    def align(self, source: Tokens, target: Tokens) -> Scores:
        """(B, T, N): the share of each source token in each token of target windows (B, T)."""
        self._check(source.shape[1])
        given = {"source": source, **self._asked(target)}
        (shares,) = self.alignment.run(given, ["shares"]).values()
        return shares

    @cached_property
    def alignment(self) -> Session:
        """Opened when it is first needed, which is seldom."""
        return open_session(self.folder / ALIGNMENT_FILE, self.threads)

    def _asked(self, target: Tokens) -> dict[str, NDArray[Any]]:
        """What to read, from nothing, to ask about every token of target windows (B, T)."""
        self._check(target.shape[1])
        return {**read_before(target, self.config.bos), **self.states.nothing(len(target))}

    def _step(
        self, read: dict[str, Tokens], state: OnnxState, arrays: Arrays, candidates: int
    ) -> tuple[Scores, Tokens, Arrays]:
        """Candidates and the new state, which is where the old one was if the graph allows it."""
        if not self.decoder.in_place:
            found = self._read(read, state.memory, arrays, candidates=candidates)
            return found.pop("scores"), found.pop("ids"), found
        asked = {**read, **asking(0, candidates), "wanted": nothing_wanted(*read["tokens"].shape)}
        return *state.stepping.step(asked, state.memory.arrays, arrays), arrays

    def _read(
        self,
        read: dict[str, Tokens],
        memory: OnnxMemory,
        state: Arrays,
        first: int = 0,
        candidates: int = 1,
    ) -> dict[str, NDArray[Any]]:
        """The new state, and candidates after each token from the first asked about on."""
        windows, tokens = read["tokens"].shape
        nothing = nothing_wanted(windows, tokens - first)
        given = {**read, "wanted": nothing, **asking(first, candidates), **memory.arrays, **state}
        names = ["scores", "ids", *(name.replace(PAST, NEW) for name in self.states.names)]
        found = self.decoder.run(given, names)
        return {name.replace(NEW, PAST): array for name, array in found.items()}

    def _check(self, tokens: int) -> None:
        """Raise unless a window of so many tokens has positions."""
        if tokens > self.positions:
            raise WindowError(
                f"A window has {tokens} tokens, but the model has {self.positions} positions. "
                "Use fewer sentences in a window, or split its longest sentence."
            )
