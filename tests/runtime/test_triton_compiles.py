"""The kernels of a decoding step compile for a GPU, whatever the sizes of a model."""

import pytest
import torch

from longways.attention.rfa.triton_decode_map import FusedMap
from longways.model.embedding import Embedding
from longways.runtime.choosing import Reading
from longways.search.beam import SearchConfig
from longways.search.device import DeviceSearch
from tests.compiling import compiled
from tests.runtime.stepping import random_norm, random_product

HALF = torch.bfloat16


@pytest.mark.parametrize("parts", [4, 157, 313])
@pytest.mark.parametrize("config", [SearchConfig(beams=1), SearchConfig(beams=5, nbest=2)])
def test_the_end_of_a_step(config, parts, monkeypatch):
    from longways.runtime.triton_choose import choose_fused, new_parts, read_tokens_fused

    search = DeviceSearch(3, 20, config, torch.device("cpu"))
    embedding = Embedding(50, 320, 20, pad=0, dropout=0.0).to(HALF)
    reading = Reading(embedding, torch.zeros(3, dtype=torch.long), 19)
    found = new_parts(embedding.table, 3 * config.beams, parts, config.beams + 2)
    with compiled(monkeypatch) as names:
        choose_fused(found, search, reading)
        read_tokens_fused(search, reading)
    assert names == ["choose_kernel", "read_tokens_kernel"]


@pytest.mark.parametrize(("rows", "dim"), [(1, 512), (96, 512), (200, 320)])
def test_words(rows, dim, monkeypatch):
    from longways.runtime.triton_choose import best_parts
    from longways.runtime.triton_words import best_words

    x, weight = (torch.zeros(n, dim, dtype=HALF) for n in (rows, 1000))
    with compiled(monkeypatch) as names:
        best_words(x, weight, 6, torch.tensor([0, 1]))
        best_parts(x, 3, torch.tensor([0, 1]))
    assert names == ["best_words_kernel", "best_of_parts"]


@pytest.mark.parametrize(("rows", "dim"), [(1, 512), (96, 512), (200, 2048)])
def test_products(rows, dim, monkeypatch):
    from longways.runtime.triton_linear import linear_add_fused, norm_linear_fused

    x, product = torch.zeros(rows, dim, dtype=HALF), random_product(dim, 512, True, HALF, "cpu")
    with compiled(monkeypatch) as names:
        linear_add_fused(x, product, torch.zeros(rows, 512, dtype=HALF))
        if dim <= 1024:
            for late in (False, True):
                norm_linear_fused(x, random_norm(dim, HALF, "cpu"), product, late=late)
    assert names == ["linear_add_kernel"] + 2 * (dim <= 1024) * ["norm_linear_kernel"]


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize(("name", "projections"), [("spiky", 64), ("learned", 112), ("spiky", 7)])
def test_sources(name, projections, padded, monkeypatch):
    from longways.attention.rfa.triton_remember import remember_fused

    u, v = (torch.zeros(2, 3, 5, n, dtype=HALF) for n in (projections, 64))
    mask = torch.ones(2, 5, dtype=torch.bool) if padded else None
    with compiled(monkeypatch) as names:
        remember_fused(u, v, FusedMap(name, 3, projections), mask)
    assert names == ["remember_kernel"]
