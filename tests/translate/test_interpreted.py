"""Whole windows decoded by kernels, as on a GPU, but interpreted: the parts fit together."""

from unittest.mock import patch

import pytest
import torch

from longways.attention.rfa.cross import _remember_joint
from longways.runtime import choosing, reading, step_kernels, step_layer, steps
from longways.search import SearchConfig
from longways.translate.device import DeviceDecoder
from tests.runtime.tiny import tiny_runtime
from tests.translate.test_device import assert_same, on_host, windows

CLOSE, MANY = 1e-3, 10_000
SPIKY = "rfa-sgate cross.feature_map=spiky causal.feature_map=spiky"
AVERAGE = "rfa-sgate-avg cross.feature_map=learned causal.feature_map=positive"


def decoded(name, beams, recall, half=False):
    """What kernels find and what the host finds, and whether the kernels were called."""
    from longways.attention.rfa import triton_recent as recent
    from longways.runtime import triton_choose as choose

    runtime = tiny_runtime(*name.split(), "norm=pre", dtype=torch.float32)
    search, given = SearchConfig(beams=beams), windows(2, seed=3)
    wanted = on_host(runtime, given, search)
    model = runtime.model.bfloat16() if half else runtime.model
    with (
        patch.object(step_layer, "decodes_fused", lambda *_: True),
        patch.object(step_layer, "RECALLED_FROM", 1 if recall else MANY),
        patch.object(choosing, "serves", lambda _: True),
        patch.object(step_kernels, "serves", lambda _: True),
        patch.object(choosing, "few", lambda _: half),
        patch.object(step_kernels, "few", lambda _: half),
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


def in_half(written, v):
    return _remember_joint(written.bfloat16(), v.bfloat16())


def at_once(beams, norm):
    """What is found with attention in one kernel with what is before it, and without; both calls.

    In half precision, where the one rounds whatever the others round.
    """
    from longways.runtime import triton_norm_causal as causal
    from longways.runtime import triton_norm_cross as cross

    name = *SPIKY.split(), "dim=32", "heads=2", "cross.projection=16", "causal.projection=16"
    given = [window._replace(most=3) for window in windows(1, seed=3)]
    runtime = tiny_runtime(*name, f"norm={norm}", dtype=torch.bfloat16)
    search, found = SearchConfig(beams=beams), []
    with (
        patch.object(steps, "STEPS", 2),
        patch.object(step_layer, "decodes_fused", lambda *_: True),
        patch.object(step_layer, "few", lambda _: True),
        patch.object(step_kernels, "serves", lambda _: True),
        patch.object(step_kernels, "few", lambda _: True),
        patch.object(reading, "kernels_serve", lambda _: True),
        patch("longways.attention.layers.cross.rfa_remember", in_half),
        patch.object(causal, "norm_causal_fused", wraps=causal.norm_causal_fused) as looked,
        patch.object(cross, "norm_cross_fused", wraps=cross.norm_cross_fused) as read,
    ):
        for together in (False, True):
            with patch.object(step_layer, "AT_ONCE", together):
                decoder = DeviceDecoder(runtime.model, search=search, slots=1)
                found.append(decoder.decode(given))
    return *found, looked.call_count, read.call_count


@pytest.mark.parametrize(("beams", "norm", "first"), [(3, "pre", 0), (1, "post", 1)])
def test_attention_is_one_kernel_with_what_is_before_it(interpreted, beams, norm, first):
    """But for the first of all, which has no norm before it where norms come last."""
    apart, together, looked, read = interpreted(at_once, beams, norm)
    assert read > 0
    assert looked == read * (2 - first) // 2
    assert_same(together, apart, 0.5)  # logits of 20, in bfloat16
