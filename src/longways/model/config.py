"""Settings of a model, with the paper's models as presets. Loads without torch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from longways.attention.config import CausalConfig, CrossConfig, StreamConfig
from longways.config import apply_overrides, build
from longways.errors import ConfigError

Activation = Literal["gelu", "relu", "swish"]
"""GELU, the paper's; ReLU; swish, which is x sigmoid(x) and also called SiLU."""


@dataclass(frozen=True, kw_only=True)
class ModelConfig:
    """An encoder-decoder for windows of several sentences."""

    source_vocabulary: int
    """The size of the source vocabulary, special tokens included."""
    target_vocabulary: int
    """The size of the target vocabulary, special tokens included."""
    dim: int = 512
    """d, the size of the model's hidden vectors."""
    heads: int = 8
    """H, the attention heads of every layer; each has the size dim / heads."""
    feed_forward: int = 1024
    """The hidden size of the feed-forward sublayers."""
    encoder_layers: int = 6
    """The number of encoder layers."""
    decoder_layers: int = 6
    """The number of decoder layers."""
    activation: Activation = "gelu"
    """The function between the two linear maps of a feed-forward sublayer."""
    output_bias: bool = False
    """Whether every entry of the target vocabulary has a bias in the output layer."""
    norm: Literal["post", "pre"] = "post"
    """The place of layer norms: after the residual (`post`, the paper), or before a sublayer."""
    share_embeddings: bool = False
    """One embedding for both languages, which must have a joint vocabulary."""
    dropout: float = 0.3
    """The dropout rate after embeddings and sublayers in training."""
    token_dropout: float = 0.0
    """The share of source and target tokens whose embeddings are left out in training; their
    positions stay."""
    positions: int = 1024
    """The length of the longest source or target window, in tokens."""
    causal: CausalConfig = field(default_factory=CausalConfig)
    """Attention from the decoder to the earlier target tokens."""
    cross: CrossConfig = field(default_factory=CrossConfig)
    """Attention from the decoder to the source."""
    stream: StreamConfig = field(default_factory=StreamConfig)
    """Sentence and document heads of a stream model; `causal` and `cross` are then unused."""
    pool: int = 500
    """The number of random matrices in the pool, from which training draws."""
    seed: int = 1
    """Seed of the random matrices and of their draws."""
    pad: int = 0
    """Id of the padding token, on both sides."""
    bos: int = 1
    """Id of the token at the start of a target window."""
    eos: int = 2
    """Id of the token at the end of a window."""
    sep: int = 3
    """Id of the separator between two sentences of a window."""

    def __post_init__(self) -> None:
        for name, largest in _COUNTS.items():
            value = getattr(self, name)
            if value < 1:
                raise ConfigError(f"{name} is {value}, but it must be at least 1.")
            if value > largest:
                raise ConfigError(f"{name} is {value}, but it must be at most {largest}.")
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
        for name in ("dropout", "token_dropout"):
            if not 0 <= (rate := getattr(self, name)) < 1:
                raise ConfigError(f"{name} is {rate}, but it must be at least 0 and below 1.")
        if self.share_embeddings and self.source_vocabulary != self.target_vocabulary:
            raise ConfigError(
                f"share_embeddings is true, but the vocabularies have {self.source_vocabulary} and "
                f"{self.target_vocabulary} entries. Prepare the data with corpus.text.joint=true."
            )
        if self.stream.heads >= self.heads:
            raise ConfigError(
                f"stream.heads is {self.stream.heads}, but of {self.heads} heads at least one must "
                "be a sentence head. Set stream.heads to 2."
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
    def min_parameters(self) -> int:
        """A lower bound of the number of weights, by which absurd sizes are refused unbuilt."""
        words = self.target_vocabulary + (0 if self.share_embeddings else self.source_vocabulary)
        layer = 2 * self.dim * (self.feed_forward + self.dim)
        return words * self.dim + (self.encoder_layers + self.decoder_layers) * layer

    @property
    def head_dim(self) -> int:
        """E, the size of one head."""
        return self.dim // self.heads

    @property
    def is_plain_transformer(self) -> bool:
        """Whether all attention is softmax without pooling and without shared key heads."""
        softmax = self.causal.kind == self.cross.kind == "softmax" and not self.is_stream
        return softmax and not self.cross.key_heads and not self.cross.means

    @property
    def is_stream(self) -> bool:
        """Whether the model carries a state from sentence to sentence instead of using windows."""
        return self.stream.heads > 0

    @property
    def key_heads(self) -> int:
        """G, the key and value heads of softmax cross attention."""
        return self.cross.key_heads or self.heads


_COUNTS = {
    "source_vocabulary": 1 << 24,
    "target_vocabulary": 1 << 24,
    "dim": 1 << 16,
    "heads": 1 << 12,
    "feed_forward": 1 << 18,
    "encoder_layers": 1000,
    "decoder_layers": 1000,
    "positions": 1 << 22,
    "pool": 1 << 20,
}
"""The largest value of each count; a file with larger ones would be built without end."""


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
    "stream": {**_SOFTMAX, "stream": {"heads": 2}},
}
"""The paper's models; our `hybrid`: softmax cross attention with gated causal RFA; our `stream`:
softmax attention within each sentence, and gated RFA over all sentences before it."""

IWSLT_VOCABULARIES = {"source_vocabulary": 22_000, "target_vocabulary": 20_000}
"""The paper states 53M parameters and 30k joint merges, but no vocabulary sizes. Vocabularies of
42k entries in total give 53M parameters."""


def preset(name: str, *overrides: str, **sizes: Any) -> ModelConfig:
    """The config of a preset, with the paper's IWSLT vocabularies unless `sizes` has others.

    Overrides are `key=value`, as on the command line: `preset("rfa", "cross.kind=softmax")`.
    """
    values = {**IWSLT_VOCABULARIES, **preset_table(name), **sizes}
    return build(ModelConfig, apply_overrides(values, overrides), f"preset {name}")


def preset_table(name: str) -> dict[str, Any]:
    """The settings of a preset, in the form of a recipe's [model] table."""
    if name not in PRESETS:
        raise ConfigError(f"There is no preset {name!r}. Known are: {', '.join(PRESETS)}.")
    return PRESETS[name]


def expand_preset(table: dict[str, Any]) -> dict[str, Any]:
    """A recipe's [model] table with `preset = "..."` replaced by the settings of the preset.

    The other settings of the table override the preset, key by key.
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
