"""A model that starts from another one: every weight that fits is taken.

Attention of any kind has the same projections, so a trained transformer becomes an RFA model by
taking all of them; temperatures, gates and random matrices start new (T2R, Kasai et al. 2021).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from longways.errors import ConfigError
from longways.model.checkpoint import load_model
from longways.model.translation import TranslationModel

CROSS_KEYS = re.compile(r"\.cross\.[kv]\.(weight|bias)$")
"""Weights of the keys and values that heads of queries may share."""

EMBEDDINGS = ("encoder.embedding.", "decoder.embedding.")
"""Weights that belong to a vocabulary."""


@dataclass(frozen=True)
class WarmStart:
    """What a model took from another."""

    taken: tuple[str, ...]
    new: tuple[str, ...]
    """Weights that start as if there were no other model."""
    left: tuple[str, ...]
    """Weights of the other model that have no place in this one."""

    def describe(self) -> str:
        """One or two sentences."""
        return f"{len(self.taken)} weights taken.{_some(self.new, 'start new')}" + _some(
            self.left, "have no place here"
        )


def inherit(model: TranslationModel, folder: Path, same_text: bool) -> WarmStart:
    """Take every weight that fits from the model in a folder.

    With another vocabulary (`same_text` false) embeddings are not taken, even if they would fit.
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
    taken, new = (tuple(n for n in ours if (n in fits) == wanted) for wanted in (True, False))
    return WarmStart(taken, new, tuple(name for name in theirs if name not in ours))


def _with_shared_keys(source: TranslationModel, model: TranslationModel) -> dict[str, Tensor]:
    """The weights of a model; cross keys and values as means of those that ours share.

    Query head h reads key head h % G, so these are the means of the heads h, h + G, h + 2 G, ...
    """
    theirs, kept = dict[str, Tensor](source.named_parameters()), model.config.cross.key_heads
    if not kept or source.config.key_heads % kept:
        return theirs
    for name, weight in theirs.items():
        if CROSS_KEYS.search(name):
            heads = weight.unflatten(0, (-1, kept, source.config.head_dim))
            theirs[name] = heads.mean(0).flatten(0, 1)
    return theirs


def _some(names: tuple[str, ...], what: str) -> str:
    if not names:
        return ""
    more = ", ..." if len(names) > 3 else ""
    return f" {len(names)} {what} ({', '.join(names[:3])}{more})."
