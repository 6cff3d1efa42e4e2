"""The torch runtime of stream models.

B documents, K beams, N source tokens, P prefix tokens, T target tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import torch

from longways.decoding.runtime import Scores, Tokens, pad_rows, row_lengths
from longways.decoding.shortlist.shortlist import Shortlist
from longways.decoding.stream import Translated
from longways.decoding.stream_states import StateTable, StoredState, join
from longways.decoding.torch import TorchMemory, TorchRuntime, TorchState
from longways.model.stream.model import EncodedSentence, StreamModel
from longways.model.translation import TranslationModel


@dataclass(frozen=True)
class SentenceTorchMemory(TorchMemory):
    """The model's memory of one sentence of each document."""

    sentence: EncodedSentence


class StreamTorchRuntime(TorchRuntime):
    """A stream model as a runtime."""

    model: StreamModel

    @cached_property
    def table(self) -> StateTable:
        """The states of all documents of this runtime."""
        with self._inference():
            return StateTable(self.model.open_documents(1))

    def open_document(self) -> StoredState:
        """The state before the first sentence of a document."""
        return self.table.opened

    def encode(self, windows: Tokens) -> SentenceTorchMemory:
        """Encode sentences (B, N), each of which is the first of a document."""
        return self.encode_sentences(windows, [self.open_document()] * len(windows))

    def encode_sentences(
        self, sentences: Tokens, states: Sequence[StoredState]
    ) -> SentenceTorchMemory:
        """Encode the next sentence (B, N) of each document."""
        with self._inference():
            sentence = self.model.encode_sentence(self._tensor(sentences), join(states))
        return SentenceTorchMemory(sentence.memory, row_lengths(sentences), sentence)

    def start(self, memory: TorchMemory, prefix: Tokens, beams: int) -> TorchState:
        """The state after a forced prefix (B, P) of the sentence."""
        assert isinstance(memory, SentenceTorchMemory)
        with self._inference():
            state = self.model.start_sentence(memory.sentence, self._tensor(prefix), beams)
        return TorchState(state, memory, row_lengths(prefix), beams)

    def finish_sentences(self, sentences: Sequence[Translated]) -> list[StoredState]:
        """The state of each document after a sentence and its translation.

        On a CPU each document is read alone, so that its state has the same bits beside any others
        and in a resumed job. A GPU reads all documents together.
        """
        if self.device.type == "cuda":
            return self._finish(sentences)
        return [state for one in sentences for state in self._finish([one])]

    def _finish(self, sentences: Sequence[Translated]) -> list[StoredState]:
        sources, targets, states = zip(*sentences, strict=True)
        with self._inference():
            encoded = self.model.encode_sentence(self._tensor(pad_rows(sources)), join(states))
            target = self._tensor(pad_rows(targets))
            return self.table.store(self.model.finish_sentence(encoded, target))

    def score_sentences(self, sentences: Sequence[Translated]) -> Scores:
        """The log-probability (B, T) of each target token after the first, in its document."""
        sources, targets, states = zip(*sentences, strict=True)
        target = self._tensor(pad_rows(targets))
        with self._inference():
            source = self._tensor(pad_rows(sources))
            logits, _ = self.model.read_sentence(source, target[:, :-1], join(states))
            return self._chosen(logits, target[:, 1:])


def torch_runtime(
    model: TranslationModel,
    half: torch.dtype | None = None,
    shortlist: Shortlist | None = None,
) -> TorchRuntime:
    """The runtime of a window model or of a stream model."""
    runtime = StreamTorchRuntime if isinstance(model, StreamModel) else TorchRuntime
    return runtime(model, half, shortlist=shortlist)
