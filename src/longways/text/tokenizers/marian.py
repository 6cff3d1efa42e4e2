"""Marian tokenizer: the subwords of an OPUS-MT model, whose ids are places in a list.

Each language has a SentencePiece model, which splits text into subwords. The id of a subword is its
place in a list that both languages share, or in a list of its own. These models normalise text
(NFKC, single spaces) and do not spell unknown characters in bytes, so that a decoded sentence may
differ from the encoded one. A model with several target languages reads a tag such as >>fra<< at
the start of every source sentence; no SentencePiece model knows it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

from longways.errors import TextError
from longways.text.config import TextConfig
from longways.text.normalisation import is_same_use
from longways.text.tokenizers.base import Tokenizer
from longways.text.tokenizers.sentencepiece import encode_all, open_processor
from longways.text.tokenizers.special_tokens import SPELLINGS, UNK
from longways.text.tokenizers.vocabulary import Vocabulary

SPACE = "\u2581"
"""The character that SentencePiece writes for a space."""

TAG = re.compile(">>[^<>]+<<")
"""A token that names a target language."""

_COMPATIBLE = range(0xA0, 0x10000)
"""Code points whose normal form may be spelled in other characters."""


@dataclass(frozen=True)
class MarianTokenizer(Tokenizer):
    """The tokenizer of one language of a Marian model."""

    model: bytes = field(repr=False)
    """The content of its .spm file."""
    vocabulary: Vocabulary = field(repr=False)
    tag: str = ""
    """The token at the start of every sentence."""

    def __reduce__(self) -> tuple[type[MarianTokenizer], tuple[object, ...]]:
        """Pickle only the parameters for worker processes, not the caches."""
        return MarianTokenizer, (self.model, self.vocabulary, self.tag)

    @cached_property
    def _processor(self) -> Any:
        return open_processor(self.model)

    @cached_property
    def _ids(self) -> list[int]:
        """The id of every subword of the SentencePiece model."""
        processor = self._processor
        return self.vocabulary.ids(map(processor.id_to_piece, range(processor.vocab_size())))

    @cached_property
    def _first(self) -> list[int]:
        return self.vocabulary.ids([self.tag]) if self.tag else []

    @property
    def size(self) -> int:
        """Vocabulary size, special tokens included."""
        return len(self.vocabulary)

    @cached_property
    def characters(self) -> frozenset[str]:
        """The characters that the subwords spell, also those that are normalised to such."""
        subwords = (entry for entry in map(self._processor.id_to_piece, range(len(self._ids))))
        known = {
            subword for subword in subwords if len(subword) == 1 and subword in self.vocabulary
        }
        known = (known | {" "}) - {SPACE}
        return frozenset(known | {c for c in map(chr, _COMPATIBLE) if self._is_read_as(c, known)})

    def _is_read_as(self, character: str, known: set[str]) -> bool:
        """Whether a character is normalised to known ones, and loses nothing by it."""
        if not unicodedata.decomposition(character) or not is_same_use(character):
            return False
        normal = self._processor.normalize(character).replace(SPACE, "")
        return bool(normal) and known.issuperset(normal)

    def encode(self, sentences: list[str]) -> list[list[int]]:
        """The ids of each sentence after its tag; a sentence without any subword has no tag."""
        rows = encode_all(self._processor, sentences)
        return [self._row(*pair) for pair in zip(sentences, rows, strict=True)]

    def _row(self, sentence: str, subwords: list[int]) -> list[int]:
        ids = [self._ids[subword] for subword in subwords]
        if UNK in ids:  # the other language may have a subword for these characters
            ids = self.vocabulary.ids(self._subwords(sentence))
        return [*self._first, *ids] if ids else []

    def _subwords(self, sentence: str) -> list[str]:
        subwords: list[str] = self._processor.encode(sentence, out_type=str)
        return subwords

    def ends(self, text: str, ids: list[int]) -> list[int]:
        """The place in a text where each of its tokens ends; tags have no characters."""
        _, places = self._processor.normalize(text, with_offsets=True)
        ends = [places[end] for end in accumulate(map(len, self._subwords(text)))]
        return [0] * (len(ids) - len(ends)) + ends

    def decode(self, ids: list[list[int]]) -> list[str]:
        """The text of each row of ids; special ids and tags are dropped."""
        return [self._text(self.ordinary(row)) for row in ids]

    def _text(self, ids: list[int]) -> str:
        subwords = [self.vocabulary.entries[i] for i in ids]
        text: str = self._processor.decode_pieces([p for p in subwords if not TAG.fullmatch(p)])
        return text.replace(SPACE, " ").strip()

    def normalise(self, sentence: str) -> str:
        """The sentence in NFKC, with single spaces and none at its ends."""
        normal: str = self._processor.normalize(sentence)
        return normal.replace(SPACE, " ").strip()


def marian_files(source: MarianTokenizer, target: MarianTokenizer) -> dict[str, bytes]:
    """The files of both tokenizers."""
    files = {"source.spm": source.model, "target.spm": target.model}
    if source.vocabulary == target.vocabulary:
        return {**files, "joint.subwords.json": _to_bytes(source.vocabulary)}
    lists = {"source": source.vocabulary, "target": target.vocabulary}
    return {**files, **{f"{name}.subwords.json": _to_bytes(one) for name, one in lists.items()}}


def load_marian(
    files: Mapping[str, bytes], config: TextConfig
) -> tuple[MarianTokenizer, MarianTokenizer]:
    """The tokenizers of both languages from their files."""
    names = ("joint", "joint") if config.joint else ("source", "target")
    lists = {name: _from_bytes(files, f"{name}.subwords.json") for name in dict.fromkeys(names)}
    source = MarianTokenizer(files["source.spm"], lists[names[0]], config.target_tag)
    if config.target_tag and config.target_tag not in source.vocabulary:
        raise TextError(
            f"text.target_tag is {config.target_tag!r}, but the model has no such token. It has: "
            f"{', '.join(known_tags(source.vocabulary)) or 'none'}."
        )
    return source, MarianTokenizer(files["target.spm"], lists[names[1]])


def known_tags(vocabulary: Vocabulary) -> list[str]:
    """The tags of the target languages of a model, such as >>fra<<."""
    return sorted(entry for entry in vocabulary.entries if TAG.fullmatch(entry))


def _to_bytes(vocabulary: Vocabulary) -> bytes:
    return json.dumps(vocabulary.entries, ensure_ascii=False, indent=0).encode()


def _from_bytes(files: Mapping[str, bytes], name: str) -> Vocabulary:
    try:
        entries = json.loads(files[name])
    except ValueError as error:
        raise TextError(f"{name} is not JSON ({error}). Restore it from a copy.") from error
    are_subwords = isinstance(entries, list) and all(isinstance(one, str) for one in entries)
    if not are_subwords or tuple(entries[: len(SPELLINGS)]) != SPELLINGS:
        raise TextError(
            f"{name} must be a list of subwords that starts with {', '.join(SPELLINGS)}. Write the "
            "folder again with `longways import`."
        )
    return Vocabulary(tuple(entries))
