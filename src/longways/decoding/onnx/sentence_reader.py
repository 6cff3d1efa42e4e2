"""What exported stream models read of a document: its sentences, and their translations.

B documents, N source tokens, T target tokens.

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
    as_new,
    candidate_inputs,
    no_scored_tokens,
    pad_source,
    round_up,
)
from longways.decoding.onnx.length_groups import length_groups
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.onnx.sentence_caches import SentenceStates
from longways.decoding.onnx.session import HIDDEN_FROM
from longways.decoding.runtime import Scores, Tokens, pad_rows, row_lengths
from longways.decoding.stream import Translated
from longways.decoding.threads import even_slices
from longways.model.manifest import CONFIG_FILE

FINISHED_PER_THREAD = 4
"""A thread finishes sentences by itself only if it has at least this number of them."""


class SentenceReader(OnnxRuntime):
    """Reads sentences and their translations for what they leave; the base of the runtime."""

    states: SentenceStates

    def open_states(self) -> SentenceStates:
        """The states of this runtime's decoder."""
        return SentenceStates(self.decoder, self.thread_pool)

    @cached_property
    def identity(self) -> str:
        """What all states of this model have: a digest of its config, with checksums of graphs."""
        config = self.folder / CONFIG_FILE
        return sha256(config.read_bytes()).hexdigest() if config.is_file() else str(self.folder)

    @cached_property
    def source_names(self) -> list[str]:
        """The arrays of the source state, inputs of the encoder."""
        return [name for name in self.encoder.inputs if name.startswith(PAST)]

    @cached_property
    def target_names(self) -> list[str]:
        """The arrays of the target state, inputs of the decoder."""
        return [name for name in self.states.names if self.decoder.axis(name, "read") is None]

    @cached_property
    def cached_names(self) -> list[str]:
        """The caches whose new tokens the decoder returns."""
        return [name for name in self.states.caches if as_new(name) in self.decoder.outputs]

    @cached_property
    def source_axes(self) -> dict[str, int]:
        """The axis of source tokens of the memory arrays that have one."""
        axes = {name: self.decoder.axis(name, "source") for name in self.memory_names}
        return {name: axis for name, axis in axes.items() if axis is not None}

    @cached_property
    def memory_names(self) -> list[str]:
        """The arrays of the memory, outputs of the encoder."""
        return [name for name in self.encoder.outputs if not name.startswith(NEW)]

    @cached_property
    def opened(self) -> tuple[Arrays, Arrays]:
        """The source state and the target state before the first sentence."""
        sides = (self.encoder, self.source_names), (self.decoder, self.target_names)
        source, target = (
            {name: np.zeros(session.shape(name, {"rows": 1}), np.float32) for name in names}
            for session, names in sides
        )
        return source, target

    def open_document(self) -> OnnxDocument:
        """The state before the first sentence of a document."""
        return OnnxDocument(self.identity, *self.opened)

    def encode(self, windows: Tokens) -> SentenceMemory:
        """Encode sentences (B, N), each of which is the first of a document."""
        return self.encode_sentences(windows, [self.open_document() for _ in windows])

    def encode_sentences(self, sentences: Tokens, states: Sequence[OnnxDocument]) -> SentenceMemory:
        """Encode the next sentence (B, N) of each document, and keep it beside the state."""
        check_documents(states, self.identity, len(sentences))
        self._check(sentences.shape[1])
        encoded: list[EncodedSentence | None] = [None] * len(states)
        lengths = row_lengths(sentences)
        for rows in length_groups(lengths.tolist()):
            found = self._encode_group(
                sentences[rows, : lengths[rows[0]]], [states[row] for row in rows]
            )
            for row, one in zip(rows, found, strict=True):
                encoded[row] = states[row].encoded = one
        memory = join_rows([one.memory for one in encoded if one], self.source_axes)
        target = join_rows([state.target for state in states], {})
        return SentenceMemory(memory, lengths, target)

    def _encode_group(
        self, sentences: Tokens, states: Sequence[OnnxDocument]
    ) -> list[EncodedSentence]:
        """Encode sentences (B, N) of similar length."""
        source = pad_source(sentences, self.positions, self.config.pad)
        past = join_rows([state.source for state in states], {})
        outputs = self.encoder.run({"source": source, **past})
        memory = {name: outputs[name] for name in self.memory_names}
        after = {name: outputs[self._as_output(name)] for name in self.source_names}
        return self._separate(sentences, memory, split_rows(after, len(states)))

    def _as_output(self, name: str) -> str:
        """The output of the encoder that replaces a state; sums of cross attention are memory."""
        plain = name.removeprefix(PAST)
        return plain if plain in self.encoder.outputs else NEW + plain

    def _separate(
        self, sentences: Tokens, memory: Arrays, after: Sequence[Arrays]
    ) -> list[EncodedSentence]:
        """Each sentence of a group by itself, without the padding of longer ones."""
        lengths, found = row_lengths(sentences).tolist(), list[EncodedSentence]()
        for row, (length, left) in enumerate(zip(lengths, after, strict=True)):
            longest = min(round_up(length), self.positions)
            own = {
                name: _first(array[row : row + 1], self.source_axes.get(name), longest)
                for name, array in memory.items()
            }
            found.append(EncodedSentence(sentences[row, :length].tolist(), own, left))
        return found

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
        self.encode_missing(
            [sentence.source for sentence in sentences], [s.state for s in sentences]
        )
        states = [sentence.state for sentence in sentences]
        found = [*states]
        for rows in length_groups([len(sentence.target) for sentence in sentences]):
            inputs = self.reading([sentences[row].target for row in rows])
            inputs |= no_logits(inputs["tokens"])
            left, _ = self.read_encoded([states[row] for row in rows], inputs)
            for row, target in zip(rows, left, strict=True):
                found[row] = states[row].after(target)
        return found

    def encode_missing(self, sources: list[list[int]], states: list[OnnxDocument]) -> None:
        """Encode the sentences that are not encoded after their states yet."""
        missing = [
            (source, state)
            for source, state in zip(sources, states, strict=True)
            if state.encoded is None or state.encoded.tokens != source
        ]
        if missing:
            rows, before = zip(*missing, strict=True)
            self.encode_sentences(pad_rows(rows), before)

    def reading(self, targets: Sequence[Sequence[int]]) -> dict[str, Any]:
        """The decoder inputs of sentences that are read in one pass, padded at the end."""
        tokens = pad_rows(targets)
        self._check(tokens.shape[1])
        tokens = pad_source(tokens, self.positions, self.config.pad)
        return {"tokens": tokens, "positions": place_in_sentence(tokens)}

    def read_encoded(
        self, states: Sequence[OnnxDocument], inputs: dict[str, Any]
    ) -> tuple[list[Arrays], Scores]:
        """Read a translation of each encoded sentence: the target states, and wanted scores."""
        encoded = [state.encoded for state in states if state.encoded]
        assert len(encoded) == len(states), "all sentences must be encoded"
        memory = join_rows([one.memory for one in encoded], self.source_axes)
        past = join_rows([state.target for state in states], {})
        arrays = {**self.states.initial(len(states)), **past}
        names = ["given", *map(as_new, self.target_names)]
        outputs = self.decoder.run({**inputs, **memory, **arrays}, names)
        left = {name: outputs[as_new(name)] for name in self.target_names}
        return split_rows(left, len(states)), outputs["given"]


def _first(array: NDArray[Any], axis: int | None, tokens: int) -> NDArray[Any]:
    """The first tokens along one axis, if the array has it."""
    return array if axis is None else array[(slice(None),) * axis + (slice(tokens),)]


def place_in_sentence(tokens: Tokens) -> Tokens:
    """The positions of tokens (B, T) in their sentences."""
    return np.tile(np.arange(tokens.shape[1]), (len(tokens), 1))


def no_logits(tokens: Tokens) -> dict[str, Tokens]:
    """The inputs of a decoder that reads tokens (B, T) for the state alone.

    One token passes through the whole last layer: ONNX Runtime gives wrong shapes without any.
    """
    wanted = no_scored_tokens(len(tokens), 0)
    last = np.array([tokens.shape[1] - 1])
    return {**candidate_inputs(1, 1), HIDDEN_FROM: last, "wanted": wanted}


def all_logits() -> dict[str, Tokens]:
    """The inputs of a decoder that computes logits after each of its tokens."""
    return {**candidate_inputs(0, 1), HIDDEN_FROM: np.array([0])}
