"""What a window is: L consecutive sentences of one document, and which of them we use.

A corpus is a row of sentences; `documents` (documents + 1,) holds the offset of each document's
first sentence and, last, the number of sentences. A window is a pair [start, end) of sentences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]


def translation_windows(documents: Offsets, L: int) -> Offsets:
    """(sentences, 2): the window that ends at each sentence, shorter at a document's head."""
    ends = np.arange(1, documents[-1] + 1)
    heads = np.repeat(documents[:-1], np.diff(documents))  # the first sentence of its document
    return np.stack([np.maximum(heads, ends - L), ends], 1)


def training_windows(documents: Offsets, L: int) -> Offsets:
    """(windows, 2): stride one, with the short windows at the head and the tail of a document.

    After the windows that end at each sentence come those that start at one of the last L - 1 and
    run to the end, so that every sentence is seen in every slot of a window. A document of n
    sentences gives n + min(L, n) - 1 windows, none twice.
    """
    starts = np.arange(documents[-1])
    tails = np.repeat(documents[1:], np.diff(documents))  # one past the last of its document
    short = tails - starts < L
    first = np.isin(starts, documents[:-1])  # a whole document is a head window already
    tail_windows = np.stack([starts, tails], 1)[short & ~first]
    windows = np.concatenate([translation_windows(documents, L), tail_windows])
    order = np.lexsort((windows[:, 0], windows[:, 1]))
    return np.asarray(windows[order])
