"""Find the fastest batch of a system, of 2^k or 1.5 2^k windows.

The batch is doubled as long as that is faster and fits into memory; then the batch between the last
two is tried. The fastest of all batches counts.
"""

from __future__ import annotations

from collections.abc import Callable

from longways.benchmark.speed.systems import System
from longways.benchmark.speed.trial import TimeLimits, Trial
from longways.benchmark.speed.windows import Shape, larger, paper_batch

MIN_SPEEDUP = 1.03
"""The speed-up that a doubled batch must reach to count as faster."""

MAX_BATCH_WINDOWS = 65_536
"""The largest batch that is tried."""

CPU_FIRST_BATCH = 8
"""The first batch on a CPU; on a GPU it is the paper's batch."""


def largest_batch(
    system: System,
    L: int,
    device: str,
    limits: TimeLimits,
    log: Callable[[str], None] = lambda _: None,
    start: int | None = None,
    cap: int = MAX_BATCH_WINDOWS,
) -> Trial:
    """The trial of the fastest batch; its note says why the search ended.

    Every batch that is tried is logged.
    """

    def attempt(batch: int) -> Trial:
        trial = _try(system, L, batch, device, limits)
        outcome = f"{trial.speed:,.0f} tokens/s" if trial.speed else trial.note
        log(f"largest, L {L}, system {system.name}: batch {batch}, {outcome}")
        return trial

    best = _first_that_fits(
        attempt, start or (CPU_FIRST_BATCH if device == "cpu" else paper_batch(L))
    )
    while best.speed and 2 * best.shape.batch <= cap:
        trial = attempt(2 * best.shape.batch)
        if trial.speed <= MIN_SPEEDUP * best.speed:
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


def _try(system: System, L: int, batch: int, device: str, limits: TimeLimits) -> Trial:
    trial = Trial(system, Shape(L, batch, "largest"), device, limits)
    trial.prepare()
    trial.run()
    trial.close()
    return trial
