"""How much a decoder remembers, from its config alone, and what that buys. Loads without torch.

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

FLOAT = 4
"""Bytes of a number; sums are kept in float32, whatever the weights are."""


def state_bytes(config: ModelConfig, source: float, target: float) -> int:
    """Bytes that the decoder holds for one window of so many tokens on either side.

    What causal attention carries from token to token, and what cross attention keeps of the source.
    Those of RFA do not depend on the tokens.
    """
    kept = config.cross.means or source
    sides = (config.cross, config.key_heads, kept), (config.causal, config.heads, target)
    layer = sum(_attention_bytes(side, config, heads, tokens) for side, heads, tokens in sides)
    gates = 2 * config.heads * FLOAT if config.causal.kind == "rfa" else 0
    return round(config.decoder_layers * (layer + gates))


def _attention_bytes(
    side: AttentionConfig, config: ModelConfig, key_heads: int, tokens: float
) -> float:
    """S and z (H, D, E + 1), or the keys and values of every token."""
    if side.kind == "softmax":
        return 2 * key_heads * config.head_dim * FLOAT * tokens
    return config.heads * side.features * (config.head_dim + 1) * FLOAT


def window_tokens(split: Split, L: int) -> tuple[float, float]:
    """Tokens of a usual window of L sentences on either side, separators included."""
    source, target = (
        float(offsets[-1]) / split.sentences * L
        for offsets in (split.source_offsets, split.target_offsets)
    )
    return source, target


def plot_state(rows: Sequence[dict[str, Any]], out: Path) -> None:
    """Document BLEU over `state bytes`, a point for each model."""
    figure, place = open_pyplot().subplots(figsize=(7, 4.5), layout="constrained")
    for row in rows:
        at = row["state bytes"] / 2**20, row["document BLEU"]
        place.plot(*at, "o")
        place.annotate(row["model"], at, xytext=(5, 4), textcoords="offset points", fontsize=8)
    place.set(xscale="log", xlabel="decoder state of a window, MiB", ylabel="document BLEU")
    place.margins(x=0.25, y=0.1)
    place.grid(alpha=0.3)
    save_picture(figure, out)
