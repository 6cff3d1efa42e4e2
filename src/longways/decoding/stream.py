"""The protocol of a runtime for stream models, and the sentences that it searches.

B documents, N source tokens, T target tokens.

A stream model reads a document sentence by sentence. The state that a sentence leaves to the next
one belongs to the runtime; it has a fixed size and depends only on the tokens of the document so
far and on their translations.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from longways.decoding.config import LengthConfig
from longways.decoding.runtime import Scores, Tokens
from longways.decoding.windows import Window, check_sentence
from longways.text.tokenizers.special_tokens import BOS, SEP


class Translated(NamedTuple):
    """A sentence with its translation, and the state of its document before it."""

    source: list[int]
    """s <sep>."""
    target: list[int]
    """<bos> t for the first sentence of a document, <sep> t for the others."""
    state: Any


@runtime_checkable
class StreamRuntime(Protocol):
    """A runtime whose model carries a state from sentence to sentence."""

    def open_document(self) -> Any:
        """The state before the first sentence of a document."""

    def encode_sentences(self, sentences: Tokens, states: Sequence[Any]) -> Any:
        """Encode the next sentence (B, N) of each document; search starts from the result."""

    def finish_sentences(self, sentences: Sequence[Translated]) -> list[Any]:
        """The state of each document after a sentence and its translation."""

    def score_sentences(self, sentences: Sequence[Translated]) -> Scores:
        """The log-probability (B, T) of each target token after the first, in its document.

        Padding has the value 0.
        """


def stream_sentence(
    sentence: Sequence[int], length: LengthConfig, positions: int, state: Any, first: bool
) -> Window:
    """The search of the next sentence of a document; `first` if nothing of it was read before."""
    check_sentence(sentence, positions)
    max_tokens = min(length.max_tokens(len(sentence)), positions - 1)
    min_tokens = min(length.min_tokens, max_tokens)
    prefix = [BOS if first else SEP]
    return Window([*sentence, SEP], prefix, min_tokens, max_tokens, state=state)
