"""The ONNX runtime: runs exported graphs for search, on a CPU, without torch.

B windows, K beams, R rows of the state, C candidates, N source tokens, P prefix tokens, T target
tokens, V target vocabulary.

The runtime does not depend on the architecture. The memory is all outputs of the encoder graph; the
state is the inputs `past.*` and the outputs `new.*` of the decoder graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.beam_rows import DoubleBuffer
from longways.decoding.onnx.io_binding import (
    NEW,
    PAST,
    Arrays,
    BoundDecoder,
    by_row,
    candidate_inputs,
    first_rows,
    no_scored_tokens,
    pad_left,
    pad_source,
    repeat_per_beam,
    shift_right,
    window_indices,
)
from longways.decoding.onnx.listed import ListedOutput
from longways.decoding.onnx.session import (
    ALIGNMENT_FILE,
    DECODER_FILE,
    ENCODER_FILE,
    LARGE_BATCH_DECODER_FILE,
    Session,
    check_files,
    open_session,
)
from longways.decoding.onnx.states import OnnxMemory, OnnxState, OnnxStates
from longways.decoding.runtime import EXTRA_CANDIDATES, Scores, Tokens, row_lengths
from longways.decoding.shortlist.folder import wanted_shortlist
from longways.decoding.shortlist.shortlist import Shortlist
from longways.decoding.threads import available_cores, shared_thread_pool
from longways.errors import DamagedCheckpoint, WindowError
from longways.model.config import ModelConfig
from longways.model.manifest import read_manifest

ENCODER_BATCH_TOKENS = 1024
"""Source tokens, padding included, of one run of the encoder. The activations of more tokens do not
fit into the processor's caches, and encoding takes up to 1.3 times as long."""

SCORING_BATCH_TOKENS = 2048
"""Target tokens, padding included, that all threads together score at a time. Each has the logits
of the whole vocabulary in memory."""


class OnnxRuntime:
    """Exported graphs as a runtime."""

    framework = "onnx"

    def __init__(
        self,
        folder: Path,
        config: ModelConfig,
        threads: int | None = None,
        decoder: str = DECODER_FILE,
        shortlist: Shortlist | None = None,
    ) -> None:
        """With a shortlist, search chooses among the tokens that it has for a sentence."""
        self.folder, self.config, self.threads = folder, config, threads
        self.thread_pool = shared_thread_pool(threads or available_cores())
        self.encoder = open_session(folder / ENCODER_FILE, threads)
        self.decoder = open_session(folder / decoder, threads)
        self.states = self.open_states()
        self.shortlist = shortlist
        self.output = ListedOutput(folder, decoder, threads) if shortlist else None

    @classmethod
    def load(cls, folder: Path, threads: int | None = None, shortlist: bool | None = False) -> Self:
        """The runtime of the graphs in a model folder, by default with one thread for each core.

        `shortlist` says whether search uses the model's shortlist; None for the model's default.
        """
        manifest = read_manifest(folder)
        export = manifest.facts.get("export", {})
        files = export.get("files", {}) if isinstance(export, dict) else None
        if not isinstance(files, dict):
            raise DamagedCheckpoint(
                f"{folder}/config.json: facts.export has no table of files. Copy the folder again."
            )
        check_files(folder, files)
        lists = wanted_shortlist(folder, manifest.model, shortlist)
        return cls(folder, manifest.model, threads, shortlist=lists)

    def open_states(self) -> OnnxStates:
        """The states of this runtime's decoder."""
        return OnnxStates(self.decoder, self.thread_pool)

    def single_threaded(self) -> Self:
        """The single-threaded clone, for large batches; several threads may use it in parallel."""
        return self._clone

    @cached_property
    def _clone(self) -> Self:
        """The single-threaded clone, opened when it is first needed."""
        has_own_decoder = (self.folder / LARGE_BATCH_DECODER_FILE).is_file()
        if self.thread_pool.threads == 1 and not has_own_decoder:
            return self
        decoder = LARGE_BATCH_DECODER_FILE if has_own_decoder else DECODER_FILE
        return type(self)(self.folder, self.config, 1, decoder, self.shortlist)

    @property
    def positions(self) -> int:
        """The largest number of tokens of a source window, and of a prefix with its new tokens."""
        return self.config.positions

    def encode(self, windows: Tokens) -> OnnxMemory:
        """Encode source windows (B, N)."""
        self._check(windows.shape[1])
        source = pad_source(windows, self.positions, self.config.pad)
        batch = max(1, ENCODER_BATCH_TOKENS // max(1, source.shape[1]))
        if len(source) <= batch:
            arrays = self.encoder.run({"source": source})
        else:
            arrays = self._encode_in_batches(source, batch)
        return OnnxMemory(arrays, row_lengths(windows))

    def _encode_in_batches(self, source: Tokens, batch: int) -> dict[str, NDArray[Any]]:
        """The memory of all windows, encoded batch by batch into the same arrays."""
        sizes = {"windows": len(source), "source": source.shape[1]}
        arrays = {
            name: np.empty(self.decoder.shape(name, sizes), self.decoder.dtypes[name])
            for name in self.encoder.outputs
        }
        for start in range(0, len(source), batch):
            rows = slice(start, start + batch)
            outputs = {name: array[rows] for name, array in arrays.items()}
            self.encoder.bind({"source": np.ascontiguousarray(source[rows])}, outputs)()
        return arrays

    def start(self, memory: OnnxMemory, prefix: Tokens, beams: int) -> OnnxState:
        """The state after a forced prefix (B, P), read in one parallel pass."""
        windows, longest = prefix.shape
        arrays, lengths = self.states.initial(windows), row_lengths(prefix)
        if longest:
            self._check(longest)
            inputs = pad_left(prefix, lengths, self.config.pad)
            # One candidate is computed and dropped: without any, ONNX Runtime infers a wrong shape.
            outputs = self._run_decoder(inputs, memory, arrays, first=longest - 1)
            arrays = {name: outputs[name] for name in self.states.names}
        rows = np.repeat(np.arange(windows)[:, None], beams, axis=1)
        decoder = BoundDecoder(self.stepper(memory))
        return OnnxState(arrays, self.listed(memory, beams), lengths, rows, DoubleBuffer(), decoder)

    def limit(self, memory: OnnxMemory, words: Sequence[Tokens]) -> OnnxMemory:
        """The memory of encoded windows, each with its list of tokens, ascending."""
        return replace(memory, words=words)

    def stepper(self, memory: OnnxMemory) -> Session:
        """The decoder that takes the steps of a search."""
        return self.output.decoder if self.output and memory.words else self.decoder

    def listed(self, memory: OnnxMemory, beams: int) -> OnnxMemory:
        """The memory with the output layer for its lists, if it has any."""
        if not self.output or not memory.words:
            return memory
        return replace(memory, listed=self.output.gather(memory.words, beams))

    def step(
        self, tokens: Tokens, parents: Tokens, state: OnnxState
    ) -> tuple[Scores, Tokens, OnnxState]:
        """Follow the parents (B, K) and read one token (B, K) after each."""
        self._check(int(state.lengths.max()) + 1)
        beams, windows = tokens.shape[1], window_indices(tokens)
        parent_rows = state.rows[windows, parents] if beams > 1 else state.rows
        arrays, places = self.states.follow(state, parent_rows)
        positions = repeat_per_beam(state.lengths, beams)
        inputs = {"tokens": by_row(tokens, places), "positions": positions}
        candidates = min(beams + EXTRA_CANDIDATES, self.config.target_vocabulary)
        scores, ids, arrays = self._step(inputs, state, arrays, candidates)
        if beams > 1:
            scores, ids = scores[windows, places], ids[windows, places]
        rows, lengths = first_rows(places) + places, state.lengths + 1
        return scores, ids, replace(state, arrays=arrays, lengths=lengths, rows=rows)

    def select(self, state: OnnxState, windows: Tokens) -> OnnxState:
        """The state and the memory of some windows; the others are dropped."""
        chosen = self.states.select(state, windows)
        words, listed = chosen.memory.words, state.memory.listed
        if not self.output or not words or not listed:
            return chosen
        own = self.output.select(listed, words, windows)
        return replace(chosen, memory=replace(chosen.memory, listed=own))

    def score(self, source: Tokens, target: Tokens) -> Scores:
        """The log-probability (B, T) of each token of target windows (B, T)."""
        scores, threads = np.zeros(target.shape, dtype=np.float32), self.thread_pool.threads
        batch = max(1, SCORING_BATCH_TOKENS // (threads * max(1, target.shape[1])))
        batches = [slice(start, start + batch) for start in range(0, len(target), batch)]
        if len(batches) >= threads:  # a batch for each thread
            runtime, thread_pool = self.single_threaded(), self.thread_pool
        else:  # all threads share the operators of each batch
            runtime, thread_pool = self, shared_thread_pool(1)

        def score(rows: slice) -> None:
            scores[rows] = runtime._score(source[rows], target[rows])

        thread_pool.run([partial(score, rows) for rows in batches])
        return scores

    def _score(self, source: Tokens, target: Tokens) -> Scores:
        inputs = {"wanted": target[..., None], **self._target_inputs(target)}
        inputs |= candidate_inputs(0, 1) | self._memory_of_each(source)
        (found,) = self.decoder.run(inputs, ["given"]).values()
        return np.where(target == self.config.pad, np.float32(0), found[..., 0])

    def _memory_of_each(self, source: Tokens) -> dict[str, NDArray[Any]]:
        """The memory of every window; equal sources are encoded once."""
        distinct, places = np.unique(source, axis=0, return_inverse=True)
        if len(distinct) == len(source):
            return dict(self.encode(source).arrays)
        memory = self.encode(distinct).arrays
        return {name: array[places.ravel()] for name, array in memory.items()}

    def align(self, source: Tokens, target: Tokens) -> Scores:
        """Alignment weights (B, T, N) of every source token for each token of target windows."""
        self._check(source.shape[1])
        padded = pad_source(source, self.positions, self.config.pad)
        inputs = {"source": padded, **self._target_inputs(target)}
        (weights,) = self.alignment.run(inputs, ["shares"]).values()
        return weights[..., : source.shape[1]]

    @cached_property
    def alignment(self) -> Session:
        """The alignment graph, opened when it is first needed."""
        return open_session(self.folder / ALIGNMENT_FILE, self.threads)

    def _target_inputs(self, target: Tokens) -> dict[str, NDArray[Any]]:
        """The decoder inputs for whole target windows (B, T), with the initial state."""
        self._check(target.shape[1])
        return {**shift_right(target, self.config.bos), **self.states.initial(len(target))}

    def _step(
        self, inputs: dict[str, Tokens], state: OnnxState, arrays: Arrays, candidates: int
    ) -> tuple[Scores, Tokens, Arrays]:
        """Candidates and the new state, which overwrites the old one if the graph allows it."""
        if not self.decoder.in_place:
            outputs = self._run_decoder(inputs, state.memory, arrays, candidates=candidates)
            return outputs.pop("scores"), outputs.pop("ids"), outputs
        inputs = {**inputs, **candidate_inputs(0, candidates)}
        if not state.memory.listed:
            inputs["wanted"] = no_scored_tokens(*inputs["tokens"].shape)
        return *state.decoder.step(inputs, state.memory.inputs, arrays), arrays

    def _run_decoder(
        self,
        inputs: dict[str, Tokens],
        memory: OnnxMemory,
        state: Arrays,
        first: int = 0,
        candidates: int = 1,
    ) -> dict[str, NDArray[Any]]:
        """The new state, and the candidates after each token from the token `first` on."""
        windows, tokens = inputs["tokens"].shape
        inputs = {**inputs, **candidate_inputs(first, candidates)}
        if not memory.listed:
            inputs["wanted"] = no_scored_tokens(windows, tokens - first)
        decoder = self.stepper(memory) if memory.listed else self.decoder
        names = ["scores", "ids", *(name.replace(PAST, NEW) for name in self.states.names)]
        outputs = decoder.run({**inputs, **memory.inputs, **state}, names)
        return {name.replace(NEW, PAST): array for name, array in outputs.items()}

    def _check(self, tokens: int) -> None:
        """Raise unless a window of this length fits into the model's positions."""
        if tokens > self.positions:
            raise WindowError(
                f"A window has {tokens} tokens, but the model has {self.positions} positions. "
                "Use fewer sentences in a window, or split its longest sentence."
            )
