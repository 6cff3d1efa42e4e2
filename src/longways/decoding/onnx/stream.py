"""The ONNX runtime of stream models: sentence by sentence, after what the document has left.

B documents or windows, K beams, P prefix tokens, N source tokens, T target tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.decoding.onnx.beam_rows import DoubleBuffer
from longways.decoding.onnx.document import (
    OnnxDocument,
    SentenceMemory,
)
from longways.decoding.onnx.io_binding import (
    Arrays,
    as_new,
)
from longways.decoding.onnx.sentence_caches import SentenceDecoder
from longways.decoding.onnx.sentence_pairs import SentencePair, sentence_pairs
from longways.decoding.onnx.sentence_reader import (
    SentenceReader,
    all_logits,
    no_logits,
    place_in_sentence,
)
from longways.decoding.onnx.states import Lengths, OnnxMemory, OnnxState
from longways.decoding.runtime import Scores, Tokens, pad_rows, row_lengths
from longways.decoding.stream import Translated


class StreamOnnxRuntime(SentenceReader):
    """An exported stream model as a runtime."""

    def start(self, memory: OnnxMemory, prefix: Tokens, beams: int) -> OnnxState:
        """The state after a forced prefix (B, P) of the sentence, read in one parallel pass."""
        assert isinstance(memory, SentenceMemory)
        windows, longest = prefix.shape
        own = {name: array.copy() for name, array in memory.target.items()}  # is overwritten
        # Caches come first: a bound decoder recognises a state by its first array.
        arrays = {**self.states.with_room(windows, longest), **own}
        if longest:
            outputs = self._read_prefix(memory, prefix)
            arrays |= {name: outputs[as_new(name)] for name in self.target_names}
            added = {name: outputs[as_new(name)] for name in self.cached_names}
            self.states.fill(arrays, added, prefix == self.config.pad)
        rows = np.repeat(np.arange(windows)[:, None], beams, axis=1)
        decoder = SentenceDecoder(self.stepper(memory), longest)
        listed = self.listed(memory, beams)
        return OnnxState(arrays, listed, row_lengths(prefix), rows, DoubleBuffer(), decoder)

    def _read_prefix(self, memory: SentenceMemory, prefix: Tokens) -> dict[str, NDArray[Any]]:
        """The new sums, and the keys and values of a prefix (B, P)."""
        inputs = {"tokens": prefix, "positions": place_in_sentence(prefix), **no_logits(prefix)}
        self._check(prefix.shape[1])
        past = {**self.states.initial(len(prefix)), **memory.target}
        names = [as_new(name) for name in (*self.target_names, *self.cached_names)]
        return self.decoder.run({**inputs, **memory.arrays, **past}, names)

    def _step(
        self, inputs: dict[str, Tokens], state: OnnxState, arrays: Arrays, candidates: int
    ) -> tuple[Scores, Tokens, Arrays]:
        decoder = state.decoder
        assert isinstance(decoder, SentenceDecoder)
        arrays = self.states.extended(arrays, decoder.used)
        found = super()._step({**inputs, **all_logits()}, state, arrays, candidates)
        self.states.append(arrays, decoder.added, decoder.used)
        decoder.used += 1
        return found

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
            inputs = self.reading([pair.read for pair in now])
            wanted = np.zeros_like(inputs["tokens"])
            for row, pair in zip(wanted, now, strict=True):
                row[: len(pair.target)] = pair.target
            inputs |= all_logits() | {"wanted": wanted[..., None]}
            left, given = self.read_encoded([states[row] for row in active], inputs)
            for row, pair, after, found in zip(active, now, left, given[..., 0], strict=True):
                columns = slice(pair.target_start, pair.target_start + len(pair.target))
                scores[row, columns] = found[: len(pair.target)]
                states[row] = states[row].after(after, same_source=not pair.ends_source)
        return scores

    def score_sentences(self, sentences: Sequence[Translated]) -> Scores:
        """The log-probability (B, T) of each target token after the first, in its document."""
        sources, targets, given = (list(column) for column in zip(*sentences, strict=True))
        states = [copy(state) for state in given]  # one state may be before several sentences
        self.encode_missing(sources, states)
        wanted = pad_rows([target[1:] for target in targets])
        inputs = self.reading([target[:-1] for target in targets]) | all_logits()
        padded = np.zeros_like(inputs["tokens"])
        padded[:, : wanted.shape[1]] = wanted
        _, found = self.read_encoded(states, inputs | {"wanted": padded[..., None]})
        return np.where(wanted == self.config.pad, np.float32(0), found[:, : wanted.shape[1], 0])

    def _encode_once(
        self, pairs: list[SentencePair], states: list[OnnxDocument], leaders: Lengths
    ) -> None:
        """Encode the sentences of windows; those with the same leader have the same source."""
        _, first, places = np.unique(leaders, return_index=True, return_inverse=True)
        self.encode_missing([pairs[row].source for row in first], [states[row] for row in first])
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
        state: Arrays = {**self.opened[0], **self.opened[1]}
        for pair in sentence_pairs(source, target):
            self._check(max(len(pair.source), len(pair.target)))
            read = np.array([pair.read])  # not padded: a head may look one token ahead
            inputs = {"source": np.array([pair.source]), "tokens": read}
            inputs["positions"] = place_in_sentence(read)
            outputs = self.alignment.run({**inputs, **self.states.initial(1), **state})
            rows = slice(pair.target_start, pair.target_start + len(pair.target))
            columns = slice(pair.source_start, pair.source_start + len(pair.source))
            weights[rows, columns] = outputs["shares"][0, : len(pair.target)]
            moved = self.target_names + (self.source_names if pair.ends_source else [])
            state = {**state, **{name: outputs[as_new(name)] for name in moved}}
