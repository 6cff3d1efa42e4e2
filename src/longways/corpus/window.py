"""Windows of L consecutive sentences of one document, for translation and for training.

A corpus is a sequence of sentences; `documents` (documents + 1,) has the index of each document's
first sentence and, last, the number of sentences. A window is a range [start, end) of sentences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]


def translation_windows(documents: Offsets, L: int) -> Offsets:
    """(sentences, 2): the window that ends at each sentence, shorter at a document's start."""
    ends = np.arange(1, documents[-1] + 1)
    heads = np.repeat(documents[:-1], np.diff(documents))  # the start of each sentence's document
    return np.stack([np.maximum(heads, ends - L), ends], 1)


def training_windows(documents: Offsets, L: int) -> Offsets:
    """(windows, 2): stride one, with shorter windows at the start and the end of a document.

    In addition to the windows that end at each sentence, there are windows from each of the last
    L - 1 sentences to the document's end, so that every sentence occurs at every place of a
    window. A document of n sentences gives n + min(L, n) - 1 distinct windows.
    """
    starts = np.arange(documents[-1])
    tails = np.repeat(documents[1:], np.diff(documents))  # the end of each sentence's document
    short = tails - starts < L
    first = np.isin(starts, documents[:-1])  # these windows are translation windows already
    tail_windows = np.stack([starts, tails], 1)[short & ~first]
    windows = np.concatenate([translation_windows(documents, L), tail_windows])
    order = np.lexsort((windows[:, 0], windows[:, 1]))
    return np.asarray(windows[order])
