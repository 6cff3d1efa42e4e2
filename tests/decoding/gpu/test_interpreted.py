"""Whole windows decoded by kernels, as on a GPU, but interpreted: the parts fit together."""

from unittest.mock import patch

import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.gpu import decoder_layer, layer_operations, next_token
from longways.decoding.gpu.device_decoder import DeviceDecoder
from tests.decoding.gpu.test_device_decoder import assert_same, on_host, windows
from tests.decoding.tiny import tiny_runtime

CLOSE, MANY = 1e-3, 10_000
SPIKY = "rfa-sgate cross.feature_map=spiky causal.feature_map=spiky"
AVERAGE = "rfa-sgate-avg cross.feature_map=learned causal.feature_map=positive"


def decoded(name, beams, recall, half=False):
    """What kernels find and what the host finds, and whether the kernels were called."""
    from longways.attention.kernels import decode_buffered as recent
    from longways.decoding.gpu.kernels import next_token as choose

    runtime = tiny_runtime(*name.split(), "norm=pre", dtype=torch.float32)
    search, given = SearchConfig(beams=beams), windows(2, seed=3)
    wanted = on_host(runtime, given, search)
    model = runtime.model.bfloat16() if half else runtime.model
    with (
        patch.object(decoder_layer, "decodes_fused", lambda *_: True),
        patch.object(decoder_layer, "RECALLED_FROM", 1 if recall else MANY),
        patch.object(next_token, "serves", lambda _: True),
        patch.object(layer_operations, "serves", lambda _: True),
        patch.object(layer_operations, "few", lambda _: half),
        patch.object(choose, "choose_fused", wraps=choose.choose_fused) as chosen,
        patch.object(recent, "decode_recent_fused", wraps=recent.decode_recent_fused) as recalled,
    ):
        found = DeviceDecoder(model, search=search, slots=2).decode(given)
    return found, wanted, chosen.called, recalled.called


@pytest.mark.parametrize(
    ("name", "beams", "recall"),
    [
        ("transformer", 2, False),
        ("rfa", 1, False),
        (SPIKY, 1, True),
        (SPIKY, 3, True),
        (AVERAGE, 2, False),
        ("hybrid", 1, True),
    ],
)
def test_kernels_find_what_the_host_finds(interpreted, name, beams, recall):
    found, wanted, chosen, recalled = interpreted(decoded, name, beams, recall)
    assert_same(found, wanted, CLOSE)
    assert chosen
    assert recalled == recall


def test_products_of_few_rows_serve_too(interpreted):
    """In half precision words may differ, but every window has its translation."""
    found, wanted, *called = interpreted(decoded, SPIKY, 2, True, True)
    assert all(called)
    assert [len(best) for best in found] == [len(best) for best in wanted]
