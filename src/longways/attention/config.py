"""What can be chosen about the decoder's two attentions. Loads without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from longways.errors import ConfigError

Kind = Literal["softmax", "rfa"]
StartName = Literal["small", "softmax"]
GateName = Literal["none", "decay", "average"]
MapName = Literal["random", "positive", "learned", "spiky"]
TRAINED: tuple[MapName, ...] = ("learned", "spiky")
"""Maps with projections of their own, and one feature for each."""


@dataclass(frozen=True, kw_only=True)
class AttentionConfig:
    """What causal and cross attention have in common."""

    table: ClassVar[str]

    kind: Kind = "rfa"
    """`softmax`, which keeps every token it has seen, or `rfa`, which keeps a sum of fixed size."""
    feature_map: MapName = "random"
    """phi of RFA: `random` sines and cosines (the paper), `positive` (FAVOR+), `learned` (T2R), or
    `spiky` (a softmax of learned projections)."""
    projection: int = 32
    """K, the rows of W: the random maps make 2 K features a head, the learned ones K."""
    tau: float = 1.0
    """Where the learned temperature of each head starts; lower is sharper."""
    start: StartName = "small"
    """How the projections of RFA start: `small` (the paper) or as those of `softmax` do."""
    init_scale: float = 6.0
    """A small start has Xavier gain init_scale^-1/2."""

    @property
    def features(self) -> int:
        """D, what RFA makes of a head's query or key."""
        return self.projection if self.feature_map in TRAINED else 2 * self.projection

    def __post_init__(self) -> None:
        for name, least in (("projection", 1), ("tau", 1e-3), ("init_scale", 1e-3)):
            value = getattr(self, name)
            if value < least:
                raise ConfigError(
                    f"{self.table}.{name} is {value}, but it must be at least {least}. "
                    f"Set it in the [model.{self.table}] table; the default is "
                    f"{getattr(type(self), name)}."
                )


@dataclass(frozen=True, kw_only=True)
class CrossConfig(AttentionConfig):
    """How the decoder looks at the source."""

    table: ClassVar[str] = "cross"

    projection: int = 256
    """K, the rows of W: the random maps make 2 K features a head, the learned ones K."""
    key_heads: int = 0
    """G, heads of keys and values of softmax attention, each read by heads / G heads of queries;
    0: as many as there are heads."""
    means: int = 0
    """n, means of tokens that softmax attention pools a source into, so that its memory is of one
    size however long the source; 0: every token by itself."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, what in (("key_heads", "share no keys"), ("means", "need none")):
            value = getattr(self, name)
            if value < 0:
                raise ConfigError(f"cross.{name} is {value}, but it must be at least 0.")
            if value and self.kind == "rfa":
                raise ConfigError(
                    f"cross.{name} is {value}, but cross.kind is 'rfa', whose heads {what}. "
                    f"Set cross.{name} to 0, or cross.kind to 'softmax'."
                )


@dataclass(frozen=True, kw_only=True)
class CausalConfig(AttentionConfig):
    """How the decoder looks at the target so far."""

    table: ClassVar[str] = "causal"

    gate: GateName = "none"
    """What a separator does to the past: `none`, `decay` it, or `average` it with what follows."""
    gate_bias: float = 0.0
    """b_f, where the gate starts: sigmoid(b_f) of the past is kept. Paper: 1 or 2; average: 0."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "softmax" and self.gate != "none":
            raise ConfigError(
                f"causal.gate is {self.gate!r}, but causal.kind is 'softmax', which has no state "
                "to gate. Set causal.gate to 'none', or causal.kind to 'rfa'."
            )
