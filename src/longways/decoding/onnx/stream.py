"""The ONNX runtime of stream models: sentence by sentence, after what the document has left.

B documents, R rows of the state, N source tokens, T target tokens.

The encoder graph reads and writes the state of the source, the decoder graph that of the target.
Sources and translations are padded to a multiple of 4 tokens; then a document has the same bits
alone and beside others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.document import (
    EncodedSentence,
    OnnxDocument,
    SentenceMemory,
    check_documents,
    join_rows,
    split_rows,
)
from longways.decoding.onnx.io_binding import (
    NEW,
    PAST,
    Arrays,
    candidate_inputs,
    no_scored_tokens,
    pad_source,
    round_up,
)
from longways.decoding.onnx.runtime import ENCODER_BATCH_TOKENS, OnnxRuntime
from longways.decoding.onnx.sentence_pairs import SentencePair, sentence_pairs
from longways.decoding.onnx.states import Lengths, OnnxMemory, OnnxState, OnnxStates
from longways.decoding.runtime import Scores, Tokens, pad_rows, row_lengths
from longways.decoding.stream import Translated
from longways.decoding.threads import even_slices
from longways.model.manifest import CONFIG_FILE

FINISHED_PER_THREAD = 4
"""A thread finishes sentences by itself only if it has at least this number of them."""


class StreamOnnxRuntime(OnnxRuntime):
    """An exported stream model as a runtime."""

    states: StreamStates

    def open_states(self) -> StreamStates:
        """States whose rows are padded at the end."""
        return StreamStates(self.decoder, self.thread_pool)

    @cached_property
    def identity(self) -> str:
        """What all states of this model have: a digest of its config, with checksums of graphs."""
        config = self.folder / CONFIG_FILE
        return sha256(config.read_bytes()).hexdigest() if config.is_file() else str(self.folder)

    @cached_property
    def _source_names(self) -> list[str]:
        return [name for name in self.encoder.inputs if name.startswith(PAST)]

    @cached_property
    def _target_names(self) -> list[str]:
        return [name for name in self.states.names if self.decoder.axis(name, "read") is None]

    @cached_property
    def _source_axes(self) -> dict[str, int]:
        axes = {name: self.decoder.axis(name, "source") for name in self._memory_names}
        return {name: axis for name, axis in axes.items() if axis is not None}

    @cached_property
    def _memory_names(self) -> list[str]:
        return [name for name in self.encoder.outputs if not name.startswith(NEW)]

    @cached_property
    def _opened(self) -> tuple[Arrays, Arrays]:
        sides = (self.encoder, self._source_names), (self.decoder, self._target_names)
        source, target = (
            {name: np.zeros(session.shape(name, {"rows": 1}), np.float32) for name in names}
            for session, names in sides
        )
        return source, target

    def open_document(self) -> OnnxDocument:
        """The state before the first sentence of a document."""
        return OnnxDocument(self.identity, *self._opened)

    def encode(self, windows: Tokens) -> SentenceMemory:
        """Encode sentences (B, N), each of which is the first of a document."""
        return self.encode_sentences(windows, [self.open_document() for _ in windows])

    def encode_sentences(self, sentences: Tokens, states: Sequence[OnnxDocument]) -> SentenceMemory:
        """Encode the next sentence (B, N) of each document, and keep it beside the state."""
        check_documents(states, self.identity, len(sentences))
        self._check(sentences.shape[1])
        source = pad_source(sentences, self.positions, self.config.pad)
        batch = max(1, ENCODER_BATCH_TOKENS // max(1, source.shape[1]))
        parts = [slice(start, start + batch) for start in range(0, len(source), batch)]
        runs = [self._run_encoder(source[part], states[part]) for part in parts]
        outputs = {name: np.concatenate([run[name] for run in runs]) for name in runs[0]}
        memory = {name: outputs[name] for name in self._memory_names}
        after = {name: outputs[self._as_output(name)] for name in self._source_names}
        self._keep(sentences, states, memory, after)
        target = join_rows([state.target for state in states], {})
        return SentenceMemory(memory, row_lengths(sentences), target)

    def _run_encoder(
        self, source: Tokens, states: Sequence[OnnxDocument]
    ) -> dict[str, NDArray[Any]]:
        past = join_rows([state.source for state in states], {})
        return self.encoder.run({"source": np.ascontiguousarray(source), **past})

    def _as_output(self, name: str) -> str:
        """The output of the encoder that replaces a state; sums of cross attention are memory."""
        plain = name.removeprefix(PAST)
        return plain if plain in self.encoder.outputs else NEW + plain

    def _keep(
        self, sentences: Tokens, states: Sequence[OnnxDocument], memory: Arrays, after: Arrays
    ) -> None:
        """Keep each sentence of a batch beside the state of its document."""
        lengths = row_lengths(sentences)
        for row, (state, left) in enumerate(
            zip(states, split_rows(after, len(states)), strict=True)
        ):
            own, longest = slice(row, row + 1), min(round_up(int(lengths[row])), self.positions)
            kept = {
                name: _first(array[own], self._source_axes.get(name), longest)
                for name, array in memory.items()
            }
            tokens = sentences[row, : lengths[row]].tolist()
            state.encoded = EncodedSentence(tokens, kept, left)

    def finish_sentences(self, sentences: Sequence[Translated]) -> list[OnnxDocument]:
        """The state of each document after a sentence and its translation.

        The translation is read in one parallel pass, whether search or a journal has it, so that
        a resumed document has the same bits. Only a sentence that was not searched is encoded.
        """
        states = [sentence.state for sentence in sentences]
        check_documents(states, self.identity, len(sentences))
        threads, found = self.thread_pool.threads, [*states]
        if threads == 1 or len(sentences) < FINISHED_PER_THREAD * threads:
            return self._finish(sentences)
        clone = self.single_threaded()

        def finish(share: slice) -> None:
            found[share] = clone._finish(sentences[share])

        shares = even_slices(len(sentences), threads)
        self.thread_pool.run([partial(finish, share) for share in shares])
        return found

    def _finish(self, sentences: Sequence[Translated]) -> list[OnnxDocument]:
        self._encode_missing(
            [sentence.source for sentence in sentences], [s.state for s in sentences]
        )
        states = [sentence.state for sentence in sentences]
        inputs = self._reading([sentence.target for sentence in sentences])
        # Logits after the last token are dropped: without any, int8 matmuls have a wrong shape.
        inputs |= candidate_inputs(inputs["tokens"].shape[1] - 1, 1)
        inputs |= {"wanted": no_scored_tokens(len(sentences), 1)}
        left, _ = self._read(states, inputs)
        return [state.after(target) for state, target in zip(states, left, strict=True)]

    def _encode_missing(self, sources: list[list[int]], states: list[OnnxDocument]) -> None:
        """Encode the sentences that are not encoded after their states yet."""
        missing = [
            (source, state)
            for source, state in zip(sources, states, strict=True)
            if state.encoded is None or state.encoded.tokens != source
        ]
        if missing:
            rows, before = zip(*missing, strict=True)
            self.encode_sentences(pad_rows(rows), before)

    def _reading(self, targets: Sequence[Sequence[int]]) -> dict[str, Any]:
        """The decoder inputs of sentences that are read in one pass, padded at the end."""
        tokens = pad_rows(targets)
        self._check(tokens.shape[1])
        tokens = pad_source(tokens, self.positions, self.config.pad)
        return {
            "tokens": tokens,
            "positions": np.tile(np.arange(tokens.shape[1]), (len(tokens), 1)),
        }

    def _read(
        self, states: Sequence[OnnxDocument], inputs: dict[str, Any]
    ) -> tuple[list[Arrays], Scores]:
        """Read a translation of each encoded sentence: the target states, and wanted scores."""
        encoded = [state.encoded for state in states if state.encoded]
        assert len(encoded) == len(states), "all sentences must be encoded"
        memory = join_rows([one.memory for one in encoded], self._source_axes)
        past = join_rows([state.target for state in states], {})
        arrays = {**self.states.initial(len(states)), **past}
        names = ["given", *(name.replace(PAST, NEW) for name in self._target_names)]
        outputs = self.decoder.run({**inputs, **memory, **arrays}, names)
        left = {name: outputs[name.replace(PAST, NEW)] for name in self._target_names}
        return split_rows(left, len(states)), outputs["given"]

    def _opening(self, memory: OnnxMemory, windows: int) -> Arrays:
        """Empty caches, and the sums that the documents have left."""
        assert isinstance(memory, SentenceMemory)
        return {**self.states.initial(windows), **memory.target}

    def _prefix_inputs(self, prefix: Tokens, lengths: Lengths) -> dict[str, Tokens]:
        """The tokens and positions of prefixes (B, P), padded at the end."""
        return {
            "tokens": prefix,
            "positions": np.tile(np.arange(prefix.shape[1]), (len(prefix), 1)),
        }

    def _score(self, source: Tokens, target: Tokens) -> Scores:
        """Score whole windows sentence by sentence; equal sources are encoded once."""
        scores = np.zeros(target.shape, np.float32)
        _, first, places = np.unique(source, axis=0, return_index=True, return_inverse=True)
        leaders = first[places.ravel()]  # (B,)  the first window with the same source
        pairs = [sentence_pairs(*rows) for rows in zip(source, target, strict=True)]
        states = [self.open_document() for _ in pairs]
        for place in range(max(map(len, pairs), default=0)):
            active = [row for row, of_row in enumerate(pairs) if place < len(of_row)]
            now = [pairs[row][place] for row in active]
            self._encode_once(now, [states[row] for row in active], leaders[active])
            inputs = self._reading([pair.read for pair in now])
            wanted = np.zeros_like(inputs["tokens"])
            for row, pair in zip(wanted, now, strict=True):
                row[: len(pair.target)] = pair.target
            inputs |= candidate_inputs(0, 1) | {"wanted": wanted[..., None]}
            left, given = self._read([states[row] for row in active], inputs)
            for row, pair, after, found in zip(active, now, left, given[..., 0], strict=True):
                columns = slice(pair.target_start, pair.target_start + len(pair.target))
                scores[row, columns] = found[: len(pair.target)]
                states[row] = states[row].after(after, same_source=not pair.ends_source)
        return scores

    def _encode_once(
        self, pairs: list[SentencePair], states: list[OnnxDocument], leaders: Lengths
    ) -> None:
        """Encode the sentences of windows; those with the same leader have the same source."""
        _, first, places = np.unique(leaders, return_index=True, return_inverse=True)
        self._encode_missing([pairs[row].source for row in first], [states[row] for row in first])
        for state, place in zip(states, places.ravel(), strict=True):
            state.encoded = states[first[place]].encoded

    def align(self, source: Tokens, target: Tokens) -> Scores:
        """Alignment weights (B, T, N): a target token is aligned with its source sentence."""
        weights = np.zeros((*target.shape, source.shape[1]), np.float32)
        for rows in zip(weights, source, target, strict=True):
            self._align(*rows)
        return weights

    def _align(self, weights: Scores, source: Tokens, target: Tokens) -> None:
        """Write the weights (T, N) of one window."""
        state: Arrays = {**self._opened[0], **self._opened[1]}
        for pair in sentence_pairs(source, target):
            self._check(max(len(pair.source), len(pair.target)))
            inputs = {"source": np.array([pair.source]), **self._reading([pair.read])}
            outputs = self.alignment.run({**inputs, **self.states.initial(1), **state})
            rows = slice(pair.target_start, pair.target_start + len(pair.target))
            columns = slice(pair.source_start, pair.source_start + len(pair.source))
            weights[rows, columns] = outputs["shares"][0, : len(pair.target)]
            moved = self._target_names + (self._source_names if pair.ends_source else [])
            state = {**state, **{name: outputs[name.replace(PAST, NEW)] for name in moved}}


class StreamStates(OnnxStates):
    """States whose rows are padded at the end, so that no row can lose its first tokens."""

    def _read_tokens(self, state: OnnxState) -> slice:
        return slice(None)


def _first(array: NDArray[Any], axis: int | None, tokens: int) -> NDArray[Any]:
    """The first tokens along one axis, if the array has it."""
    return array if axis is None else array[(slice(None),) * axis + (slice(tokens),)]
