"""One system at one shape: opened, timed whenever it is its turn, and what came of it.

A system that runs out of memory, or is too slow to wait for, or takes no such batch, says so in
its row.
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
from longways.benchmark.speed.systems import Room, System
from longways.benchmark.speed.windows import SENTENCE, Shape, windows_of
from longways.benchmark.timing import synchronize
from longways.decoding.windows import Window
from longways.errors import is_out_of_memory
from longways.results import Row

MEGABYTE = 2**20


@dataclass(frozen=True)
class Patience:
    """How long a system may take."""

    slow: float = 20.0
    """Seconds of a decoding after which it is not repeated."""
    limit: float = 120.0
    """Seconds that a decoding may be expected to take."""


@dataclass
class Trial:
    """Measures one system at one shape."""

    system: System
    shape: Shape
    device: str
    patience: Patience = Patience()
    pace: float = 0.0
    """Tokens a second to expect from shorter windows; 0 if unknown."""
    seconds: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    """Seconds until a first sentence could be shown."""
    peak: int = 0
    """Bytes, on a GPU."""
    note: str = ""
    decode: Decode | None = None
    windows: list[Window] = field(default_factory=list)
    held: int = 0
    """Bytes that the open system has, on a GPU."""

    @property
    def speed(self) -> float:
        """Tokens a second, 0 if nothing was measured."""
        return self.work / statistics.median(self.seconds) if self.seconds else 0.0

    @property
    def work(self) -> int:
        """Tokens written in a decoding."""
        return self.shape.batch * self.shape.tokens

    def prepare(self) -> None:
        """Open the system, and do what it does only once."""
        before = self._watch()
        self._guarded(self._open)
        self.held = max(0, self._allocated() - before)
        self.peak = self._peak() - before

    def take_turn(self) -> None:
        """Decode once more, unless there is a reason not to."""
        if self.decode is None or (self.seconds and self.seconds[-1] > self.patience.slow):
            return
        before = self._watch()
        self._guarded(self._run)
        self.peak = max(self.peak, self.held + self._peak() - before)

    def close(self) -> None:
        """Let the memory go."""
        self.decode, self.windows = None, []
        gc.collect()
        if self.device == "cuda":
            torch.cuda.empty_cache()

    def row(self) -> Row:
        """What was measured; None where nothing was."""
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
        if self.device == "cpu" and needed > free_memory():  # the system would end the process
            raise MemoryError
        vocabulary = self.system.model.config.source_vocabulary
        self.windows = windows_of(self.shape, vocabulary, text=self.system.text)
        room = Room(self.shape.batch, self.shape.tokens, self.shape.tokens)
        self.decode = self.system.open(room)
        few = self.windows if self.device == "cuda" else self.windows[:1]
        self.decode([window._replace(min_tokens=2, max_tokens=2) for window in few])
        expected = self._expected()
        if expected > self.patience.limit:
            self.decode, self.note = None, f"left out: a decoding would take {expected:.0f} s"
        elif self.system.captures and self.device == "cuda":
            self.decode(self.windows)

    def _expected(self) -> float:
        """Seconds that a decoding should take, or more.

        The first sentence is timed when it was decoded before: steps are slow at first.
        """
        source = self._time(
            [window._replace(min_tokens=1, max_tokens=1) for window in self.windows]
        )
        first = min(self._time_first() for _ in range(2))
        by_sentence = source + max(first - source, 0.0) * self.shape.L
        return max(by_sentence, self.work / self.pace if self.pace else 0.0)

    def _run(self) -> None:
        self.first.append(self._time_first())
        self.seconds.append(self._time(self.windows))
        if self.seconds[0] > self.patience.slow:
            self.note = "slow: measured once"

    def _time_first(self) -> float:
        tokens = min(SENTENCE, self.shape.tokens)
        return self._time(
            [window._replace(min_tokens=tokens, max_tokens=tokens) for window in self.windows]
        )

    def _time(self, windows: list[Window]) -> float:
        assert self.decode, "it is open"
        synchronize(self.device)
        began = time.perf_counter()
        self.decode(windows)
        synchronize(self.device)
        return time.perf_counter() - began

    def _guarded(self, call: Callable[[], None]) -> None:
        """A batch that is too large is a result, not an end."""
        try:
            call()
        except Exception as error:
            self.note = too_large(error)
            if not self.note:
                raise
            self.seconds, self.first = [], []
        else:
            return
        self.close()  # not above: while an error is handled, it holds what was allocated

    def _watch(self) -> int:
        if self.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        return self._allocated()

    def _allocated(self) -> int:
        return torch.cuda.memory_allocated() if self.device == "cuda" else 0

    def _peak(self) -> int:
        return torch.cuda.max_memory_allocated() if self.device == "cuda" else 0


NO_KERNEL = "cuda error: invalid argument", "cuda error: invalid configuration argument"


def too_large(error: Exception) -> str:
    """What an error says about a batch, of whatever system it is; empty if it is about another."""
    if is_out_of_memory(error):
        return "out of memory"
    said = str(error).lower()
    return "more rows than its kernels take" if any(w in said for w in NO_KERNEL) else ""


def free_memory() -> float:
    """Bytes that the system could still give, as far as it says so."""
    meminfo = Path("/proc/meminfo")
    lines = meminfo.read_text().splitlines() if meminfo.exists() else []
    found = [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable")]
    return found[0] if found else float("inf")


def _quartiles(numbers: list[float]) -> tuple[float, float]:
    if len(numbers) < 2:
        return (numbers[0], numbers[0]) if numbers else (0.0, 0.0)
    low, _, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return low, high
