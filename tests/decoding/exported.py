"""Tiny models of every kind in float64, and the same weights exported."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import torch
from torch import nn

from longways.attention.layers.mean_pooling import SourcePool
from longways.decoding.onnx.open import runtime_class
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.shortlist.shortlist import Shortlist
from longways.decoding.torch import TorchRuntime
from longways.decoding.torch_stream import torch_runtime
from longways.export.exporter import write_graphs
from longways.export.quantise import Int8
from longways.export.shortlist.graphs import write_shortlist_graphs
from longways.export.weights import Float32, Weights
from tests.decoding.tiny import tiny_runtime

_FOLDERS = tempfile.TemporaryDirectory()  # kept, since some graphs are opened later

KINDS = {
    "transformer": ("transformer",),
    "rfa": ("rfa",),
    "rfa-sgate": ("rfa-sgate",),
    "rfa-sgate-avg": ("rfa-sgate-avg",),
    "hybrid": ("hybrid",),
    "transformer, pre-norm": ("transformer", "norm=pre"),
    "rfa-sgate, pre-norm": ("rfa-sgate", "norm=pre"),
    "hybrid, pre-norm, shared": ("hybrid", "norm=pre", "share_embeddings=true"),
    "positive": ("rfa-sgate", "causal.feature_map=positive", "cross.feature_map=positive"),
    "learned": ("rfa-sgate-avg", "causal.feature_map=learned", "cross.feature_map=learned"),
    "spiky": ("rfa-sgate", "causal.feature_map=spiky", "cross.feature_map=spiky"),
    "shared keys": ("hybrid", "heads=4", "cross.key_heads=2", "pool=8"),
    "means": ("hybrid", "cross.means=5"),
    "means, shared keys": ("transformer", "heads=4", "cross.key_heads=2", "cross.means=12"),
    "swish, output bias": ("transformer", "activation=swish", "output_bias=true"),
    "relu, pre-norm": ("hybrid", "activation=relu", "norm=pre"),
    "sharp": ("rfa-sgate", "causal.tau=0.5", "cross.tau=0.6"),
}
"""Window models."""

STREAMS = {
    f"{gate}, {phi}": (
        "stream",
        "heads=4",
        f"stream.gate={gate}",
        f"stream.feature_map={phi}",
        norm,
    )
    for gate, phi, norm in (
        ("none", "spiky", "norm=pre"),
        ("decay", "spiky", "norm=pre"),
        ("average", "spiky", "norm=post"),
        ("none", "learned", "norm=pre"),
        ("decay", "learned", "norm=post"),
        ("average", "learned", "norm=pre"),
    )
}
"""Stream models."""


@cache
def exact(kind: str, *overrides: str) -> TorchRuntime:
    """A model that depends on source and context, but does not amplify float32 rounding errors."""
    name, *own = {**KINDS, **STREAMS}[kind]
    model = tiny_runtime(name, *own, *overrides, dtype=torch.float32).model
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter *= 0.5
        for module in model.modules():
            if isinstance(module, nn.Linear):  # so that a missing bias changes the numbers
                module.bias.normal_(std=0.3)
            if isinstance(module, SourcePool):  # likewise
                module.queries.normal_()
                module.sharpness.normal_()
    return torch_runtime(model.double())


@cache
def exported(kind: str, *overrides: str, int8: bool = False, threads: int = 1) -> OnnxRuntime:
    return export(exact(kind, *overrides), Int8() if int8 else Float32(), threads)


def export(
    runtime: TorchRuntime,
    weights: Weights,
    threads: int = 1,
    shortlist: Shortlist | None = None,
) -> OnnxRuntime:
    folder = Path(tempfile.mkdtemp(dir=_FOLDERS.name))
    write_graphs(runtime.model, folder, weights, runtime.heads)
    config = runtime.model.config
    if shortlist:
        write_shortlist_graphs(folder, config.target_vocabulary)
    return runtime_class(config)(folder, config, threads, shortlist=shortlist)
