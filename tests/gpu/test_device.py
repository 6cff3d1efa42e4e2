"""Captured steps on a real GPU find what search on the host finds."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu.device_decoder import DeviceDecoder
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.model.config import preset
from longways.model.translation import TranslationModel
from longways.text.tokenizers.special_tokens import BOS
from tests.attention.decoding import Sizes
from tests.attention.remembering import remember_error
from tests.attention.windows import MAPS
from tests.decoding.gpu.choosing import part_errors, read_errors
from tests.decoding.gpu.kernels.test_beam_step import CONFIGS
from tests.decoding.gpu.stepping import (
    append_is_right,
    linear_add_error,
    norm_cross_errors,
    norm_linear_errors,
)
from tests.decoding.gpu.test_device_decoder import (
    IN_HALF,
    assert_same,
    error_in_half,
    on_host,
    windows,
)
from tests.decoding.searching import disagreements
from tests.decoding.tiny import MODELS, tiny_runtime, window

CLOSE = 1e-3
SPIKY = "rfa-sgate cross.feature_map=spiky causal.feature_map=spiky"
POOLED = "hybrid cross.key_heads=2 cross.means=40"

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton"),
]


def on_gpu(name, *overrides):
    runtime = tiny_runtime(name, *overrides, dtype=torch.float32)
    return TorchRuntime(runtime.model.cuda())


@pytest.mark.parametrize("slots", [5, 32])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", [*MODELS, "rfa", "rfa-sgate-avg", SPIKY])
def test_the_same_is_found_as_on_the_host(name, beams, slots):
    runtime, search = on_gpu(*name.split()), SearchConfig(beams=beams)
    given = windows(40)
    decoder = DeviceDecoder(runtime.model, search=search, slots=slots)
    assert_same(decoder.decode(given), on_host(runtime, given, search), CLOSE)


def test_a_cache_grows_while_others_are_searched():
    runtime, search = on_gpu("transformer", "positions=512"), SearchConfig(beams=2)
    long = Window(window([5] * 3), [BOS], 150, 150)
    short = [Window(w.source, w.prefix, w.max_tokens, w.max_tokens) for w in windows(3)]
    given = [long, *short, long]
    found = DeviceDecoder(runtime.model, search=search, slots=2).decode(given)
    assert_same(found, on_host(runtime, given, search), CLOSE)


@pytest.mark.parametrize("name", ["transformer", "hybrid"])
@pytest.mark.parametrize("means", [0, 5, 70])
def test_heads_that_share_keys_and_means_serve(name, means):
    runtime = on_gpu(name, "heads=4", "cross.key_heads=2", f"cross.means={means}", "pool=8")
    search, given = SearchConfig(beams=2), windows(9)
    found = DeviceDecoder(runtime.model, search=search, slots=4).decode(given)
    assert_same(found, on_host(runtime, given, search), CLOSE)


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("feature_map", MAPS)
def test_every_map_serves(feature_map, beams):
    maps = (f"{kind}.feature_map={feature_map}" for kind in ("cross", "causal"))
    runtime, search = on_gpu("rfa-sgate", *maps), SearchConfig(beams=beams)
    found = DeviceDecoder(runtime.model, search=search, slots=5).decode(windows(20))
    assert_same(found, on_host(runtime, windows(20), search), CLOSE)


@pytest.mark.parametrize("feature_map", MAPS)
@pytest.mark.parametrize("name", ["transformer", "rfa-sgate", "hybrid"])
def test_a_large_model_in_half_precision_is_right_about_what_it_finds(name, feature_map):
    assert error_in_half(name, feature_map, "cuda", positions=256) < IN_HALF


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_a_search_step_is_that_of_plain_torch(config):
    assert disagreements(config, device="cuda") == []
    assert disagreements(config, separators=2, seed=1, device="cuda") == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_best_of_all_parts_are_those_of_torch(dtype):
    error, same = part_errors(7, 17_000, 6, dtype, "cuda")
    assert error < 1e-4
    assert same


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["spiky", "learned"])
@pytest.mark.parametrize("sizes", [(300, 64, 64), (77, 112, 64), (5, 16, 32)])
def test_sources_are_summed_up_as_by_torch(sizes, name, dtype):
    assert remember_error(name, *sizes, True, dtype, "cuda") < 0.01
    assert remember_error(name, *sizes, False, dtype, "cuda") < 0.01


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("bent", [True, False])
@pytest.mark.parametrize("rows", [1, 37, 256])
def test_norm_and_product_in_one_are_those_of_torch(rows, bent, dtype):
    assert max(norm_linear_errors(rows, 1544, bent, dtype, "cuda")) < 0.1


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("dim", [320, 512, 600, 2048])
@pytest.mark.parametrize("rows", [1, 37, 256])
def test_product_and_residual_in_one_are_those_of_torch(rows, dim, dtype):
    assert linear_add_error(rows, dim, 512, dtype, "cuda") < 0.05


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["spiky", "learned"])
@pytest.mark.parametrize(
    ("windows", "beams", "K", "E"),
    [(96, 1, 64, 64), (1, 1, 16, 16), (37, 2, 64, 32), (13, 4, 64, 64), (3, 5, 32, 64)],
)
def test_norm_query_and_read_in_one_are_those_of_torch(windows, beams, K, E, name, dtype):
    sizes = Sizes(K=K, E=E, heads=8, feature_map=name, device="cuda")
    normed, read = norm_cross_errors(windows, beams, sizes, 512, dtype)
    assert normed < 0.1  # a number of 16 or more, in bfloat16
    assert read < 0.02


@pytest.mark.parametrize(("dtype", "close"), [(torch.float32, 1e-5), (torch.bfloat16, 0.05)])
def test_tokens_are_embedded_where_they_stand(dtype, close):
    error, placed, told = read_errors(512, dtype, "cuda")
    assert error < close
    assert placed
    assert told


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_keys_and_values_are_appended_where_they_belong(dtype):
    assert append_is_right(dtype, "cuda")


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", ["transformer", "rfa-sgate", "hybrid", SPIKY, POOLED])
def test_kernels_that_start_early_find_what_was_written(name, beams):
    """The same windows again and again: a race would show now and then."""
    torch.manual_seed(1)
    config = preset(*name.split(), norm="pre", positions=256)
    model = TranslationModel(config).eval().cuda().bfloat16()
    given = [Window(window([5 + i] * 20), [BOS], 60, 60, separators=0) for i in range(40)]
    decoder = DeviceDecoder(model, beams=beams, slots=20)
    first = decoder.decode(given)
    for _ in range(10):
        assert decoder.decode(given) == first
