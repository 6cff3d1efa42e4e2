"""Settings of decoding: length limits, search, batch sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from longways.config import build
from longways.decoding.beam_search import SearchConfig
from longways.errors import ConfigError

WindowMode = Literal["sliding", "whole", "regenerated"]
"""How the windows of a document are translated.

`sliding`: every sentence in the window that ends at it, after a forced prefix of the translations
before it. `whole`: windows that do not overlap, all their sentences at once. `regenerated`: the
windows of `sliding`, each generated whole, its last sentence kept (the paper, Figure 1).
"""

LENGTH_FACT = "length"
"""The key of the length limits among the facts in a model's `config.json`."""


@dataclass(frozen=True, kw_only=True)
class LengthConfig:
    """Length limits of a translation, computed from the number of source tokens of its sentence."""

    ratio: float = 1.2
    """Target tokens allowed for each source token. The paper: 1.2 (zh-en), 1 (en-ru)."""
    extra: int = 70
    """Target tokens allowed in addition. The paper: 70 (zh-en), 50 (en-ru)."""
    min_tokens: int = 1
    """The smallest number of target tokens. With 1 no translation is empty."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value < 0:
                raise ConfigError(f"{name} is {value}, but length limits must not be negative.")
        if self.extra < self.min_tokens:
            raise ConfigError(
                f"extra is {self.extra}, but it must be at least {self.min_tokens}, which is "
                "min_tokens. Otherwise a short sentence could have no translation."
            )

    def max_tokens(self, source_tokens: int) -> int:
        """The largest number of target tokens for a sentence of `source_tokens`."""
        return int(self.ratio * source_tokens + self.extra)

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], source: str) -> LengthConfig:
        """The limits stored among a model's facts, or the defaults where the model states none.

        `source` names the file of the facts in errors. Unknown settings are refused.
        """
        values, where = facts.get(LENGTH_FACT, {}), f"{source}, facts.{LENGTH_FACT}"
        if not isinstance(values, Mapping):
            raise ConfigError(f"{where} is {values!r}, but it must be a table.")
        return build(cls, values, where)

    def to_facts(self) -> dict[str, Any]:
        """The entry that `from_facts` reads, to be added to a model's facts."""
        return {LENGTH_FACT: asdict(self)}


@dataclass(frozen=True, kw_only=True)
class TranslateConfig:
    """How documents are translated."""

    L: int = 4
    """Sentences in a window of a window model."""
    context: int | None = None
    """Sentences before each one that a stream model reads; None: all of the document."""
    search: SearchConfig = field(default_factory=SearchConfig)
    """Beam search of each window."""
    length: LengthConfig = field(default_factory=LengthConfig)
    """Length limits of a translation."""
    windows: int = 64
    """The largest number of windows in a batch."""
    tokens: int = 16_384
    """The largest number of tokens of a batch, in source or prefix, padding included."""
    documents: int = 256
    """The largest number of documents in flight."""

    def __post_init__(self) -> None:
        for name in ("L", "windows", "tokens", "documents"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but it must be at least 1.")
        if self.context is not None and self.context < 0:
            raise ConfigError(f"context is {self.context}, but it must be at least 0, or all.")
