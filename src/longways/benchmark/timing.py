"""Times that can be compared: measured in turns, so that a noisy machine is noisy for all."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Timing:
    """Seconds of one call: the middle one, and the middle half of all."""

    median: float
    low: float
    high: float


def compare(
    calls: dict[str, Callable[[], object]], device: str, rounds: int = 9
) -> dict[str, Timing]:
    """Time every call once a round, in turns, after two rounds that do not count."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(rounds + 2):
        for name, call in calls.items():
            taken = _time(call, device)
            if turn >= 2:
                seconds[name].append(taken)
    return {name: _summary(taken) for name, taken in seconds.items()}


def _time(call: Callable[[], object], device: str) -> float:
    synchronize(device)
    began = time.perf_counter()
    call()
    synchronize(device)
    return time.perf_counter() - began


def synchronize(device: str) -> None:
    """Wait until the device has done what it was told."""
    if device == "cuda":
        torch.cuda.synchronize()


def _summary(seconds: list[float]) -> Timing:
    low, median, high = statistics.quantiles(seconds, n=4)
    return Timing(median, low, high)
