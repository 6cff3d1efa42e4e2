"""Whole windows decoded by interpreted kernels, as on a GPU."""

from unittest.mock import patch

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu import decoder_layer, layer_operations, next_token
from longways.decoding.gpu.device_decoder import DeviceDecoder
from tests.decoding.gpu.test_device_decoder import assert_same, on_host, windows
from tests.decoding.tiny import tiny_runtime

CLOSE = 1e-3
SPIKY = "rfa-sgate cross.feature_map=spiky causal.feature_map=spiky"
AVERAGE = "rfa-sgate-avg cross.feature_map=learned causal.feature_map=positive"


def decoded(name, beams, half=False):
    """Hypotheses of kernels and host, and whether the kernels were called."""
    from longways.attention.kernels import decode_causal as causal
    from longways.decoding.gpu.kernels import next_token as kernels

    runtime = tiny_runtime(*name.split(), "norm=pre", dtype=torch.float32)
    search, given = SearchConfig(beams=beams), windows(2, seed=3)
    wanted = on_host(runtime, given, search)
    model = runtime.model.bfloat16() if half else runtime.model
    with (
        patch.object(decoder_layer, "fused_decode_serves", lambda *_: True),
        patch.object(next_token, "triton_serves", lambda _: True),
        patch.object(layer_operations, "triton_serves", lambda _: True),
        patch.object(layer_operations, "fused_linear_serves", lambda _: half),
        patch.object(kernels, "next_tokens_fused", wraps=kernels.next_tokens_fused) as searched,
        patch.object(causal, "decode_causal_fused", wraps=causal.decode_causal_fused) as attended,
    ):
        found = DeviceDecoder(model, search=search, slots=2).decode(given)
    return found, wanted, searched.called, attended.called


@pytest.mark.parametrize(
    ("name", "beams"),
    [("transformer", 2), ("rfa", 1), (SPIKY, 1), (SPIKY, 3), (AVERAGE, 2), ("hybrid", 1)],
)
def test_hypotheses_of_kernels_equal_those_of_the_host(interpreted, name, beams):
    found, wanted, searched, attended = interpreted(decoded, name, beams)
    assert_same(found, wanted, CLOSE)
    assert searched
    assert attended == (name != "transformer")


def test_matmul_kernels_decode_every_window(interpreted):
    """In half precision words may differ, but every window has hypotheses."""
    found, wanted, *called = interpreted(decoded, SPIKY, 2, True)
    assert all(called)
    assert [len(best) for best in found] == [len(best) for best in wanted]
