"""Statistics of prepared data, as in the paper's table, and histograms of sentence lengths."""

from __future__ import annotations

from typing import Any

import numpy as np

from longways.corpus.prepared_data import PreparedData, Split
from longways.corpus.window import training_windows

BARS = " ▁▂▃▄▅▆▇█"
BIN_TOKENS = 20
"""The width of a histogram bin in tokens; the last bin has all longer sentences."""


def statistics(data: PreparedData, lengths: tuple[int, ...] = (1, 2, 4)) -> list[dict[str, Any]]:
    """A row for each split: documents, sentences, tokens, windows for each L, unknown share."""
    rows = []
    for name, count in data.counts.items():
        split = data.split(name)
        row = {
            "split": name,
            "documents": count.documents,
            "sentences": count.sentences,
            "sentences per document": round(count.sentences / count.documents, 1),
            "source tokens per sentence": round(count.source_tokens / count.sentences, 1),
            "target tokens per sentence": round(count.target_tokens / count.sentences, 1),
            "source unknown": round(count.source_unknown / max(1, count.source_tokens), 6),
            "target unknown": round(count.target_unknown / max(1, count.target_tokens), 6),
        }
        for L in lengths:
            row[f"windows L={L}"] = len(training_windows(np.asarray(split.documents), L))
        rows.append(row)
    return rows


def histogram(split: Split, side: str, bins: int = 10) -> list[int]:
    """The number of sentences by length in tokens: 0-19, 20-39, ...; the last bin is open."""
    offsets = split.source_offsets if side == "source" else split.target_offsets
    lengths = np.diff(offsets) - 1  # without the separator
    places = np.minimum(lengths // BIN_TOKENS, bins - 1)
    counts: list[int] = np.bincount(places, minlength=bins).tolist()
    return counts


def draw(counts: list[int]) -> str:
    """A histogram as one line of text."""
    highest = max(counts) or 1
    return "".join(BARS[-(-count * (len(BARS) - 1) // highest)] for count in counts)
