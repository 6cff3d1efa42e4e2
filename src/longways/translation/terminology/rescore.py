"""Scores that a model gives to translations which search did not find itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longways.decoding.hypothesis import Hypothesis, rank
from longways.decoding.runtime import AnyRuntime, pad_rows
from longways.decoding.windows import Window
from longways.text.tokenizers.special_tokens import EOS


def rescore(
    runtime: AnyRuntime, found: Sequence[tuple[Window, Hypothesis]], alpha: float
) -> list[Hypothesis]:
    """The hypotheses with the model's scores; `alpha` is the exponent of the length penalty."""
    if not found:
        return []
    sources = pad_rows([window.source for window, _ in found])
    targets = [[*window.prefix[1:], *one.tokens, one.stop or EOS] for window, one in found]
    scored = list[Hypothesis]()
    rows = runtime.score(sources, pad_rows(targets))
    for row, target, (_, one) in zip(rows, targets, found, strict=True):
        length = len(one.tokens) + 1
        score = float(np.sum(row[len(target) - length : len(target)]))
        scored.append(one._replace(score=score, rank=rank(score, length, alpha)))
    return scored
