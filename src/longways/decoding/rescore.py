"""Scores that the model gives to hypotheses which search did not score to their end itself.

Translations with forced terms, and hypotheses at the length limit with `<eos>` forced.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longways.decoding.beam_search import SearchConfig
from longways.decoding.hypothesis import Hypothesis, order, rank
from longways.decoding.runtime import AnyRuntime, Scores, pad_rows
from longways.decoding.stream import StreamRuntime, Translated
from longways.decoding.windows import Window
from longways.text.tokenizers.special_tokens import EOS, SEP


def rescore(
    runtime: AnyRuntime, found: Sequence[tuple[Window, Hypothesis]], alpha: float
) -> list[Hypothesis]:
    """The hypotheses with the model's scores; `alpha` is the exponent of the length penalty."""
    if not found:
        return []
    targets = [[*window.prefix, *one.tokens, one.stop or EOS] for window, one in found]
    rows, scored = _scores(runtime, [window for window, _ in found], targets), list[Hypothesis]()
    for row, target, (_, one) in zip(rows, targets, found, strict=True):
        length, end = len(one.tokens) + 1, len(target) - 1
        score = float(np.sum(row[end - length : end]))
        scored.append(one._replace(score=score, rank=rank(score, length, alpha)))
    return scored


def _scores(runtime: AnyRuntime, windows: Sequence[Window], targets: list[list[int]]) -> Scores:
    """The log-probability of each token after the first, in its window or document."""
    if not isinstance(runtime, StreamRuntime):
        sources = pad_rows([window.source for window in windows])
        return runtime.score(sources, pad_rows([target[1:] for target in targets]))
    opened = runtime.open_document()
    sentences = [
        Translated(window.source, target, opened if window.state is None else window.state)
        for window, target in zip(windows, targets, strict=True)
    ]
    return runtime.score_sentences(sentences)


def end_at_limit(
    runtime: AnyRuntime,
    windows: Sequence[Window],
    found: list[list[Hypothesis]],
    search: SearchConfig,
) -> list[list[Hypothesis]]:
    """The best hypotheses of every window; with `at_limit="end"` cut ones are scored with `<eos>`.

    Search offers only its likeliest tokens, and `<eos>` may not be among them, so the model scores
    these hypotheses once more. They are few: length limits are generous. A hypothesis that ended by
    itself at the limit keeps its score. One that lacks a sentence of its window stays cut.
    """
    if search.at_limit == "cut":
        return found
    ended = [[one for one in some if one.stop is not None] for some in found]
    known = [{tuple(one.tokens) for one in some} for some in ended]
    cut = [
        (number, one)
        for number, some in enumerate(found)
        for one in some
        if one.stop is None and tuple(one.tokens) not in known[number]
    ]
    whole = [(number, one) for number, one in cut if _may_end(windows[number], one)]
    forced = rescore(runtime, [(windows[n], one) for n, one in whole], search.alpha)
    for (number, _), one in zip(whole, forced, strict=True):
        ended[number].append(one._replace(stop=EOS))
    for number, one in cut:
        if not _may_end(windows[number], one):
            ended[number].append(one)
    return [sorted(some, key=order)[: search.nbest] for some in ended]


def _may_end(window: Window, one: Hypothesis) -> bool:
    """Whether a hypothesis has all sentences of a window that is translated whole."""
    return window.separators is None or one.tokens.count(SEP) == window.separators
