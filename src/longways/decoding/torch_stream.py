"""The torch runtime of stream models.

B documents, K beams, N source tokens, P prefix tokens, T target tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from longways.decoding.config import TranslateConfig
from longways.decoding.runtime import Tokens, pad_rows, row_lengths
from longways.decoding.searcher import HostSearcher, Searcher
from longways.decoding.stream import Translated
from longways.decoding.torch import TorchMemory, TorchRuntime, TorchState
from longways.model.stream.model import EncodedSentence, StreamModel
from longways.model.stream.state import DocumentState
from longways.model.translation import TranslationModel


@dataclass(frozen=True)
class SentenceTorchMemory(TorchMemory):
    """The model's memory of one sentence of each document."""

    sentence: EncodedSentence


class StreamTorchRuntime(TorchRuntime):
    """A stream model as a runtime."""

    model: StreamModel

    def open_searcher(self, config: TranslateConfig) -> Searcher:
        """Search on the host."""
        return HostSearcher(self, config)

    @cached_property
    def _opened(self) -> DocumentState:
        with self._inference():
            return self.model.open_documents(1)

    def open_document(self) -> DocumentState:
        """The state before the first sentence of a document."""
        return self._opened

    def encode(self, windows: Tokens) -> SentenceTorchMemory:
        """Encode sentences (B, N), each of which is the first of a document."""
        return self.encode_sentences(windows, [self._opened] * len(windows))

    def encode_sentences(
        self, sentences: Tokens, states: Sequence[DocumentState]
    ) -> SentenceTorchMemory:
        """Encode the next sentence (B, N) of each document."""
        with self._inference():
            past = DocumentState.join(states)
            sentence = self.model.encode_sentence(self._tensor(sentences), past)
        return SentenceTorchMemory(sentence.memory, row_lengths(sentences), sentence)

    def start(self, memory: TorchMemory, prefix: Tokens, beams: int) -> TorchState:
        """The state after a forced prefix (B, P) of the sentence."""
        assert isinstance(memory, SentenceTorchMemory)
        with self._inference():
            state = self.model.start_sentence(memory.sentence, self._tensor(prefix), beams)
        return TorchState(state, memory, row_lengths(prefix), beams)

    def finish_sentences(self, sentences: Sequence[Translated]) -> list[DocumentState]:
        """The state of each document after a sentence and its translation.

        On a CPU each document is read alone, so that its state has the same bits beside any others
        and in a resumed job. A GPU reads all documents together.
        """
        if self.device.type == "cuda":
            return self._finish(sentences).split()
        return [self._finish([one]) for one in sentences]

    def _finish(self, sentences: Sequence[Translated]) -> DocumentState:
        sources, targets, states = zip(*sentences, strict=True)
        with self._inference():
            past = DocumentState.join(states)
            encoded = self.model.encode_sentence(self._tensor(pad_rows(sources)), past)
            return self.model.finish_sentence(encoded, self._tensor(pad_rows(targets)))


def torch_runtime(model: TranslationModel, half: torch.dtype | None = None) -> TorchRuntime:
    """The runtime of a window model or of a stream model."""
    return (StreamTorchRuntime if isinstance(model, StreamModel) else TorchRuntime)(model, half)
