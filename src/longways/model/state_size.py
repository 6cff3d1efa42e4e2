"""The size of a decoder's state, computed from its config, and BLEU over it. Loads without torch.

H heads, D features, E head size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longways.attention.config import AttentionConfig
from longways.corpus.prepared_data import Split
from longways.model.config import ModelConfig
from longways.plotting import open_pyplot, save_picture

FLOAT_BYTES = 4
"""Bytes of a number in the state, which is float32 for weights of any precision."""

GATE_NUMBERS = 2
"""Numbers that a gate keeps for the next token: `keep` and `write`."""


def state_bytes(config: ModelConfig, source: float, target: float) -> int:
    """Bytes of the decoder's state and memory for a window of `source` and `target` tokens.

    The bytes of RFA do not depend on the number of tokens. A stream model has no windows: count the
    tokens of one sentence. The state of its encoder is included.
    """
    if config.is_stream:
        return round(_stream_bytes(config, source + target))
    keys = config.cross.means or source
    sides = (config.cross, config.key_heads, keys), (config.causal, config.heads, target)
    layer = sum(_attention_bytes(side, config, heads, tokens) for side, heads, tokens in sides)
    gates = GATE_NUMBERS * config.heads * FLOAT_BYTES if config.causal.kind == "rfa" else 0
    return round(config.decoder_layers * (layer + gates))


def _stream_bytes(config: ModelConfig, tokens: float) -> float:
    """Bytes of the keys and values of a sentence, and of all that is carried to the next one."""
    stream, layers = config.stream, config.encoder_layers + 2 * config.decoder_layers
    keys = 2 * (config.heads - stream.heads) * config.head_dim * tokens
    sums = stream.heads * (stream.projection * (config.head_dim + 1) + GATE_NUMBERS)
    return FLOAT_BYTES * (config.decoder_layers * keys + layers * sums)


def _attention_bytes(
    side: AttentionConfig, config: ModelConfig, key_heads: int, tokens: float
) -> float:
    """Bytes of S and z (H, D, E + 1), or of the keys and values of every token."""
    if side.kind == "softmax":
        return 2 * key_heads * config.head_dim * FLOAT_BYTES * tokens
    return config.heads * side.features * (config.head_dim + 1) * FLOAT_BYTES


def window_tokens(split: Split, L: int) -> tuple[float, float]:
    """The mean numbers of source and target tokens in a window of L sentences with separators."""
    source, target = (
        float(offsets[-1]) / split.sentences * L
        for offsets in (split.source_offsets, split.target_offsets)
    )
    return source, target


def plot_state(rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Plot document BLEU over `state bytes`, with a point for each model."""
    figure, place = open_pyplot().subplots(figsize=(7, 4.5), layout="constrained")
    for row in rows:
        at = row["state bytes"] / 2**20, row["document BLEU"]
        place.plot(*at, "o")
        place.annotate(row["model"], at, xytext=(5, 4), textcoords="offset points", fontsize=8)
    place.set(xscale="log", xlabel="decoder state of a window, MiB", ylabel="document BLEU")
    place.margins(x=0.25, y=0.1)
    place.grid(alpha=0.3)
    save_picture(figure, out)
