"""What can be chosen about translating documents."""

from __future__ import annotations

from dataclasses import dataclass, field

from longways.decoding.beam_search import SearchConfig
from longways.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class LengthConfig:
    """How long a translation may be, from the source tokens of the sentence alone."""

    ratio: float = 1.2
    """Target tokens at most for each source token. The paper: 1.2 (zh-en), 1 (en-ru)."""
    extra: int = 70
    """Target tokens at most beyond those. The paper: 70 (zh-en), 50 (en-ru)."""
    least: int = 1
    """Target tokens at least: a sentence that says something is not translated by nothing."""

    def __post_init__(self) -> None:
        if self.ratio < 0 or self.extra < 0 or self.least < 0:
            raise ConfigError("ratio, extra and least of a length must not be negative.")
        if self.extra < self.least:
            raise ConfigError(
                f"A length has extra {self.extra}, but it must be at least {self.least}, as least "
                "is: else no translation of a short sentence could be long enough."
            )

    def most(self, source_tokens: int) -> int:
        """The most target tokens of a sentence."""
        return int(self.ratio * source_tokens + self.extra)


@dataclass(frozen=True, kw_only=True)
class TranslateConfig:
    """How documents are translated."""

    L: int = 4
    """Sentences in a window."""
    search: SearchConfig = field(default_factory=SearchConfig)
    """How each window is searched."""
    length: LengthConfig = field(default_factory=LengthConfig)
    """How long a translation may be."""
    windows: int = 64
    """Windows that are decoded together at most."""
    tokens: int = 16_384
    """Tokens of one side of such a batch at most, padding included."""
    documents: int = 256
    """Documents that advance side by side at most."""

    def __post_init__(self) -> None:
        for name in ("L", "windows", "tokens", "documents"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but it must be at least 1.")
