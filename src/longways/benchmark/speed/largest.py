"""The largest batch that pays for a system: 2^k or 1.5 2^k windows, until memory or speed ends it.

A GPU of today holds more windows than it can use: the batch is doubled as long as that is faster,
then the one between is tried, and the fastest of all counts.
"""

from __future__ import annotations

from collections.abc import Callable

from longways.benchmark.speed.systems import System
from longways.benchmark.speed.trial import Patience, Trial
from longways.benchmark.speed.windows import Shape, larger, paper_batch

GROWTH = 1.03
"""Twice the batch must be so much faster to count as faster."""

CAP = 65_536
"""Windows at which the search ends in any case."""

CPU_START = 8
"""Where the search begins on a CPU; on a GPU it is the paper's batch."""


def largest_batch(
    system: System,
    L: int,
    device: str,
    patience: Patience,
    tell: Callable[[str], None] = lambda _: None,
    start: int | None = None,
    cap: int = CAP,
) -> Trial:
    """The trial of the batch that is fastest among those that fit; its note says why it ended.

    Every batch that is tried is told.
    """

    def attempt(batch: int) -> Trial:
        trial = _try(system, L, batch, device, patience)
        outcome = f"{trial.speed:,.0f} tokens/s" if trial.speed else trial.note
        tell(f"largest, L {L}, system {system.name}: batch {batch}, {outcome}")
        return trial

    best = _first_that_fits(attempt, start or (CPU_START if device == "cpu" else paper_batch(L)))
    while best.speed and 2 * best.shape.batch <= cap:
        trial = attempt(2 * best.shape.batch)
        if trial.speed <= GROWTH * best.speed:
            between = attempt(larger(best.shape.batch))
            best = max(best, between, key=lambda one: one.speed)
            best.note = f"{'no faster' if trial.speed else trial.note} at {trial.shape.batch}"
            return best
        best = trial
    best.note = best.note or f"searched up to {cap}"
    return best


def _first_that_fits(attempt: Callable[[int], Trial], batch: int) -> Trial:
    trial = attempt(batch)
    while not trial.speed and batch > 1:
        batch //= 2
        trial = attempt(batch)
    return trial


def _try(system: System, L: int, batch: int, device: str, patience: Patience) -> Trial:
    trial = Trial(system, Shape(L, batch, "largest"), device, patience)
    trial.prepare()
    trial.take_turn()
    trial.close()
    return trial
