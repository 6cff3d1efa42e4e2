"""Captured steps on a real GPU give the hypotheses of search on the host."""

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
from tests.decoding.gpu.kernels.test_beam_step import CONFIGS
from tests.decoding.gpu.layer_errors import (
    append_is_exact,
    linear_add_error,
    norm_cross_errors,
    norm_linear_errors,
)
from tests.decoding.gpu.next_token_errors import embedding_errors, top_k_errors
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
def test_hypotheses_equal_those_of_the_host(name, beams, slots):
    runtime, search = on_gpu(*name.split()), SearchConfig(beams=beams)
    given = windows(40)
    decoder = DeviceDecoder(runtime.model, search=search, slots=slots)
    assert_same(decoder.decode(given), on_host(runtime, given, search), CLOSE)


def test_a_cache_grows_while_other_windows_are_searched():
    runtime, search = on_gpu("transformer", "positions=512"), SearchConfig(beams=2)
    long = Window(window([5] * 3), [BOS], 150, 150)
    short = [Window(w.source, w.prefix, w.max_tokens, w.max_tokens) for w in windows(3)]
    given = [long, *short, long]
    found = DeviceDecoder(runtime.model, search=search, slots=2).decode(given)
    assert_same(found, on_host(runtime, given, search), CLOSE)


@pytest.mark.parametrize("name", ["transformer", "hybrid"])
@pytest.mark.parametrize("means", [0, 5, 70])
def test_shared_key_heads_and_means_are_supported(name, means):
    runtime = on_gpu(name, "heads=4", "cross.key_heads=2", f"cross.means={means}", "pool=8")
    search, given = SearchConfig(beams=2), windows(9)
    found = DeviceDecoder(runtime.model, search=search, slots=4).decode(given)
    assert_same(found, on_host(runtime, given, search), CLOSE)


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("feature_map", MAPS)
def test_every_feature_map_is_supported(feature_map, beams):
    maps = (f"{kind}.feature_map={feature_map}" for kind in ("cross", "causal"))
    runtime, search = on_gpu("rfa-sgate", *maps), SearchConfig(beams=beams)
    found = DeviceDecoder(runtime.model, search=search, slots=5).decode(windows(20))
    assert_same(found, on_host(runtime, windows(20), search), CLOSE)


@pytest.mark.parametrize("feature_map", MAPS)
@pytest.mark.parametrize("name", ["transformer", "rfa-sgate", "hybrid"])
def test_a_large_model_in_half_precision_scores_its_hypotheses_right(name, feature_map):
    assert error_in_half(name, feature_map, "cuda", positions=256) < IN_HALF


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_a_search_step_equals_plain_torch(config):
    assert disagreements(config, device="cuda") == []
    assert disagreements(config, separators=2, seed=1, device="cuda") == []


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_best_words_of_all_chunks_equal_torchs_top_k(dtype):
    error, same = top_k_errors(7, 17_000, 6, dtype, "cuda")
    assert error < 1e-4
    assert same


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["spiky", "learned"])
@pytest.mark.parametrize("sizes", [(300, 64, 64), (77, 112, 64), (5, 16, 32)])
def test_the_sums_of_sources_equal_torch(sizes, name, dtype):
    assert remember_error(name, *sizes, True, dtype, "cuda") < 0.01
    assert remember_error(name, *sizes, False, dtype, "cuda") < 0.01


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("activation", ["gelu", "relu", "swish", None])
@pytest.mark.parametrize("rows", [1, 37, 256])
def test_a_fused_norm_and_matmul_equal_torch(rows, activation, dtype):
    assert max(norm_linear_errors(rows, 1544, activation, dtype, "cuda")) < 0.1


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("dim", [320, 512, 600, 2048])
@pytest.mark.parametrize("rows", [1, 37, 256])
def test_a_fused_matmul_and_residual_equal_torch(rows, dim, dtype):
    assert linear_add_error(rows, dim, 512, dtype, "cuda") < 0.05


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ["spiky", "learned"])
@pytest.mark.parametrize(
    ("windows", "beams", "K", "E"),
    [(96, 1, 64, 64), (1, 1, 16, 16), (37, 2, 64, 32), (13, 4, 64, 64), (3, 5, 32, 64)],
)
def test_fused_norm_and_cross_attention_equal_torch(windows, beams, K, E, name, dtype):
    sizes = Sizes(K=K, E=E, heads=8, feature_map=name, device="cuda")
    normed, out = norm_cross_errors(windows, beams, sizes, 512, dtype)
    assert normed < 0.1  # a number of 16 or more, in bfloat16
    assert out < 0.02


@pytest.mark.parametrize(("dtype", "close"), [(torch.float32, 1e-5), (torch.bfloat16, 0.05)])
def test_tokens_are_embedded_at_their_positions(dtype, close):
    error, same_positions, same_separators = embedding_errors(512, dtype, "cuda")
    assert error < close
    assert same_positions
    assert same_separators


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_keys_and_values_are_appended_at_their_positions(dtype):
    assert append_is_exact(dtype, "cuda")


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", ["transformer", "rfa-sgate", "hybrid", SPIKY, POOLED])
def test_dependent_launches_have_no_race(name, beams):
    """Decode the same windows eleven times: a race would change some hypotheses."""
    torch.manual_seed(1)
    config = preset(*name.split(), norm="pre", positions=256)
    model = TranslationModel(config).eval().cuda().bfloat16()
    given = [Window(window([5 + i] * 20), [BOS], 60, 60, separators=0) for i in range(40)]
    decoder = DeviceDecoder(model, beams=beams, slots=20)
    first = decoder.decode(given)
    for _ in range(10):
        assert decoder.decode(given) == first
