"""Warm start: copy every weight that fits from another model.

All kinds of attention have the same projections, so a trained transformer becomes an RFA model by
copying them; temperatures, gates and random matrices are new (T2R, Kasai et al. 2021).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from longways.errors import ConfigError
from longways.model.checkpoint import load_model
from longways.model.translation import CLOSED_BIAS, TranslationModel

CROSS_KEYS = re.compile(r"\.cross\.[kv]\.(weight|bias)$")
"""Weights of the keys and values of cross attention, which query heads may share."""

EMBEDDINGS = ("encoder.embedding.", "decoder.embedding.", "output_bias")
"""Prefixes of weights that depend on the vocabulary."""


@dataclass(frozen=True)
class WarmStart:
    """The names of the weights that a model copied from another."""

    copied: tuple[str, ...]
    new: tuple[str, ...]
    """Weights of the model that were not copied."""
    unused: tuple[str, ...]
    """Weights of the other model that this one does not have."""

    def describe(self) -> str:
        """A message for users."""
        return f"{len(self.copied)} weights copied.{_some(self.new, 'are new')}" + _some(
            self.unused, "are not used"
        )


def copy_weights(model: TranslationModel, folder: Path, same_text: bool) -> WarmStart:
    """Copy every weight that fits from the model in a folder.

    With another vocabulary (`same_text` false) embeddings are not copied, even if they would fit.
    """
    theirs = _with_shared_keys(load_model(folder), model)
    ours = dict(model.named_parameters())
    fits = {
        name
        for name, parameter in theirs.items()
        if name in ours
        and ours[name].shape == parameter.shape
        and (same_text or not name.startswith(EMBEDDINGS))
    }
    if not fits:
        raise ConfigError(f"No weight of {folder} fits this model: are dim and heads the same?")
    with torch.no_grad():
        for name in fits:
            ours[name].copy_(theirs[name])
        _open_closed_tokens(model)
    copied, new = (tuple(n for n in ours if (n in fits) == wanted) for wanted in (True, False))
    return WarmStart(copied, new, tuple(name for name in theirs if name not in ours))


def _open_closed_tokens(model: TranslationModel) -> None:
    """Let a model that never saw `<sep>` learn to predict it: it starts as `<eos>` is.

    Both end a sentence. The other closed tokens become as unlikely as the least likely open one.
    """
    bias, sep, eos = model.output_bias, model.config.sep, model.config.eos
    if bias is None:
        return
    closed = bias < CLOSED_BIAS / 2
    if closed[sep]:
        for embedding in (model.encoder.embedding, model.decoder.embedding):
            embedding.tokens.weight[sep] = embedding.tokens.weight[eos]
    bias[closed] = bias[~closed].min()
    if closed[sep]:
        bias[sep] = bias[eos]


def _with_shared_keys(source: TranslationModel, model: TranslationModel) -> dict[str, Tensor]:
    """The weights of a model, with cross keys and values averaged for heads that share them.

    Query head h reads key head h % G, so these are the means of the heads h, h + G, h + 2 G, ...
    """
    theirs, shared = dict[str, Tensor](source.named_parameters()), model.config.cross.key_heads
    if not shared or source.config.key_heads % shared:
        return theirs
    for name, weight in theirs.items():
        if CROSS_KEYS.search(name):
            heads = weight.unflatten(0, (-1, shared, source.config.head_dim))
            theirs[name] = heads.mean(0).flatten(0, 1)
    return theirs


def _some(names: tuple[str, ...], what: str) -> str:
    if not names:
        return ""
    more = ", ..." if len(names) > 3 else ""
    return f" {len(names)} {what} ({', '.join(names[:3])}{more})."
