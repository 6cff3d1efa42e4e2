"""Measure one system at one shape.

The row of a system has a note if it runs out of memory, is too slow, or cannot decode such a
batch.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch

from longways.benchmark.speed.sharing import Decode
from longways.benchmark.speed.systems import Capacity, System
from longways.benchmark.speed.windows import SENTENCE_TOKENS, Shape, windows_of
from longways.benchmark.timing import synchronize
from longways.decoding.windows import Window
from longways.errors import is_out_of_memory
from longways.results import Row

MEGABYTE = 2**20


@dataclass(frozen=True)
class TimeLimits:
    """Limits for the seconds of one decoding."""

    repeat: float = 20.0
    """A decoding that takes more seconds is not repeated."""
    skip: float = 120.0
    """A decoding that is expected to take more seconds is skipped."""


@dataclass
class Trial:
    """Measures one system at one shape."""

    system: System
    shape: Shape
    device: str
    limits: TimeLimits = TimeLimits()
    known_speed: float = 0.0
    """Tokens per second at shorter windows; 0 if unknown."""
    seconds: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    """Seconds until the first sentence is decoded."""
    peak: int = 0
    """Peak GPU memory in bytes."""
    note: str = ""
    decode: Decode | None = None
    windows: list[Window] = field(default_factory=list)
    held: int = 0
    """GPU memory of the open system in bytes."""

    @property
    def speed(self) -> float:
        """Tokens per second; 0 if nothing was measured."""
        return self.work / statistics.median(self.seconds) if self.seconds else 0.0

    @property
    def work(self) -> int:
        """Tokens of one decoding."""
        return self.shape.batch * self.shape.tokens

    def prepare(self) -> None:
        """Open the system, and do its one-time work."""
        before = self._reset_peak()
        self._guarded(self._open)
        self.held = max(0, self._allocated() - before)
        self.peak = self._peak() - before

    def run(self) -> None:
        """Time one more decoding, unless the last one took too long."""
        if self.decode is None or (self.seconds and self.seconds[-1] > self.limits.repeat):
            return
        before = self._reset_peak()
        self._guarded(self._measure)
        self.peak = max(self.peak, self.held + self._peak() - before)

    def close(self) -> None:
        """Free the memory."""
        self.decode, self.windows = None, []
        gc.collect()
        if self.device == "cuda":
            torch.cuda.empty_cache()

    def row(self) -> Row:
        """The row of the report; None for values that were not measured."""
        low, high = _quartiles([self.work / one for one in self.seconds])
        first = 1e3 * statistics.median(self.first) if self.first else 0.0
        return {
            "device": self.device,
            "batches": self.shape.kind,
            "L": self.shape.L,
            "batch": self.shape.batch,
            "system": self.system.name,
            "weights": self.system.weights,
            "tokens/s": round(self.speed) or None,
            "low": round(low) or None,
            "high": round(high) or None,
            "rounds": len(self.seconds),
            "first sentence ms": round(first, 1) or None,
            "state bytes": self.system.state_bytes(self.shape.tokens),
            "source bytes": self.system.memory_bytes(self.shape.tokens),
            "peak MB": round(self.peak / MEGABYTE) if self.device == "cuda" else None,
            "note": self.note,
        }

    def _open(self) -> None:
        needed = self.system.needs(self.shape.batch, self.shape.tokens)
        if self.device == "cpu" and needed > free_memory():  # the kernel would kill the process
            raise MemoryError
        vocabulary = self.system.model.config.source_vocabulary
        self.windows = windows_of(self.shape, vocabulary, text=self.system.text)
        capacity = Capacity(self.shape.batch, self.shape.tokens, self.shape.tokens)
        self.decode = self.system.open(capacity)
        few = self.windows if self.device == "cuda" else self.windows[:1]
        self.decode([window._replace(min_tokens=2, max_tokens=2) for window in few])
        expected = self._expected()
        if expected > self.limits.skip:
            self.decode, self.note = None, f"left out: a decoding would take {expected:.0f} s"
        elif self.system.captures and self.device == "cuda":
            self.decode(self.windows)

    def _expected(self) -> float:
        """An upper estimate of the seconds of one decoding.

        The first sentence is timed twice, because the first run is slower.
        """
        source = self._time(
            [window._replace(min_tokens=1, max_tokens=1) for window in self.windows]
        )
        first = min(self._time_first() for _ in range(2))
        by_sentence = source + max(first - source, 0.0) * self.shape.L
        return max(by_sentence, self.work / self.known_speed if self.known_speed else 0.0)

    def _measure(self) -> None:
        self.first.append(self._time_first())
        self.seconds.append(self._time(self.windows))
        if self.seconds[0] > self.limits.repeat:
            self.note = "slow: measured once"

    def _time_first(self) -> float:
        tokens = min(SENTENCE_TOKENS, self.shape.tokens)
        return self._time(
            [window._replace(min_tokens=tokens, max_tokens=tokens) for window in self.windows]
        )

    def _time(self, windows: list[Window]) -> float:
        assert self.decode, "the system is open"
        synchronize(self.device)
        began = time.perf_counter()
        self.decode(windows)
        synchronize(self.device)
        return time.perf_counter() - began

    def _guarded(self, call: Callable[[], None]) -> None:
        """Turn the error of a batch that is too large into a note."""
        try:
            call()
        except Exception as error:
            self.note = too_large(error)
            if not self.note:
                raise
            self.seconds, self.first = [], []
        else:
            return
        self.close()  # after the handler, because a handled error keeps memory alive

    def _reset_peak(self) -> int:
        if self.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        return self._allocated()

    def _allocated(self) -> int:
        return torch.cuda.memory_allocated() if self.device == "cuda" else 0

    def _peak(self) -> int:
        return torch.cuda.max_memory_allocated() if self.device == "cuda" else 0


NO_KERNEL = "cuda error: invalid argument", "cuda error: invalid configuration argument"
"""Messages of kernels that cannot be launched for the number of rows."""


def too_large(error: Exception) -> str:
    """The note for an error of a batch that is too large; empty for other errors."""
    if is_out_of_memory(error):
        return "out of memory"
    message = str(error).lower()
    return "more rows than its kernels take" if any(words in message for words in NO_KERNEL) else ""


def free_memory() -> float:
    """Free memory in bytes; infinite if the system does not report it."""
    meminfo = Path("/proc/meminfo")
    lines = meminfo.read_text().splitlines() if meminfo.exists() else []
    found = [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    return found[0] if found else float("inf")


def _quartiles(numbers: list[float]) -> tuple[float, float]:
    if len(numbers) < 2:
        return (numbers[0], numbers[0]) if numbers else (0.0, 0.0)
    low, _, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return low, high
