"""The log-probability of candidates, each asked about once, those of like length side by side."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeGuard

import numpy as np

from longways.corpus.batch import by_length
from longways.evaluation.consistency_windows import Candidate, Ids
from longways.runtime.protocol import AnyRuntime, pad_rows

if TYPE_CHECKING:
    from longways.runtime.torch import TorchRuntime


def score_candidates(
    runtime: AnyRuntime, candidates: Iterable[Candidate], tokens: int
) -> Iterator[dict[Candidate, float]]:
    """The summed log-probability of each target window, batch by batch.

    A batch has at most so many tokens, padding included. Candidates that the vocabulary cannot tell
    apart are one, so that they tie to the last bit.
    """
    distinct = sorted(set(candidates))
    if not _is_torch(runtime):
        return _score_apart(runtime, distinct, tokens)
    from longways.evaluation.consistency_torch import score_together

    return score_together(runtime, distinct, tokens)


def _is_torch(runtime: AnyRuntime) -> TypeGuard[TorchRuntime]:
    """Whoever has made a torch runtime has loaded torch; nobody else needs it for this."""
    module = sys.modules.get("longways.runtime.torch")
    return module is not None and isinstance(runtime, module.TorchRuntime)


def _score_apart(
    runtime: AnyRuntime, candidates: Sequence[Candidate], tokens: int
) -> Iterator[dict[Candidate, float]]:
    """Every window from its beginning, by what any engine can do.

    Windows of one source stay together: it may read that once for all of them.
    """
    widths: dict[Ids, int] = {}
    for c in candidates:
        widths[c.source] = max(widths.get(c.source, 0), len(c.source), len(c.target))
    for chosen in by_length([widths[c.source] for c in candidates], tokens):
        batch = [candidates[index] for index in chosen]
        source, target = pad_rows([c.source for c in batch]), pad_rows([c.target for c in batch])
        sums = runtime.score(source, target).astype(np.float64).sum(1)
        yield dict(zip(batch, sums.tolist(), strict=True))
