"""Settings of the speed benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from longways.benchmark.speed.models import trained_sizes
from longways.benchmark.speed.systems import DEFAULTS
from longways.benchmark.speed.windows import SENTENCE_TOKENS, TALK_SENTENCES
from longways.errors import ConfigError
from longways.model.config import IWSLT_VOCABULARIES

SIZES = {**IWSLT_VOCABULARIES, "positions": 4096}
"""The paper's model of 53M parameters, with positions for whole talks."""


@dataclass(frozen=True, kw_only=True)
class SpeedConfig:
    """The systems, windows and batches that are measured, and the limits of time."""

    device: str = "cpu"
    """cpu, cuda or both."""
    lengths: Sequence[int] = (1, 2, 3, 4, 5, 10, 15, 30, 60, 120)
    """The window lengths L, in sentences."""
    batches: Sequence[str] | None = None
    """Windows decoded together: numbers, paper or largest; None chooses by the device."""
    systems: Sequence[str] | None = None
    """Names of systems; None chooses by the device."""
    beams: int = 1
    """Hypotheses in beam search; 1 is greedy."""
    rounds: int = 3
    """Times each system is measured."""
    threads: int = 2
    """CPU threads to use."""
    talks: int = 0
    """Whole talks that are also decoded together, one window each; 0 decodes none."""
    once: float = 20.0
    """A decoding that takes more seconds than this is not repeated."""
    limit: float = 120.0
    """A decoding expected to take more seconds than this is skipped."""
    trained: Mapping[str, Path] = field(default_factory=dict)
    """Model folders by the names of systems, or `transformer`; others have random weights."""
    prepared: Path | None = None
    """Prepared data whose test split is decoded; None decodes random tokens."""
    sizes: dict[str, int] = field(default_factory=lambda: dict(SIZES))
    """Sizes of the models with random weights, if no model is trained."""

    def __post_init__(self) -> None:
        if self.device not in ("cpu", "cuda", "both"):
            raise ConfigError(f"The device is {self.device!r}, but it must be cpu, cuda or both.")
        for name in ("beams", "rounds", "threads"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but it must be at least 1.")
        if not self.lengths or min(self.lengths) < 1:
            raise ConfigError("There must be a window length L, and each must be at least 1.")

    @property
    def model_sizes(self) -> dict[str, int]:
        """The sizes, with positions for the longest window and `<bos>`."""
        longest = SENTENCE_TOKENS * max(*self.lengths, TALK_SENTENCES if self.talks else 1) + 1
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
        """The weights of the models in words."""
        return f"trained: {', '.join(self.trained)}; else random" if self.trained else "random"

    def named(self, device: str) -> Sequence[str]:
        """The systems to measure on a device."""
        return DEFAULTS[device] if self.systems is None else self.systems

    def batches_on(self, device: str) -> list[str]:
        """The batches to measure on a device."""
        by_device = {"cpu": ("1", "16", "64"), "cuda": ("paper",)}
        return list(by_device[device] if self.batches is None else self.batches)
