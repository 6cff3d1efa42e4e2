"""The figures of a corpus, as the paper's table gives them."""

from __future__ import annotations

from typing import Any

import numpy as np

from longways.corpus.prepared_data import PreparedData, Split
from longways.corpus.window import training_windows

BARS = " ▁▂▃▄▅▆▇█"
BIN = 20
"""Tokens a bar of the histogram stands for; the last bar stands for all that is longer."""


def statistics(data: PreparedData, lengths: tuple[int, ...] = (1, 2, 4)) -> list[dict[str, Any]]:
    """A row for each part: documents, sentences, tokens, windows for each L, unknown share."""
    rows = []
    for name, count in data.counts.items():
        split = data.split(name)
        row = {
            "part": name,
            "documents": count.documents,
            "sentences": count.sentences,
            "sentences a document": round(count.sentences / count.documents, 1),
            "source tokens a sentence": round(count.source_tokens / count.sentences, 1),
            "target tokens a sentence": round(count.target_tokens / count.sentences, 1),
            "source unknown": round(count.source_unknown / max(1, count.source_tokens), 6),
            "target unknown": round(count.target_unknown / max(1, count.target_tokens), 6),
        }
        for L in lengths:
            row[f"windows L={L}"] = len(training_windows(np.asarray(split.documents), L))
        rows.append(row)
    return rows


def histogram(split: Split, side: str, bars: int = 10) -> list[int]:
    """Sentences by length in tokens: 0-19, 20-39, ..., and the last bar for all that is longer."""
    offsets = split.source_offsets if side == "source" else split.target_offsets
    lengths = np.diff(offsets) - 1  # the separator is not counted
    counts: list[int] = np.bincount(np.minimum(lengths // BIN, bars - 1), minlength=bars).tolist()
    return counts


def draw(counts: list[int]) -> str:
    """A histogram in one line of text."""
    highest = max(counts) or 1
    return "".join(BARS[-(-count * (len(BARS) - 1) // highest)] for count in counts)
