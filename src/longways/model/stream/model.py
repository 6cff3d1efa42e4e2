"""The stream model: it translates a document sentence by sentence and reads nothing twice.

B windows or documents, R = B x beams rows, N source tokens, T target tokens, V target vocabulary.

In training a window of L sentences is read in parallel, as by any other model. In translation
every sentence is encoded after the state that the source so far has left, and searched after the
state that the target so far has left. Both ways compute the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from longways.attention.stream.sentences import SourcePlaces
from longways.errors import ShapeError
from longways.model.config import ModelConfig
from longways.model.decoder import Memory, State
from longways.model.stream.decoder import StreamDecoder, left_behind
from longways.model.stream.encoder import StreamEncoder
from longways.model.stream.state import DocumentState, Layers
from longways.model.translation import CACHE_HEADROOM_TOKENS, TranslationModel


@dataclass(frozen=True)
class EncodedSentence:
    """The next sentence of each document, ready to be translated."""

    memory: Memory
    encoder: Layers
    cross: Layers
    causal: Layers
    """What the target before this sentence has left."""


class StreamModel(TranslationModel):
    """An encoder and a decoder with sentence and document heads."""

    encoder: StreamEncoder
    decoder: StreamDecoder

    def make_encoder(self, config: ModelConfig) -> StreamEncoder:
        """The encoder of a stream model."""
        return StreamEncoder(config)

    def make_decoder(self, config: ModelConfig) -> StreamDecoder:
        """The decoder of a stream model."""
        return StreamDecoder(config)

    def remember(self, encoded: Tensor, source: Tensor) -> Memory:
        """The memory of whole windows (B, N, d), for `forward`."""
        return self.decoder.remember_window(encoded, self._places(source))

    def aligned(self, source: Tensor, target_in: Tensor) -> Tensor:
        """(B, T, N): the source tokens of the sentence that each target token translates."""
        places = self._places(source)
        ranges = places.ranges(places.of_target(target_in == self.config.sep))
        return ranges.visible(source.shape[1])

    def _places(self, source: Tensor) -> SourcePlaces:
        return SourcePlaces.of(source == self.config.sep, source != self.config.pad)

    def open_documents(self, documents: int) -> DocumentState:
        """The state before the first sentence of documents."""
        like = self.decoder.embedding.tokens.weight
        layers = self.decoder.stream_layers()
        return DocumentState(
            tuple(layer.attention.empty(documents, like) for layer in self.encoder.stream_layers()),
            tuple(layer.cross.empty(documents, like) for layer in layers),
            tuple(layer.causal.empty(documents, like) for layer in layers),
        )

    def encode_sentence(self, source: Tensor, past: DocumentState) -> EncodedSentence:
        """Encode the next sentence `s <sep>` (B, N) of each document, padded at the end."""
        if len(source) != past.documents:
            raise ShapeError(
                f"There are {len(source)} sentences, but a state of {past.documents} documents."
            )
        encoded, encoder = self.encoder.read_sentence(source, past.encoder)
        mask, separators = source != self.config.pad, source == self.config.sep
        memory, cross = self.decoder.remember_sentence(encoded, separators, mask, past.cross)
        return EncodedSentence(memory, encoder, cross, past.causal)

    def start_sentence(
        self, sentence: EncodedSentence, prefix: Tensor | None = None, beams: int = 1
    ) -> State:
        """The state before the first `step` of a sentence, after a forced prefix (B, P) of it.

        Without a prefix, the first `step` reads `<bos>` or `<sep>`.
        """
        tokens = 0 if prefix is None else prefix.shape[1]
        capacity = tokens + CACHE_HEADROOM_TOKENS
        state = self.decoder.go_on(sentence.memory, sentence.causal, capacity)
        if prefix is not None and tokens:
            state = self.decoder.extend(prefix, prefix != self.config.pad, state)
        if beams == 1:
            return state
        rows = torch.arange(sentence.memory.windows, device=state.positions.device)
        return state.reorder(rows.repeat_interleave(beams))

    def finish_sentence(self, sentence: EncodedSentence, target: Tensor) -> DocumentState:
        """The state after a sentence with the translation `<bos> t` or `<sep> t` (B, T), padded.

        It depends on the tokens alone, not on the search that found them, so a resumed job and an
        edited translation have the right one too.
        """
        return self._read(sentence, target)[1]

    def read_sentence(
        self, source: Tensor, target_in: Tensor, past: DocumentState
    ) -> tuple[Tensor, DocumentState]:
        """`forward` for the next sentence of each document: logits (B, T, V) and the new state."""
        hidden, state = self._read(self.encode_sentence(source, past), target_in)
        return self.logits(hidden), state

    def _read(self, sentence: EncodedSentence, target: Tensor) -> tuple[Tensor, DocumentState]:
        start = self.decoder.go_on(sentence.memory, sentence.causal, target.shape[1])
        hidden, state = self.decoder.read(target, target != self.config.pad, start)
        return hidden, DocumentState(sentence.encoder, sentence.cross, left_behind(state))
