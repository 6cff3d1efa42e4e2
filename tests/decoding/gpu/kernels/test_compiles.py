"""The kernels of a decoding step compile for a GPU, whatever the sizes of a model."""

import pytest
import torch

from longways.attention.kernels.fused_map import FusedMap
from longways.attention.rfa.cross import JointSums
from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_beam_search import DeviceSearch
from longways.decoding.gpu.next_token import TokenEmbedding
from longways.model.embedding import Embedding
from tests.compiling import compiled
from tests.decoding.gpu.layer_errors import random_linear, random_norm

HALF = torch.bfloat16


@pytest.mark.parametrize("chunks", [4, 32])
@pytest.mark.parametrize("config", [SearchConfig(beams=1), SearchConfig(beams=5, nbest=2)])
def test_search_and_embedding_compile(config, chunks, monkeypatch):
    from longways.decoding.gpu.kernels.next_token import (
        embed_tokens_fused,
        empty_candidates,
        next_tokens_fused,
    )

    search = DeviceSearch(3, 20, config, torch.device("cpu"))
    embedding = Embedding(50, 320, 20, pad=0, dropout=0.0).to(HALF)
    inputs = TokenEmbedding(embedding, torch.zeros(3, dtype=torch.long), 19)
    found = empty_candidates(embedding.table, 3 * config.beams, chunks, config.beams + 2)
    with compiled(monkeypatch) as names:
        next_tokens_fused(found, search, inputs)
        embed_tokens_fused(search, inputs)
    assert names == ["next_tokens_kernel", "embed_tokens_kernel"]


@pytest.mark.parametrize("rows", [1, 96, 300])
def test_the_top_k_of_the_logits_compiles(rows, monkeypatch):
    from longways.decoding.gpu.kernels.next_token import best_of_chunks

    with compiled(monkeypatch) as names:
        best_of_chunks(torch.zeros(rows, 5000, dtype=HALF), 6, torch.tensor([0, 1]))
    assert names == ["best_of_chunks_kernel"]


@pytest.mark.parametrize(
    ("rows", "dim", "activation"),
    [(1, 512, "gelu"), (96, 512, "swish"), (96, 512, "relu"), (200, 2048, "gelu")],
)
def test_matmuls_compile(rows, dim, activation, monkeypatch):
    from longways.decoding.gpu.kernels.linear import linear_add_fused, norm_linear_fused

    x, layer = torch.zeros(rows, dim, dtype=HALF), random_linear(dim, 512, activation, HALF, "cpu")
    with compiled(monkeypatch) as names:
        linear_add_fused(x, layer, torch.zeros(rows, 512, dtype=HALF))
        if dim <= 1024:
            norm = random_norm(dim, HALF, "cpu")
            for late_launch in (False, True):
                norm_linear_fused(x, norm, layer, late_launch=late_launch)
    assert names == ["linear_add_kernel"] + 2 * (dim <= 1024) * ["norm_linear_kernel"]


@pytest.mark.parametrize(("windows", "beams"), [(64, 1), (5, 4), (1, 16)])
def test_norm_and_cross_attention_compile(windows, beams, monkeypatch):
    from longways.decoding.gpu.kernels.norm_cross import norm_cross_fused, serves

    x, norm = torch.zeros(windows * beams, 512, dtype=HALF), random_norm(512, HALF, "cpu")
    query, fused = random_linear(512, 512, None, HALF, "cpu"), FusedMap("spiky", 8, 64)
    memory = JointSums(torch.zeros(windows, 8, 64, 72, dtype=HALF))
    assert serves(x, fused, memory)
    with compiled(monkeypatch) as names:
        norm_cross_fused(x, norm, query, fused, memory)
    assert names == ["norm_cross_kernel"]


def test_norm_and_cross_attention_are_one_kernel_only_for_supported_sizes():
    from longways.decoding.gpu.kernels.norm_cross import serves

    def memory(windows: int, features: int = 64, head: int = 64) -> JointSums:
        return JointSums(torch.zeros(windows, 8, features, head + 8, dtype=HALF))

    x, fused = torch.zeros(34, 512, dtype=HALF), FusedMap("spiky", 8, 64)
    assert serves(x, fused, memory(34))
    assert not serves(x, fused, memory(2)), "17 beams"
    assert not serves(torch.zeros(68, 512, dtype=HALF), fused, memory(68)), "136 programs"
    assert not serves(x, FusedMap("spiky", 8, 112), memory(34, features=112))
    assert not serves(x, fused, memory(34, head=24))
    assert not serves(x, FusedMap("random", 8, 32, torch.ones(8)), memory(34))
    assert not serves(x.float(), fused, memory(34))


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize(("name", "projections"), [("spiky", 64), ("learned", 112), ("spiky", 7)])
def test_the_sums_of_sources_compile(name, projections, padded, monkeypatch):
    from longways.attention.kernels.cross_summary import remember_fused

    u, v = (torch.zeros(2, 3, 5, n, dtype=HALF) for n in (projections, 64))
    mask = torch.ones(2, 5, dtype=torch.bool) if padded else None
    with compiled(monkeypatch) as names:
        remember_fused(u, v, FusedMap(name, 3, projections), mask)
    assert names == ["remember_kernel"]
