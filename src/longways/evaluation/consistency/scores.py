"""Log-probabilities of candidates: each distinct candidate is scored once, in length batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from longways.corpus.batching.batch import by_length
from longways.decoding.runtime import AnyRuntime, pad_rows
from longways.decoding.stream import StreamRuntime
from longways.evaluation.consistency.windows import Candidate, Ids

if TYPE_CHECKING:
    from longways.decoding.torch import TorchRuntime


def score_candidates(
    runtime: AnyRuntime, candidates: Iterable[Candidate], tokens: int
) -> Iterator[dict[Candidate, float]]:
    """The summed log-probability of each target window, batch by batch.

    A batch has at most `tokens` tokens, padding included. Candidates with the same token ids are
    scored once, so their scores are equal to the last bit.
    """
    distinct = sorted(set(candidates))
    if not _is_torch(runtime):
        return _score_separately(runtime, distinct, tokens)
    from longways.evaluation.consistency.torch_scores import score_together

    return score_together(runtime, distinct, tokens)


def _is_torch(runtime: AnyRuntime) -> TypeGuard[TorchRuntime]:
    """Whether this is the torch runtime of a window model; the check does not import torch."""
    return runtime.framework == "torch" and not isinstance(runtime, StreamRuntime)


def _score_separately(
    runtime: AnyRuntime, candidates: Sequence[Candidate], tokens: int
) -> Iterator[dict[Candidate, float]]:
    """Every window scored from its first token, with any runtime.

    Windows that share a source are in one batch, so that the runtime can encode the source once.
    """
    widths: dict[Ids, int] = {}
    for c in candidates:
        widths[c.source] = max(widths.get(c.source, 0), len(c.source), len(c.target))
    for chosen in by_length([widths[c.source] for c in candidates], tokens):
        batch = [candidates[index] for index in chosen]
        source, target = pad_rows([c.source for c in batch]), pad_rows([c.target for c in batch])
        sums = runtime.score(source, target).astype(np.float64).sum(1)
        yield dict(zip(batch, sums.tolist(), strict=True))
