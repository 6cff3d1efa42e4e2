"""One fused decoding step, compiled for a real GPU, equals plain torch in float64."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest
import torch

from tests.attention.decoding import (
    Sizes,
    causal_errors,
    cross_error,
    means_error,
    parts,
    random_memory,
    random_step,
    state_of,
)
from tests.attention.windows import GATES, MAPS

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton"),
    pytest.mark.filterwarnings("ignore:Please use the new API settings"),  # to allow tf32
]

TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 2e-2, torch.float16: 5e-3}
STATE = {torch.float32: 1e-5, torch.bfloat16: 1e-4, torch.float16: 1e-4}  # half: fast sines
SIZES = [(K, E) for K in (32, 64, 256, 17) for E in (24, 40, 64, 128)]


@pytest.fixture(autouse=True)
def _exact_products() -> Iterator[None]:
    """Disable tf32, which training in half precision enables; a test may enable it again."""
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    yield
    torch.backends.cuda.matmul.allow_tf32 = allowed


def assert_causal_close(sizes: Sizes, reordered: bool = True) -> None:
    step = random_step(sizes, reordered)
    poison = state_of(lambda x: x.new_full((sizes.rows, *x.shape[1:]), torch.nan), step.past)
    errors = causal_errors(step, poison)
    assert errors.pop("out") < TOLERANCE[sizes.dtype]
    assert max(errors.values()) < STATE[sizes.dtype], errors


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("K", "E"), SIZES)
def test_a_causal_step_equals_plain_torch_at_any_size(K, E, dtype):
    sizes = Sizes(K=K, E=E, rows=12, pasts=9, heads=8, gate="decay", dtype=dtype, device="cuda")
    assert_causal_close(sizes)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("feature_map", MAPS)
def test_every_gate_and_feature_map_is_supported(feature_map, gate, dtype):
    sizes = Sizes(
        K=32, E=64, heads=8, gate=gate, feature_map=feature_map, dtype=dtype, device="cuda"
    )
    assert_causal_close(sizes)


@pytest.mark.parametrize("rows", [1, 100, 1000])
@pytest.mark.parametrize("reordered", [False, True])
def test_rows_continue_the_states_of_their_parents(rows, reordered):
    sizes = Sizes(K=32, E=64, rows=rows, pasts=77, heads=8, gate="average", device="cuda")
    assert_causal_close(sizes, reordered)


@pytest.mark.parametrize(("K", "E"), [(1, 1), (4, 8), (32, 64), (100, 128)])
def test_without_parents_the_past_may_be_overwritten(K, E):
    from longways.attention.kernels.decode_causal import decode_causal_fused

    sizes = Sizes(K=K, E=E, rows=500, heads=8, gate="decay", device="cuda")
    step = random_step(sizes, reordered=False)
    wanted, apart = decode_causal_fused(*step.arguments)
    out, after = decode_causal_fused(*step.arguments, into=step.past)
    assert torch.equal(out, wanted)
    for found, expected in zip(parts(after).values(), parts(apart).values(), strict=True):
        assert torch.equal(found, expected)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("K", "E"), SIZES)
def test_a_cross_step_equals_plain_torch_at_any_size(K, E, dtype):
    sizes = Sizes(K=K, E=E, rows=3, heads=8, dtype=dtype, device="cuda")
    halves = (None,) if dtype == torch.float32 else (None, dtype)
    for half in halves:
        assert cross_error(*random_memory(sizes, half)) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("feature_map", MAPS)
@pytest.mark.parametrize("beams", [1, 4, 17, 100])
def test_the_beams_of_a_window_share_its_memory(beams, feature_map, dtype):
    sizes = Sizes(
        K=100, E=64, rows=25, beams=beams, heads=8, feature_map=feature_map, dtype=dtype,
        device="cuda",
    )  # fmt: skip
    half = None if dtype == torch.float32 else dtype
    assert cross_error(*random_memory(sizes, half)) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("windows", "beams"), [(65, 4), (301, 1), (301, 4), (301, 5), (301, 9)])
def test_windows_that_share_a_program_each_read_their_own_memory(windows, beams, dtype):
    sizes = Sizes(K=256, E=64, rows=windows, beams=beams, heads=8, dtype=dtype, device="cuda")
    half = None if dtype == torch.float32 else dtype
    assert cross_error(*random_memory(sizes, half)) < TOLERANCE[dtype]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("beams", [1, 4, 9])
@pytest.mark.parametrize(("key_heads", "means"), [(1, 3), (2, 56), (2, 128), (6, 130)])
def test_attention_to_means_equals_plain_torch(key_heads, means, beams, dtype):
    assert means_error(key_heads, means, beams, dtype, "cuda", E=64) < TOLERANCE[dtype]


def test_the_kernel_stays_exact_where_tf32_is_allowed():
    """Only PyTorch's own matmul, which projects the queries, rounds to 11 bits."""
    torch.backends.cuda.matmul.allow_tf32 = True
    sizes = Sizes(K=256, E=64, rows=25, heads=8, device="cuda")
    assert cross_error(*random_memory(sizes, None)) < 2**-11


def test_a_captured_step_follows_new_parents():
    from longways.attention.kernels.decode_causal import decode_causal_fused, empty_state

    step = random_step(Sizes(K=32, E=64, rows=64, pasts=64, heads=8, gate="decay", device="cuda"))
    into, graph = empty_state(step.past, 64), torch.cuda.CUDAGraph()
    decode_causal_fused(*step.arguments, into=into)  # compiles
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        out, _ = decode_causal_fused(*step.arguments, into=into)
    assert step.parents is not None
    step.parents.copy_(torch.randint(0, 64, (64,)))
    graph.replay()
    wanted, after = decode_causal_fused(*step.arguments)
    assert torch.equal(out, wanted)
    assert torch.equal(into.sums.S, after.sums.S)
