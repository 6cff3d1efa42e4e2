"""What the speed benchmark measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longways.benchmark.speed.models import trained_sizes
from longways.benchmark.speed.systems import DEFAULTS
from longways.benchmark.speed.windows import SENTENCE, TALK
from longways.errors import ConfigError
from longways.model.config import IWSLT_VOCABULARIES

SIZES = {**IWSLT_VOCABULARIES, "positions": 4096}
"""The paper's model of 53M parameters, with positions for whole talks."""


@dataclass(frozen=True, kw_only=True)
class SpeedConfig:
    """What is measured."""

    device: str = "cpu"
    """cpu, cuda, or both."""
    lengths: Sequence[int] = (1, 2, 3, 4, 5, 10, 15, 30, 60, 120)
    """L, sentences in a window."""
    batches: Sequence[str] | None = None
    """Windows decoded together: numbers, paper, largest. By default what suits the device."""
    systems: Sequence[str] | None = None
    """Names of systems; by default those that suit the device."""
    beams: int = 1
    """Hypotheses of the beam search; 1 is greedy."""
    rounds: int = 3
    """Times each system is measured."""
    threads: int = 2
    """Threads of the CPU to use."""
    talks: int = 0
    """Whole talks that are decoded together, besides."""
    once: float = 20.0
    """Seconds of a decoding after which it is not repeated."""
    limit: float = 120.0
    """Seconds that one decoding may be expected to take; others are left out."""
    trained: Mapping[str, Path] = field(default_factory=dict)
    """Model folders by the names of systems, or `transformer`; the others' weights are random."""
    prepared: Path | None = None
    """Data whose test part is decoded, for trained models; random tokens without it."""
    sizes: dict[str, int] = field(default_factory=lambda: dict(SIZES))
    """Of the models with random weights, if none is trained."""

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "cuda", "both"):
            raise ConfigError(f"The device is {self.device!r}, but it must be cpu, cuda or both.")
        for name in ("beams", "rounds", "threads"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but it must be at least 1.")
        if not self.lengths or min(self.lengths) < 1:
            raise ConfigError("L must be at least 1, and there must be one.")

    @property
    def model_sizes(self) -> dict[str, int]:
        """The sizes, with positions for the longest window and what is read before it."""
        longest = SENTENCE * max(*self.lengths, TALK if self.talks else 1) + 1
        if not self.trained:
            return {**self.sizes, "positions": max(longest, self.sizes["positions"])}
        sizes = trained_sizes(self.trained)
        if longest > sizes["positions"]:
            raise ConfigError(
                f"The longest window has {longest} tokens, but the trained models have "
                f"{sizes['positions']} positions: leave out the longest L."
            )
        return sizes

    @property
    def weights(self) -> str:
        """What is said of them."""
        return f"trained: {', '.join(self.trained)}; else random" if self.trained else "random"

    def named(self, device: str) -> Sequence[str]:
        """The systems to measure on a device."""
        return DEFAULTS[device] if self.systems is None else self.systems

    def batches_on(self, device: str) -> list[str]:
        """The batches to measure on a device."""
        by_device = {"cpu": ("1", "16", "64"), "cuda": ("paper",)}
        return list(by_device[device] if self.batches is None else self.batches)
