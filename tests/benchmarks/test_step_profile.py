"""The profile of a decoding step covers all kernels, and its floor counts the right bytes."""

import pytest
import torch
from benchmarks.decoding.step_profile import Kernel, Plan, by_kind, measure, step_bytes

from longways.benchmark.speed.models import new_model
from longways.benchmark.speed.systems import Setting, on_device
from longways.benchmark.speed.windows import Shape
from longways.errors import ConfigError
from longways.model.config import preset

SIZES = {
    "source_vocabulary": 40, "target_vocabulary": 40, "dim": 16, "heads": 2, "feed_forward": 16,
    "encoder_layers": 1, "decoder_layers": 2, "positions": 256,
}  # fmt: skip


@pytest.mark.slow
def test_a_step_of_every_system_is_profiled():
    plan = Plan(["prealloc", "8+4", "hybrid+4"], [1, 2], [2, 3], beams=2, device="cpu")
    found = measure(plan, 2, SIZES)
    assert [row["system"] for row in found.rows] == [e for e in plan.systems for _ in range(2)]
    for row in found.rows:
        parts = [
            row[f"{kind} us"] for kind in ("attention", "products", "words and search", "rest")
        ]
        assert min(parts) > 0 or row["system"] == "8+4"  # RFA in torch has only matmuls and sums
        assert sum(parts) == pytest.approx(row["kernels us"], abs=1)
        assert row["kernels"] > 20
        assert row["bytes moved"] > 0
        assert row["floor us"] == "-"


def test_kernels_are_classified_by_their_names():
    names = {
        "causal_decode": "attention",
        "cross_decode_single": "attention",
        "cudnn_generated_fort_native_sdpa_sm80": "attention",
        "nvjet_sm90_tst_64x8": "products",
        "norm_linear_kernel": "products",
        "best_of_chunks_kernel": "words and search",
        "next_tokens_kernel": "words and search",
        "Memcpy DtoD": "rest",
    }
    found = by_kind([Kernel(name, 1.0, 2.0**i) for i, name in enumerate(names)])
    wanted = dict.fromkeys(found, 0.0)
    for i, kind in enumerate(names.values()):
        wanted[kind] += 2.0**i
    assert found == wanted


def test_the_floor_counts_weights_once_states_twice_and_keys_once():
    setting = Setting("cpu", 3, 1, SIZES, None)
    transformer = new_model(preset("transformer", norm="pre", **SIZES), "cpu")
    shape, heads, head = Shape(2, 5, "profile"), 2, 8
    weights = sum(weight.nbytes for weight in transformer.decoder.parameters())
    keys = 4 * 2 * 2 * heads * head  # float32, keys and values, layers: bytes a token
    wanted = weights + 5 * (3 * 20 * keys + 40 * keys)
    found = step_bytes(on_device("prealloc", setting, transformer), shape)
    assert wanted <= found < 1.01 * wanted  # masks and lengths are a few bytes more
    rfa = on_device("8+4", setting, transformer)
    short, long = (step_bytes(rfa, Shape(L, 5, "profile")) for L in (2, 6))
    assert short == long
    weights = sum(weight.nbytes for weight in rfa.model.decoder.parameters())
    assert short - weights >= 5 * 3 * 2 * 4 * 2 * heads * 8 * head  # S of 8 features, in and out


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_missing_gpu_is_reported():
    with pytest.raises(ConfigError, match="torch finds none"):
        measure(Plan(["prealloc"], [1], [1]))


@pytest.mark.parametrize(
    ("lengths", "device", "said"),
    [([1, 2], "cuda", "2 L and 1 batches"), ([1], "tpu", "'tpu', but it must be cpu or cuda")],
)
def test_an_invalid_plan_is_refused(lengths, device, said):
    with pytest.raises(ConfigError, match=said):
        Plan(["prealloc"], lengths, [1], device=device)
