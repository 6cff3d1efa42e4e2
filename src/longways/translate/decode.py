"""Windows decoded together: which of them, and what comes out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from longways.runtime.protocol import AnyRuntime, pad_rows
from longways.search.beam import Limits, beam_search
from longways.search.hypothesis import Hypothesis
from longways.translate.config import TranslateConfig
from longways.translate.window import Window


def batches(windows: Sequence[Window], config: TranslateConfig) -> Iterator[list[int]]:
    """Indices of windows that are decoded together: those of about the same length.

    The room for new tokens comes first, since a batch is busy until its last window is done. The
    longest go first: whatever does not fit into memory fails at once.
    """
    order = sorted(range(len(windows)), key=lambda i: (-windows[i].most, -_width(windows[i])))
    batch, widest = list[int](), 0
    for index in order:
        widest = max(widest, _width(windows[index]))
        if len(batch) == config.windows or (batch and (len(batch) + 1) * widest > config.tokens):
            yield batch
            batch, widest = [], _width(windows[index])
        batch.append(index)
    if batch:
        yield batch


def _width(window: Window) -> int:
    return max(len(window.source), len(window.prefix))


def decode(
    runtime: AnyRuntime, windows: Sequence[Window], config: TranslateConfig
) -> list[list[Hypothesis]]:
    """The hypotheses of every window, searched together; all are of one kind, sliding or whole."""
    memory = runtime.encode(pad_rows([window.source for window in windows]))
    separators = [window.separators for window in windows]
    limits = Limits(
        np.array([window.least for window in windows]),
        np.array([window.most for window in windows]),
        None if None in separators else np.array(separators),
    )
    prefixes = [window.prefix for window in windows]
    return beam_search(runtime, memory, prefixes, limits, config.search)
