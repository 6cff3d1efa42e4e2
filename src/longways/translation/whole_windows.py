"""Whole-window decoding: L sentences are searched at once and split at their separators.

Windows that do not overlap give all their sentences. Windows that do, one for every sentence, give
their last one: so the paper translates (its Figure 1), L times the work of windows that slide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from longways.decoding.config import TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.runtime import AnyRuntime
from longways.decoding.searcher import search_all
from longways.decoding.windows import check_sentence, whole_window
from longways.errors import WindowError
from longways.text.tokenizers.special_tokens import SEP
from longways.translation.documents import (
    NOTHING,
    Sentences,
    Translation,
    translate_documents,
)


class _Block(NamedTuple):
    """Neighbouring sentences of a document, none of them empty."""

    document: int
    places: list[int]
    sentences: list[list[int]]
    kept: slice = slice(None)
    """The sentences whose translations are kept."""


def translate_windows(
    runtime: AnyRuntime, documents: Iterable[Sentences], config: TranslateConfig
) -> Iterator[Translation]:
    """Every sentence as it is ready, in any order; windows of L sentences do not overlap.

    A sentence has the score of its whole window. A window that reached the length limit before all
    of its sentences ended is translated sentence by sentence instead.
    """
    return _translate(runtime, documents, config, _blocks)


def regenerate_windows(
    runtime: AnyRuntime, documents: Iterable[Sentences], config: TranslateConfig
) -> Iterator[Translation]:
    """Every sentence as it is ready, the last of a window that is generated whole.

    Nothing of a translation is context of the next one. A sentence has the score of its window.
    """
    return _translate(runtime, documents, config, _overlapping_blocks)


def _translate(
    runtime: AnyRuntime,
    documents: Iterable[Sentences],
    config: TranslateConfig,
    divide: Callable[[int, Sentences, int, int], Iterator[_Block]],
) -> Iterator[Translation]:
    waiting = enumerate(documents)
    while some := list(islice(waiting, config.documents)):
        blocks = []
        for number, sentences in some:
            yield from _empty(number, sentences)
            blocks += list(divide(number, sentences, config.L, runtime.positions))
        yield from _translate_blocks(runtime, blocks, config)


def _translate_blocks(
    runtime: AnyRuntime, blocks: list[_Block], config: TranslateConfig
) -> Iterator[Translation]:
    windows = [whole_window(b.sentences, config.length, runtime.positions) for b in blocks]
    again = []
    for index, found in search_all(runtime, windows, config):
        ended = [hypothesis for hypothesis in found if hypothesis.stop is not None]
        if ended:
            yield from _separate(blocks[index], ended)
        else:
            again.append(blocks[index])
    documents = [block.sentences for block in again]
    for translation in translate_documents(runtime, documents, config):
        block = again[translation.document]
        place = block.places[translation.sentence]
        if place in block.places[block.kept]:
            yield Translation(block.document, place, translation.hypotheses)


def _separate(block: _Block, found: list[Hypothesis]) -> Iterator[Translation]:
    """The kept sentences of a window, each with its part of every hypothesis."""
    parts = [split_sentences(hypothesis.tokens) for hypothesis in found]
    for index, place in list(enumerate(block.places))[block.kept]:
        own = [h._replace(tokens=part[index]) for h, part in zip(found, parts, strict=True)]
        yield Translation(block.document, place, own)


def split_sentences(tokens: list[int]) -> list[list[int]]:
    """The sentences between separators."""
    sentences: list[list[int]] = [[]]
    for token in tokens:
        if token == SEP:
            sentences.append([])
        else:
            sentences[-1].append(token)
    return sentences


def _empty(number: int, sentences: Sentences) -> Iterator[Translation]:
    for place, sentence in enumerate(sentences):
        if not len(sentence):
            yield Translation(number, place, NOTHING)


def _blocks(number: int, sentences: Sentences, L: int, positions: int) -> Iterator[_Block]:
    """At most L sentences each, and no more than fit into the positions of the model."""
    block, tokens = _Block(number, [], []), 0
    for place, sentence in enumerate(sentences):
        if not len(sentence):
            continue
        _check(number, place, list(sentence), positions)
        if len(block.places) == L or tokens + len(sentence) + 1 > positions:
            yield block
            block, tokens = _Block(number, [], []), 0
        block.places.append(place)
        block.sentences.append(list(sentence))
        tokens += len(sentence) + 1
    if block.places:
        yield block


def _overlapping_blocks(
    number: int, sentences: Sentences, L: int, positions: int
) -> Iterator[_Block]:
    """For each sentence a block that ends at it, with the sentences before it that fit."""
    block = _Block(number, [], [], slice(-1, None))
    for place, sentence in enumerate(sentences):
        if not len(sentence):
            continue
        _check(number, place, list(sentence), positions)
        block = block._replace(
            places=[*block.places, place][-L:], sentences=[*block.sentences, list(sentence)][-L:]
        )
        while sum(len(one) + 1 for one in block.sentences) > positions:
            block = block._replace(places=block.places[1:], sentences=block.sentences[1:])
        yield block


def _check(number: int, place: int, sentence: list[int], positions: int) -> None:
    try:
        check_sentence(sentence, positions)
    except WindowError as error:
        raise WindowError(f"Document {number + 1}, sentence {place + 1}: {error}") from error
