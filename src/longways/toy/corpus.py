"""Toy documents as arrays of token ids, as a prepared corpus has them, but of whole words."""

from __future__ import annotations

import numpy as np

from longways.corpus.prepared_data import Split
from longways.corpus.readers.toy import SOURCE_WORDS, TARGET_WORDS, ToyDocument
from longways.corpus.window import Offsets
from longways.text.tokenizers.special_tokens import SEP


class ToyCorpus:
    """Documents with their sentences as ids, and which of them open with a pronoun."""

    def __init__(self, documents: list[ToyDocument]) -> None:
        self.source = [SOURCE_WORDS.ids(s) for document in documents for s in document.source]
        self.target = [TARGET_WORDS.ids(s) for document in documents for s in document.target]
        sizes = [len(document.source) for document in documents]
        self.documents: Offsets = np.concatenate([[0], np.cumsum(sizes)])
        self.pronouns = [
            int(offset) + i
            for offset, document in zip(self.documents[:-1], documents, strict=True)
            for i in document.pronouns
        ]

    def split(self) -> Split:
        """The arrays that windows and batches are cut from."""
        (source, source_offsets), (target, target_offsets) = (
            _array(sentences) for sentences in (self.source, self.target)
        )
        return Split(source, target, source_offsets, target_offsets, self.documents)


def _array(sentences: list[list[int]]) -> tuple[Offsets, Offsets]:
    """All ids with a separator after each sentence, and where each starts."""
    ids = np.array([token for sentence in sentences for token in (*sentence, SEP)])
    offsets = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)])
    return ids, offsets
