"""What can be chosen about a model, and the paper's choices as presets. Loads without torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from longways.attention.config import CausalConfig, CrossConfig
from longways.config import apply_overrides, build
from longways.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """An encoder-decoder for windows of several sentences."""

    source_vocabulary: int
    """Source tokens, special ones included."""
    target_vocabulary: int
    """Target tokens, special ones included."""
    dim: int = 512
    """d, the size of a token inside the model."""
    heads: int = 8
    """H, the heads of every attention; each is dim / heads wide."""
    feed_forward: int = 1024
    """The width inside a feed-forward sublayer."""
    encoder_layers: int = 6
    """Layers that read the source."""
    decoder_layers: int = 6
    """Layers that write the target."""
    norm: Literal["post", "pre"] = "post"
    """Where a sublayer normalises: after adding to the residual (the paper), or its input."""
    share_embeddings: bool = False
    """One embedding for both sides, for languages that share one vocabulary."""
    dropout: float = 0.3
    """The share of numbers silenced after embeddings and sublayers in training."""
    positions: int = 1024
    """The longest window, in tokens of one side, that the model can be asked about."""
    causal: CausalConfig = field(default_factory=CausalConfig)
    """How the decoder looks at the target so far."""
    cross: CrossConfig = field(default_factory=CrossConfig)
    """How the decoder looks at the source."""
    pool: int = 500
    """Random matrices to draw from in training."""
    seed: int = 1
    """Seed of the random matrices and of their draws."""
    pad: int = 0
    """Id of the padding token, on both sides."""
    bos: int = 1
    """Id of the token that opens a target window."""
    eos: int = 2
    """Id of the token that closes a window."""
    sep: int = 3
    """Id of the separator between two sentences of a window."""

    def __post_init__(self) -> None:
        for name in _COUNTS:
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)}, but it must be at least 1.")
        if self.dim % self.heads:
            raise ConfigError(
                f"dim is {self.dim} and heads is {self.heads}, but heads must divide dim: "
                f"the nearest that does is {_nearest_divisor(self.dim, self.heads)}."
            )
        if self.heads % self.key_heads:
            raise ConfigError(
                f"cross.key_heads is {self.key_heads} and heads is {self.heads}, but key_heads "
                f"must divide heads: the nearest is {_nearest_divisor(self.heads, self.key_heads)}."
            )
        if self.dim % 2:
            raise ConfigError(f"dim is {self.dim}, but sinusoidal positions need an even number.")
        if not 0 <= self.dropout < 1:
            raise ConfigError(f"dropout is {self.dropout}, but it must be at least 0 and below 1.")
        if self.share_embeddings and self.source_vocabulary != self.target_vocabulary:
            raise ConfigError(
                f"share_embeddings is true, but the vocabularies have {self.source_vocabulary} and "
                f"{self.target_vocabulary} entries. Prepare the data with text.joint=true."
            )
        self._check_special_ids()

    def _check_special_ids(self) -> None:
        ids = (self.pad, self.bos, self.eos, self.sep)
        smallest = min(self.source_vocabulary, self.target_vocabulary)
        if len(set(ids)) < len(ids) or min(ids) < 0 or max(ids) >= smallest:
            raise ConfigError(
                f"pad, bos, eos and sep are {ids}, but they must be four different ids of both "
                f"vocabularies, so between 0 and {smallest - 1}."
            )

    @property
    def head_dim(self) -> int:
        """E, the width of one head."""
        return self.dim // self.heads

    @property
    def is_plain_transformer(self) -> bool:
        """Whether all attention is softmax, to every token, with keys for every head."""
        softmax = self.causal.kind == self.cross.kind == "softmax"
        return softmax and not self.cross.key_heads and not self.cross.means

    @property
    def key_heads(self) -> int:
        """G, the heads of keys and values of softmax cross attention."""
        return self.cross.key_heads or self.heads


_COUNTS = (
    "source_vocabulary",
    "target_vocabulary",
    "dim",
    "heads",
    "feed_forward",
    "encoder_layers",
    "decoder_layers",
    "positions",
    "pool",
)


def _nearest_divisor(dim: int, heads: int) -> int:
    return min((n for n in range(1, dim + 1) if dim % n == 0), key=lambda n: abs(n - heads))


_SOFTMAX: dict[str, Any] = {"causal": {"kind": "softmax"}, "cross": {"kind": "softmax"}}
_DECAY: dict[str, Any] = {"gate": "decay", "gate_bias": 2.0}

PRESETS: dict[str, dict[str, Any]] = {
    "transformer": _SOFTMAX,
    "rfa": {},
    "rfa-sgate": {"causal": _DECAY},
    "rfa-sgate-avg": {"causal": {"gate": "average", "gate_bias": 0.0}},
    "hybrid": {"causal": _DECAY, "cross": {"kind": "softmax"}},
}
"""The paper's models, and one of our own: softmax cross attention with a gated causal RFA."""

IWSLT_VOCABULARIES = {"source_vocabulary": 22_000, "target_vocabulary": 20_000}
"""The paper prints 53M parameters and 30k joint merges, not the sizes: 42k entries give 53M."""


def preset(name: str, *overrides: str, **sizes: Any) -> ModelConfig:
    """A model of the paper by name, with its IWSLT vocabularies unless `sizes` says otherwise.

    Overrides are `key=value`, as on the command line: `preset("rfa", "cross.kind=softmax")`.
    """
    values = {**IWSLT_VOCABULARIES, **preset_table(name), **sizes}
    return build(ModelConfig, apply_overrides(values, overrides), f"preset {name}")


def preset_table(name: str) -> dict[str, Any]:
    """What a preset sets, as the [model] table of a recipe would."""
    if name not in PRESETS:
        raise ConfigError(f"There is no preset {name!r}. Known are: {', '.join(PRESETS)}.")
    return PRESETS[name]


def expand_preset(table: dict[str, Any]) -> dict[str, Any]:
    """A recipe's [model] table with `preset = "..."` replaced by what it stands for.

    What the table itself sets wins, key by key.
    """
    rest = {key: value for key, value in table.items() if key != "preset"}
    return _merge(preset_table(table["preset"]), rest) if "preset" in table else rest


def _merge(base: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        inner = merged.get(key)
        if isinstance(inner, dict) and isinstance(value, dict):
            merged[key] = _merge(inner, value)
        else:
            merged[key] = value
    return merged
