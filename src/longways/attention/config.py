"""Settings of attention: causal, cross, and the heads of stream models. Loads without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from longways.errors import ConfigError

Kind = Literal["softmax", "rfa"]
StartName = Literal["small", "softmax"]
GateName = Literal["none", "decay", "average"]
MapName = Literal["random", "positive", "learned", "spiky"]
TRAINED: tuple[MapName, ...] = ("learned", "spiky")
"""Feature maps with trained projections; they have one feature for each projection."""

LARGEST = 1 << 16
"""The largest count of projections, key heads or means."""


@dataclass(frozen=True, kw_only=True)
class AttentionConfig:
    """Settings that causal and cross attention share."""

    table: ClassVar[str]

    kind: Kind = "rfa"
    """`softmax`, which stores every token, or `rfa`, which stores a sum of fixed size."""
    feature_map: MapName = "random"
    """phi of RFA: `random` sines and cosines (the paper), `positive` (FAVOR+), `learned` (T2R), or
    `spiky` (a softmax of learned projections)."""
    projection: int = 32
    """K, the rows of W. Each head has 2 K features with a random map, K with a learned one."""
    tau: float = 1.0
    """The initial value of each head's learned temperature; lower is sharper."""
    start: StartName = "small"
    """Initialisation of RFA's q, k, v and o: `small` (the paper), or as in `softmax` attention."""
    init_scale: float = 6.0
    """The Xavier gain of a `small` initialisation is init_scale^-1/2."""

    @property
    def features(self) -> int:
        """D, the number of features of a head's query or key."""
        return self.projection if self.feature_map in TRAINED else 2 * self.projection

    def __post_init__(self) -> None:
        for name, minimum in (("projection", 1), ("tau", 1e-3), ("init_scale", 1e-3)):
            value = getattr(self, name)
            if value > LARGEST:
                raise ConfigError(f"{self.table}.{name} is {value}, but the limit is {LARGEST}.")
            if value < minimum:
                raise ConfigError(
                    f"{self.table}.{name} is {value}, but it must be at least {minimum}. "
                    f"Set it in the [model.{self.table}] table; the default is "
                    f"{getattr(type(self), name)}."
                )


@dataclass(frozen=True, kw_only=True)
class CrossConfig(AttentionConfig):
    """Settings of attention from the decoder to the source."""

    table: ClassVar[str] = "cross"

    projection: int = 256
    """K, the rows of W. Each head has 2 K features with a random map, K with a learned one."""
    key_heads: int = 0
    """G, the key and value heads of softmax attention, each shared by heads / G query heads;
    0: one for each head."""
    means: int = 0
    """n, the means into which softmax attention pools the source tokens, so that its memory has a
    fixed size; 0: no pooling."""
    gate: Literal["none", "decay"] = "none"
    """What a separator of the source does to the sums of RFA: nothing, or `decay` them. The paper
    found that it costs BLEU; it is for studies, and such a model cannot be exported."""
    gate_bias: float = 2.0
    """b_f, the gate's initial bias."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.gate != "none" and self.kind == "softmax":
            raise ConfigError(
                f"cross.gate is {self.gate!r}, but cross.kind is 'softmax', which has no sums to "
                "gate. Set cross.gate to 'none', or cross.kind to 'rfa'."
            )
        for name, what in (("key_heads", "share no keys"), ("means", "need none")):
            value = getattr(self, name)
            if not 0 <= value <= LARGEST:
                raise ConfigError(
                    f"cross.{name} is {value}, but it must be at least 0 and at most {LARGEST}."
                )
            if value and self.kind == "rfa":
                raise ConfigError(
                    f"cross.{name} is {value}, but cross.kind is 'rfa', whose heads {what}. "
                    f"Set cross.{name} to 0, or cross.kind to 'softmax'."
                )


@dataclass(frozen=True, kw_only=True)
class CausalConfig(AttentionConfig):
    """Settings of attention from the decoder to the earlier target tokens."""

    table: ClassVar[str] = "causal"

    gate: GateName = "none"
    """What a separator does to the state: nothing (`none`), `decay` it, or `average` it with the
    next sentence."""
    gate_bias: float = 0.0
    """b_f, the gate's initial bias: sigmoid(b_f) of the state is kept. The paper: 1 or 2 for
    `decay`, 0 for `average`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind == "softmax" and self.gate != "none":
            raise ConfigError(
                f"causal.gate is {self.gate!r}, but causal.kind is 'softmax', which has no state "
                "to gate. Set causal.gate to 'none', or causal.kind to 'rfa'."
            )


@dataclass(frozen=True, kw_only=True)
class StreamConfig:
    """Settings of a stream model: of its heads, most stay within the sentence, some read on.

    Sentence heads are softmax attention within one sentence. Document heads are gated RFA over the
    document so far. Encoder, cross and causal attention have the same number of both.
    """

    heads: int = 0
    """The number of document heads in every attention; 0: a window model."""
    feature_map: MapName = "spiky"
    """phi of the document heads: `spiky` or `learned`. Random maps would need the largest key norm
    of a document that has not been read yet."""
    projection: int = 64
    """K, the features of a document head."""
    gate: GateName = "decay"
    """What the end of a sentence does to the sums: nothing (`none`), `decay`, or `average`."""
    gate_bias: float = 2.0
    """b_f, the gate's initial bias: sigmoid(b_f) of the sums are kept."""

    def __post_init__(self) -> None:
        if not 0 <= self.heads <= LARGEST:
            raise ConfigError(f"stream.heads is {self.heads}, but it must be from 0 to {LARGEST}.")
        if not 1 <= self.projection <= LARGEST:
            raise ConfigError(
                f"stream.projection is {self.projection}, but it must be from 1 to {LARGEST}."
            )
        if self.feature_map not in TRAINED:
            raise ConfigError(
                f"stream.feature_map is {self.feature_map!r}, but document heads need a trained "
                f"map: {' or '.join(TRAINED)}."
            )
