"""What a run is judged by on its development part."""

from __future__ import annotations

from typing import Literal

MetricName = Literal["loss", "bleu", "consistency"]

RISES: dict[MetricName, bool] = {"loss": False, "bleu": True, "consistency": True}
"""Whether more is better."""


def is_better(metric: MetricName, score: float, best: float | None) -> bool:
    """Whether a score beats the best so far."""
    return best is None or (score > best if RISES[metric] else score < best)
