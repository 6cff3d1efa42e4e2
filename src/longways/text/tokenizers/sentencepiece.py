"""SentencePiece tokenizer: subwords of raw text with byte fallback, so that no text is lost.

Its usual normalisation (nmt_nfkc) is switched off. It would turn the full-width comma of Chinese
into an ASCII one, drop soft hyphens and join double spaces, and a document must come back whole.
With `identity` and whitespace kept, one thing is lost: SentencePiece writes a space as U+2581, so
that character comes back as a space.
"""

from __future__ import annotations

import io
import os
import random
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

from longways.errors import TextError
from longways.text.config import TextConfig
from longways.text.optional_import import import_optional
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD, SEP, SPELLINGS, UNK

MAX_SENTENCE_BYTES = 1 << 20
"""Longer sentences are not learned from; SentencePiece's own limit is 4192."""

THREADS_MIN_SENTENCES = 1000
"""Shorter lists are encoded by one thread. SentencePiece starts new threads for every list, which
takes a millisecond on a busy machine."""

_BREAK = "\x01"
"""Stands at a place that no token may cross."""


@dataclass(frozen=True)
class SentencePieceTokenizer(Tokenizer):
    """SentencePiece tokenizer of one language; the model is kept as the bytes of its file."""

    model: bytes = field(repr=False)

    @cached_property
    def _processor(self) -> Any:
        return open_processor(self.model)

    @property
    def size(self) -> int:
        """Vocabulary size, special tokens and bytes included."""
        return int(self._processor.vocab_size())

    @cached_property
    def characters(self) -> frozenset[str]:
        """The characters that are not spelled in bytes; a space is one of them."""
        pieces = map(self._processor.id_to_piece, range(self.size))
        return frozenset({" ", *(piece for piece in pieces if len(piece) == 1)} - {"\u2581"})

    def encode(self, sentences: list[str]) -> list[list[int]]:
        """The ids of each sentence, never UNK. Long lists are encoded by several threads."""
        return encode_all(self._processor, sentences)

    def encode_split(self, sentence: str, breaks: Iterable[int]) -> list[int]:
        """The ids of a sentence in which no token crosses a break.

        A control character at each break is spelled in one byte, which is removed again: tokens do
        not cross it, and none is taken for the beginning of a sentence.
        """
        if _BREAK in sentence:
            return self.encode([sentence])[0]
        places = sorted({0, *(place for place in breaks if place < len(sentence)), len(sentence)})
        parts = (sentence[a:b] for a, b in pairwise(places))
        return [i for i in self.encode([_BREAK.join(parts)])[0] if i != self._break_id]

    @cached_property
    def _break_id(self) -> int:
        return int(self._processor.piece_to_id(f"<0x{ord(_BREAK):02X}>"))

    def decode(self, ids: list[list[int]]) -> list[str]:
        """The text of each row of ids; invalid UTF-8 becomes U+FFFD."""
        decode = self._processor.decode
        if len(ids) < THREADS_MIN_SENTENCES:
            return [decode(self.ordinary(row)) for row in ids]
        text: list[str] = decode([self.ordinary(row) for row in ids], num_threads=os.cpu_count())
        return text

    def ends(self, text: str, ids: list[int]) -> list[int]:
        """The place in an encoded text where each of its tokens ends.

        Most tokens are as long as their subword. A space before the first one is not in the text.
        """
        lengths = [self._lengths[i] for i in self.ordinary(ids)]
        if len(lengths) < len(ids) or 0 in lengths:
            return super().ends(text, ids)
        ends = list(accumulate(lengths))
        more = ends[-1] - len(self.decode([ids])[0]) if ends else 0
        if more not in (0, 1):
            return super().ends(text, ids)
        return [min(end - more, len(text)) for end in ends]

    @cached_property
    def _lengths(self) -> list[int]:
        """The characters of each subword; 0 for bytes and special tokens, which begin with `<`."""
        pieces = map(self._processor.id_to_piece, range(self.size))
        return [
            0 if piece[:1] == "<" and self._is_special(i) else len(piece)
            for i, piece in enumerate(pieces)
        ]

    def _is_special(self, i: int) -> bool:
        one = self._processor
        return bool(one.is_byte(i) or one.is_control(i) or one.is_unknown(i))

    def normalise(self, sentence: str) -> str:
        """The sentence with U+2581 as a space; nothing else is lost."""
        return sentence.replace("\u2581", " ")

    def check_special(self) -> None:
        """Raise `TextError` if the special tokens of the model are not as Longways expects."""
        count = min(len(SPELLINGS), self.size)
        found = tuple(self._processor.id_to_piece(i) for i in range(count))
        if found != SPELLINGS:
            raise TextError(
                f"This SentencePiece model starts with {', '.join(found)}, but it must start with "
                f"{', '.join(SPELLINGS)}. It was not made by Longways; learn a new one."
            )


def open_processor(model: bytes) -> Any:
    """The processor of a SentencePiece model, from the bytes of its file."""
    package = import_optional("sentencepiece")
    package.set_min_log_level(2)
    try:
        return package.SentencePieceProcessor(model_proto=model)
    except RuntimeError as error:
        raise TextError(f"This is not a SentencePiece model ({error}).") from error


def encode_all(processor: Any, sentences: list[str]) -> list[list[int]]:
    """The SentencePiece ids of each sentence. Long lists are encoded by several threads."""
    try:
        if len(sentences) < THREADS_MIN_SENTENCES:
            return [processor.encode(sentence) for sentence in sentences]
        ids: list[list[int]] = processor.encode(sentences, num_threads=os.cpu_count())
    except (RuntimeError, TypeError) as error:
        _check_characters(sentences)
        raise TextError(f"SentencePiece cannot encode this text ({error}).") from error
    return ids


def _check_characters(sentences: list[str]) -> None:
    for number, sentence in enumerate(sentences, 1):
        half = re.search("[\ud800-\udfff]", sentence)
        if half:
            raise TextError(
                f"Sentence {number} holds half a character (U+{ord(half[0]):04X} at position "
                f"{half.start()}). The text was cut or decoded wrongly; read it again as UTF-8."
            )


def learn_sentencepiece(
    config: TextConfig,
    vocabulary: int,
    sentences: Callable[[], Iterator[str]],
    say: Callable[[str], None],
) -> SentencePieceTokenizer:
    """Learn a BPE model with byte fallback; the same sentences always give the same bytes."""
    total = sum(1 for _ in sentences())
    used = min(total, config.sample)
    say(f"Learning a SentencePiece model of {vocabulary} entries from {used} sentences.")
    trainer, model = import_optional("sentencepiece").SentencePieceTrainer, io.BytesIO()
    chosen = _sample(sentences(), total, used)
    try:
        trainer.train(sentence_iterator=chosen, model_writer=model, **_settings(config, vocabulary))
    except RuntimeError as error:
        raise _learning_error(vocabulary, str(error)) from error
    tokenizer = SentencePieceTokenizer(model.getvalue())
    tokenizer.check_special()
    if tokenizer.size < vocabulary:
        say(
            f"The text allows only {tokenizer.size} entries, fewer than the requested {vocabulary}."
        )
    return tokenizer


def _sample(sentences: Iterator[str], total: int, wanted: int) -> Iterator[str]:
    """`wanted` of `total` sentences, each as likely as any other, and always the same ones.

    SentencePiece can sample too, but it chooses others at every call.
    """
    choose = random.Random(1)
    for left, sentence in zip(range(total, 0, -1), sentences, strict=False):
        if choose.random() * left < wanted:
            wanted -= 1
            yield sentence


def _settings(config: TextConfig, vocabulary: int) -> dict[str, Any]:
    names = ("pad", "bos", "eos", "unk")
    ids = (PAD, BOS, EOS, UNK)
    return {
        "model_type": "bpe",
        "vocab_size": vocabulary,
        "hard_vocab_limit": False,  # a small text gives a small model
        "byte_fallback": True,
        "character_coverage": config.character_coverage,
        "max_sentence_length": MAX_SENTENCE_BYTES,
        "normalization_rule_name": "identity",
        "remove_extra_whitespaces": False,
        "control_symbols": [SPELLINGS[SEP]],
        **{f"{name}_id": i for name, i in zip(names, ids, strict=True)},
        **{f"{name}_piece": SPELLINGS[i] for name, i in zip(names, ids, strict=True)},
        "num_threads": 2,
        "minloglevel": 2,
    }


def _learning_error(vocabulary: int, message: str) -> TextError:
    smallest = re.search(r"smaller than required_chars\. \d+ vs (\d+)", message)
    if smallest:
        return TextError(
            f"corpus.text.vocabulary is {vocabulary}, but for the characters of this text "
            f"it must be at least {smallest[1]}. Raise it, or lower "
            "corpus.text.character_coverage."
        )
    if "sentences_.empty()" in message:
        return TextError("There is no text to learn from: all sentences are empty.")
    return TextError(f"SentencePiece could not learn from this text ({message}).")
