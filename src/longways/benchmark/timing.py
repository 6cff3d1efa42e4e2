"""Compare the times of several calls, measured in turns so that noise affects all alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch

WARMUP_ROUNDS = 2


@dataclass(frozen=True)
class Timing:
    """Seconds of one call: the median and the quartiles."""

    median: float
    low: float
    high: float


def compare(
    calls: dict[str, Callable[[], object]], device: str, rounds: int = 9
) -> dict[str, Timing]:
    """Time every call once per round, after two warm-up rounds."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(rounds + WARMUP_ROUNDS):
        for name, call in calls.items():
            taken = _time(call, device)
            if number >= WARMUP_ROUNDS:
                seconds[name].append(taken)
    return {name: _summary(taken) for name, taken in seconds.items()}


def _time(call: Callable[[], object], device: str) -> float:
    synchronize(device)
    began = time.perf_counter()
    call()
    synchronize(device)
    return time.perf_counter() - began


def synchronize(device: str) -> None:
    """Wait until the device has finished all queued work."""
    if device == "cuda":
        torch.cuda.synchronize()


def _summary(seconds: list[float]) -> Timing:
    low, median, high = statistics.quantiles(seconds, n=4)
    return Timing(median, low, high)
