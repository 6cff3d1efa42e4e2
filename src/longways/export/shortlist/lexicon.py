"""How often a target token translates a source token: IBM model 1 on the token ids of a corpus.

P places of target tokens, C cells of the table of co-occurring tokens, S source vocabulary.

A library for word alignment would need words and texts; this needs two arrays of ids. Sentences
are read in chunks, so that the memory is bounded by `MAX_LINKS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longways.corpus.prepared_data import Split
from longways.text.tokenizers.special_tokens import UNK

ITERATIONS = 4
"""Further iterations change less than one in a hundred of the best translations."""

MAX_LINKS = 100_000_000
"""Pairs of a source and a target token that are read; of a larger corpus every n-th sentence."""

LONGEST = 100
"""Sentences with more tokens on either side are passed over: a pair of them says little."""

CHUNK_LINKS = 4_000_000

NULL = 0
"""The source token of target tokens that translate nothing; no sentence holds padding."""

Ids = NDArray[np.int64]


class Lexicon(NamedTuple):
    """The cells of a table, sorted by source token and target token."""

    source: Ids  # (C,)
    target: Ids  # (C,)
    counts: NDArray[np.float64]  # (C,)
    """How often the target token translates the source token."""


class _Chunk(NamedTuple):
    """All pairs of tokens of some sentences; the pairs of one target place are adjacent."""

    keys: Ids
    """The cells: source * target vocabulary + target, ascending."""
    inverse: NDArray[np.int32]
    """The cell of each pair."""
    starts: Ids  # (P,)
    """The first pair of each target place."""


def learn_lexicon(split: Split, target_vocabulary: int) -> Lexicon:
    """Learn from the sentence pairs of prepared data."""
    chosen = _sentences(split)
    chunks = list(_chunks(split, chosen, target_vocabulary))
    keys = _merged([chunk.keys for chunk in chunks])
    source, target = keys // target_vocabulary, keys % target_vocabulary
    cells = [np.searchsorted(keys, chunk.keys).astype(np.int32) for chunk in chunks]
    p, counts = np.ones(len(keys)), np.zeros(len(keys))
    for _ in range(ITERATIONS):
        counts = np.zeros(len(keys))
        for own, chunk in zip(cells, chunks, strict=True):
            counts[own] += _expected(p[own], chunk)
        p = counts / np.bincount(source, counts).astype(np.float64)[source]
    return Lexicon(source, target, counts)


def _expected(p: NDArray[np.float64], chunk: _Chunk) -> NDArray[np.float64]:
    """The expected count of each cell of a chunk; their sum is 1 for each target place."""
    share = p[chunk.inverse]
    total = np.add.reduceat(share, chunk.starts)
    share /= np.repeat(total, np.diff(chunk.starts, append=len(share)))
    return np.bincount(chunk.inverse, share, len(chunk.keys)).astype(np.float64)


def _sentences(split: Split) -> Ids:
    """The sentences to read: those that are short enough, or every n-th of them."""
    sizes = [np.diff(one) - 1 for one in (split.source_offsets, split.target_offsets)]
    source, target = sizes
    fits = (np.minimum(source, target) > 0) & (np.maximum(source, target) <= LONGEST)
    chosen: Ids = np.flatnonzero(fits)
    links = int(((source[chosen] + 1) * target[chosen]).sum())
    return chosen[:: max(1, -(-links // MAX_LINKS))]


def _merged(keys: Sequence[Ids]) -> Ids:
    """All keys of some sorted arrays, merged two by two so that the memory is bounded."""
    while len(keys) > 1:
        keys = [np.unique(np.concatenate(keys[i : i + 2])) for i in range(0, len(keys), 2)]
    return keys[0] if keys else np.zeros(0, np.int64)


def _chunks(split: Split, chosen: Ids, target_vocabulary: int) -> Iterator[_Chunk]:
    """The pairs of tokens of these sentences, chunk by chunk."""
    keys, lengths, size = list[Ids](), list[Ids](), 0
    for sentence in chosen.tolist():
        source = _tokens(split.source, split.source_offsets, sentence)
        target = _tokens(split.target, split.target_offsets, sentence)
        source = np.concatenate([[NULL], source[source > UNK]])
        target = target[target > UNK]
        keys.append((source * target_vocabulary + target[:, None]).ravel())
        lengths.append(np.full(len(target), len(source)))
        size += len(keys[-1])
        if size >= CHUNK_LINKS:
            yield _chunk(keys, lengths)
            keys, lengths, size = [], [], 0
    if size:
        yield _chunk(keys, lengths)


def _tokens(ids: NDArray[Any], offsets: Ids, sentence: int) -> Ids:
    """The tokens of one sentence without its separator."""
    return ids[offsets[sentence] : offsets[sentence + 1] - 1].astype(np.int64)


def _chunk(keys: list[Ids], lengths: list[Ids]) -> _Chunk:
    distinct, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    sizes = np.concatenate(lengths)
    return _Chunk(distinct, inverse.astype(np.int32), np.cumsum(sizes) - sizes)
