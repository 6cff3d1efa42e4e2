"""Translations and references of a split of prepared data, as sentences of plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.corpus.prepared_data import Split
from longways.corpus.window import Offsets
from longways.decoding.config import TranslateConfig, WindowMode
from longways.decoding.runtime import AnyRuntime
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.base import Tokenizer
from longways.translation.documents import (
    Sentences,
    Translation,
    gather,
    translate_documents,
)
from longways.translation.whole_windows import regenerate_windows, translate_windows

Documents = list[list[list[int]]]
"""Documents of sentences of token ids."""


_WAYS: dict[
    WindowMode,
    Callable[[AnyRuntime, Iterable[Sentences], TranslateConfig], Iterator[Translation]],
] = {
    "sliding": translate_documents,
    "whole": translate_windows,
    "regenerated": regenerate_windows,
}


def translate_split(
    runtime: AnyRuntime,
    split: Split,
    text: TextPipeline,
    config: TranslateConfig,
    documents: int | None = None,
    windows: WindowMode = "sliding",
    advance: Callable[[], None] = lambda: None,
) -> list[list[str]]:
    """Translate the documents of a split, or the first `documents` of them.

    The longest documents start first, so that the last batches are full. `advance` is called
    after each sentence.
    """
    sources = split_documents(split.source, split.source_offsets, split.documents, documents)
    order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
    translations = _WAYS[windows](runtime, [sources[i] for i in order], config)
    found = gather(_counted(translations, advance), [len(sources[i]) for i in order])
    back = np.argsort(order)
    return detokenise([found[i] for i in back], text.target)


def _counted(
    translations: Iterable[Translation], advance: Callable[[], None]
) -> Iterator[Translation]:
    for translation in translations:
        yield translation
        advance()


def split_references(
    split: Split, text: TextPipeline, documents: int | None = None
) -> list[list[str]]:
    """The target side as text, decoded from its tokens, with the losses of the tokenizer."""
    targets = split_documents(split.target, split.target_offsets, split.documents, documents)
    return detokenise(targets, text.target)


def split_documents(
    ids: NDArray[np.integer[Any]], offsets: Offsets, documents: Offsets, count: int | None = None
) -> Documents:
    """The sentences of one side without their separators, of the first `count` documents."""
    starts = documents[: count + 1 if count is not None else None].tolist()
    ends = offsets.tolist()
    return [
        [ids[ends[i] : ends[i + 1] - 1].tolist() for i in range(first, after)]
        for first, after in pairwise(starts)
    ]


def detokenise(documents: Documents, tokenizer: Tokenizer) -> list[list[str]]:
    """The sentences as plain text; all are decoded in one call."""
    sentences = iter(tokenizer.decode([ids for document in documents for ids in document]))
    return [[next(sentences) for _ in document] for document in documents]
