"""The largest batch that pays for an engine: 2^k or 1.5 2^k windows, until memory or speed ends it.

A GPU of today holds more windows than it can use: the batch is doubled as long as that is faster,
then the one between is tried, and the fastest of all counts.
"""

from __future__ import annotations

from longways.benchmark.speed_engines import Engine
from longways.benchmark.speed_trial import Patience, Trial
from longways.benchmark.speed_windows import Shape, larger, paper_batch

GROWTH = 1.03
"""Twice the batch must be so much faster to count as faster."""

CAP = 65_536
"""Windows at which the search ends in any case."""

CPU_START = 8
"""Where the search begins on a CPU; on a GPU it is the paper's batch."""


def largest_batch(
    engine: Engine,
    L: int,
    device: str,
    patience: Patience,
    start: int | None = None,
    cap: int = CAP,
) -> Trial:
    """The trial of the batch that is fastest among those that fit; its note says why it ended."""
    first = start or (CPU_START if device == "cpu" else paper_batch(L))
    best = _first_that_fits(engine, L, first, device, patience)
    while best.speed and 2 * best.shape.batch <= cap:
        trial = _try(engine, L, 2 * best.shape.batch, device, patience)
        if trial.speed <= GROWTH * best.speed:
            between = _try(engine, L, larger(best.shape.batch), device, patience)
            best = max(best, between, key=lambda one: one.speed)
            best.note = f"{'no faster' if trial.speed else trial.note} at {trial.shape.batch}"
            return best
        best = trial
    best.note = best.note or f"searched up to {cap}"
    return best


def _first_that_fits(engine: Engine, L: int, batch: int, device: str, patience: Patience) -> Trial:
    trial = _try(engine, L, batch, device, patience)
    while not trial.speed and batch > 1:
        batch //= 2
        trial = _try(engine, L, batch, device, patience)
    return trial


def _try(engine: Engine, L: int, batch: int, device: str, patience: Patience) -> Trial:
    trial = Trial(engine, Shape(L, batch, "largest"), device, patience)
    trial.prepare()
    trial.take_turn()
    trial.close()
    return trial
