"""The models of the speed benchmark by the names of systems, random or trained."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import torch

from longways.attention.layers.projections import Projections
from longways.errors import ConfigError
from longways.model.build import build_model
from longways.model.checkpoint import load_model
from longways.model.config import ModelConfig, preset
from longways.model.manifest import read_manifest
from longways.model.translation import TranslationModel

BASELINES = ("concat", "concat-shared", "prealloc", "ctranslate2", "ctranslate2-shared")
"""The transformers that other systems are compared with."""

TRANSFORMER = "transformer"
"""The name of the model of all baselines."""

_RFA = re.compile(r"(?:(spiky|learned|positive)-)?(?:(\d+)|hybrid(\d*)(?:x(\d+))?)\+(\d+)")
"""The name of an RFA system."""


def speed_model(
    name: str, sizes: dict[str, int], trained: Mapping[str, Path], device: str
) -> TranslationModel:
    """The model of a system, in float32 and evaluation mode."""
    own = TRANSFORMER if name in BASELINES else name  # `transformer` is itself
    if own in trained:
        return load_model(trained[own]).to(device)
    if own == TRANSFORMER:
        return new_model(preset(TRANSFORMER, norm="pre", **sizes), device)
    return new_model(rfa_config(name, sizes), device)


def trained_sizes(trained: Mapping[str, Path]) -> dict[str, int]:
    """The vocabulary sizes and positions of trained models, which must be equal."""
    found = {name: _sizes(read_manifest(folder).model) for name, folder in trained.items()}
    (first, sizes), *others = found.items()
    for name, other in others:
        if other != sizes:
            raise ConfigError(
                f"The trained models differ: {first} has {_describe(sizes)}, but {name} has "
                f"{_describe(other)}."
            )
    return sizes


def _sizes(config: ModelConfig) -> dict[str, int]:
    names = "source_vocabulary", "target_vocabulary", "positions"
    return {name: getattr(config, name) for name in names}


def _describe(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name} {size}" for name, size in sizes.items())


ATTENTION_SCALE = 2.0
"""The factor on the initial weights of attention values and outputs."""


def new_model(config: ModelConfig, device: str) -> TranslationModel:
    """A model with random weights, always the same.

    The weights of attention are so large that the output depends on it: the check finds a system
    that mixes up its sources or its beams.
    """
    torch.manual_seed(1)
    model = build_model(config).eval()
    with torch.no_grad():
        for attention in model.modules():
            if isinstance(attention, Projections):
                attention.v.weight.mul_(ATTENTION_SCALE)
                attention.o.weight.mul_(ATTENTION_SCALE)
    return model.to(device)


def rfa_config(name: str, sizes: dict[str, int]) -> ModelConfig:
    """The config for a system's name: feature map, cross projections, causal projections."""
    found = _RFA.fullmatch(name)
    if not found:
        raise ConfigError(
            f"{name!r} is not a system. Known are {', '.join(BASELINES)}; write RFA systems by "
            "their projections, as in 64+32, spiky-64+32 or hybrid+32."
        )
    feature_map, cross, key_heads, means, causal = found.groups()
    hybrid = cross is None
    settings = [f"cross.key_heads={key_heads or 0}", f"cross.means={means or 0}"] if hybrid else []
    for side, projection in {"causal": causal, **({} if hybrid else {"cross": cross})}.items():
        settings += [f"{side}.feature_map={feature_map or 'random'}", f"{side}.start=softmax"]
        settings += [f"{side}.projection={projection}"]
    return preset("hybrid" if hybrid else "rfa-sgate", *settings, norm="pre", **sizes)
