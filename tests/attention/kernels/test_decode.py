"""One fused decoding step equals plain torch, interpreted here and compiled on a GPU."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from longways.attention.rfa import MIN_NORM, rfa_parallel
from longways.attention.rfa.decode import GateInput
from longways.attention.state import CausalRFAState, GateState, RFAState
from longways.errors import ShapeError
from tests.attention.decoding import (
    Errors,
    Sizes,
    causal_errors,
    cross_error,
    parts,
    random_memory,
    random_step,
    state_of,
)
from tests.attention.windows import GATES, MAPS, relative_error

SIZES = [(32, 24), (64, 40), (256, 64), (17, 128), (32, 64), (1, 1)]
CLOSE, CLOSE_IN_HALF = 1e-5, 2e-2


def of_step(sizes: Sizes, reordered: bool = True) -> Errors:
    return causal_errors(random_step(sizes, reordered))


@pytest.mark.parametrize(("K", "E"), SIZES)
def test_a_causal_step_equals_plain_torch_at_any_size(interpreted, K, E):
    errors = interpreted(of_step, Sizes(K=K, E=E, rows=3, gate="decay"))
    assert max(errors.values()) < CLOSE, errors


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("feature_map", MAPS)
def test_every_gate_and_feature_map_is_supported(interpreted, gate, feature_map):
    errors = interpreted(of_step, Sizes(K=20, E=12, gate=gate, feature_map=feature_map))
    assert max(errors.values()) < CLOSE, errors


@pytest.mark.parametrize(
    ("rows", "pasts", "heads", "reordered"),
    [(1, 1, 2, True), (1, 6, 2, True), (100, 90, 1, True), (4, 4, 3, False)],
)
def test_rows_continue_the_states_of_their_parents(interpreted, rows, pasts, heads, reordered):
    sizes = Sizes(K=12, E=8, rows=rows, pasts=pasts, heads=heads, gate="average")
    errors = interpreted(of_step, sizes, reordered)
    assert max(errors.values()) < CLOSE, errors


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_widened_and_the_state_is_float32(interpreted, dtype):
    errors = interpreted(of_step, Sizes(K=33, E=40, gate="average", dtype=dtype))
    assert errors.pop("out") < CLOSE_IN_HALF
    assert max(errors.values()) < CLOSE, errors


def of_strange_views() -> Errors:
    step = random_step(Sizes(K=16, E=8))
    q, k = torch.stack([step.q, step.q], -1)[..., 0], step.k.mT.contiguous().mT
    past = state_of(lambda x: torch.stack([x, x], -1)[..., 0], step.past)
    return causal_errors(replace(step, q=q, k=k, past=past))


def test_inputs_may_be_views(interpreted):
    errors = interpreted(of_strange_views)
    assert max(errors.values()) < CLOSE, errors


def of_a_poisoned_buffer() -> Errors:
    step = random_step(Sizes(K=20, E=12, gate="decay"))
    rows = len(step.q)
    buffer = state_of(lambda x: x.new_full((rows, *x.shape[1:]), torch.nan), step.past)
    return causal_errors(step, buffer)


def test_a_buffer_is_written_everywhere(interpreted):
    errors = interpreted(of_a_poisoned_buffer)
    assert max(errors.values()) < CLOSE, errors


def in_place() -> list[float]:
    from longways.attention.kernels.decode_causal import decode_causal_fused

    step = random_step(Sizes(K=20, E=12, gate="decay"), reordered=False)
    wanted, apart = decode_causal_fused(*step.arguments)
    out, after = decode_causal_fused(*step.arguments, into=step.past)
    assert after is step.past
    pairs = zip(parts(after).values(), parts(apart).values(), strict=True)
    return [relative_error(found, x) for found, x in [(out, wanted), *pairs]]


def test_without_parents_the_past_may_be_overwritten(interpreted):
    assert interpreted(in_place) == [0.0] * 5


def of_a_whole_window() -> float:
    """Error of steps with two buffers in turns, against the parallel form."""
    from longways.attention.kernels.decode_causal import decode_causal_fused, empty_state

    rows, heads, tokens, E = 2, 2, 7, 8
    phi, W = Sizes(K=12, E=E, heads=heads).map()
    q, k, v = torch.randn(3, rows, heads, tokens, E)
    logits, separators = torch.randn(rows, heads, tokens), torch.arange(tokens) % 3 == 2
    f = torch.where(separators, logits.sigmoid(), 1.0)
    keep = torch.cat([torch.ones(rows, heads, 1), f[..., :-1]], -1)
    wanted = rfa_parallel(phi(q, W), phi(k, W), v, keep, torch.ones_like(keep))
    sums = RFAState.empty(rows, heads, phi.features, E, like=v)
    past = CausalRFAState(sums, GateState.open(rows, heads, like=v))
    buffers, outs = (empty_state(past, rows), empty_state(past, rows)), []
    themselves = torch.arange(rows)
    for t in range(tokens):
        gate = GateInput("decay", logits[..., t], separators[t].expand(rows))
        token = q[:, :, t], k[:, :, t], v[:, :, t]
        into = buffers[t % 2]
        out, past = decode_causal_fused(*token, phi, W, past, themselves, gate, into)
        outs.append(out)
    return relative_error(torch.stack(outs, 2), wanted)


def test_a_step_per_token_equals_the_parallel_form(interpreted):
    assert interpreted(of_a_whole_window) < CLOSE


def below_the_floor() -> tuple[float, float]:
    """Empty sums, and a write of 0.05: phi(q) . phi(k) = 0.01 K for equal q and k."""
    from longways.attention.kernels.decode_causal import decode_causal_fused
    from longways.attention.kernels.decode_cross import decode_cross_fused

    phi, W = Sizes(K=3, E=4, heads=1).map()
    q = torch.ones(1, 1, 4)
    sums = RFAState.empty(1, 1, 6, 4, like=q)
    past = CausalRFAState(sums, GateState(torch.ones(1, 1), torch.full((1, 1), 0.05)))
    out, after = decode_causal_fused(q, q, 2 * q, phi, W, past)
    read = decode_cross_fused(q[:, :, None], phi, W, after.sums)
    return out[0, 0, 0].item(), read[0, 0, 0, 0].item()


def test_a_norm_below_the_floor_is_raised_to_it(interpreted):
    wanted = 0.05 * 0.03 * 2.0 / MIN_NORM
    assert interpreted(below_the_floor) == pytest.approx((wanted, wanted), rel=1e-5)


def without_rows() -> tuple[int, ...]:
    from longways.attention.kernels.decode_causal import decode_causal_fused

    out, state = decode_causal_fused(*random_step(Sizes(K=4, E=8, rows=0)).arguments)
    return *out.shape, *state.sums.S.shape


def test_no_rows_give_no_output(interpreted):
    assert interpreted(without_rows) == (0, 2, 8, 0, 2, 8, 8)


def of_memory(sizes: Sizes, half: torch.dtype | None) -> float:
    return cross_error(*random_memory(sizes, half))


@pytest.mark.parametrize(("K", "E"), SIZES)
def test_a_cross_step_equals_plain_torch_at_any_size(interpreted, K, E):
    assert interpreted(of_memory, Sizes(K=K, E=E, rows=2), None) < CLOSE


@pytest.mark.parametrize("feature_map", MAPS)
@pytest.mark.parametrize("beams", [1, 5, 17, 70])  # around the blocks of 16 and 64
def test_the_beams_of_a_window_share_its_memory(interpreted, beams, feature_map):
    sizes = Sizes(K=20, E=12, rows=3, beams=beams, feature_map=feature_map)
    assert interpreted(of_memory, sizes, None) < CLOSE


@pytest.mark.parametrize("half", [None, torch.float16])  # the interpreter has no bfloat16 matmul
def test_half_precision_queries_read_either_kind_of_memory(interpreted, half):
    sizes = Sizes(K=33, E=40, rows=2, dtype=torch.float16)
    assert interpreted(of_memory, sizes, half) < 2e-3


def of_grouped_windows(windows: int, beams: int) -> float:
    from longways.attention.kernels import decode_cross

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decode_cross, "MIN_PROGRAMS", 1)
        sizes = Sizes(K=20, E=12, rows=windows, beams=beams)
        return cross_error(*random_memory(sizes, None))


@pytest.mark.parametrize(("windows", "beams"), [(7, 1), (5, 3), (6, 4), (3, 5), (4, 9)])
def test_windows_that_share_a_program_each_read_their_own_memory(interpreted, windows, beams):
    assert interpreted(of_grouped_windows, windows, beams) < CLOSE


def test_windows_are_grouped_only_with_many_programs(interpreted):
    groups = [(8, 4), (512, 4), (2048, 4), (2048, 1), (2048, 8), (2048, 16), (10_000, 1)]
    found = interpreted(grouping, groups)
    assert found == [1, 2, 4, 4, 2, 1, 4]


def grouping(cases: list[tuple[int, int]]) -> list[int]:
    from longways.attention.kernels.decode_cross import _group

    return [_group(*case) for case in cases]


def refused(what: str) -> None:
    from longways.attention.kernels.decode_causal import decode_causal_fused
    from longways.attention.kernels.decode_cross import decode_cross_fused

    step = random_step(Sizes(K=4, E=130 if what == "wide" else 8, gate="decay"), what != "rows")
    assert step.gate is not None
    changed = {
        "k": {"k": step.k[:, :1]},
        "q": {"q": step.q[:, :1]},
        "parents": {"parents": torch.zeros(len(step.q))},
        "rows": {"past": step.past.reorder(torch.tensor([0]))},
        "gate": {"gate": replace(step.gate, separators=step.gate.separators[:1])},
        "double": {"past": state_of(lambda x: x.double(), step.past)},
    }
    into = step.past.reorder(torch.zeros(len(step.q), dtype=torch.long))
    if what == "memory":
        q, phi, W, memory = random_memory(Sizes(K=4, E=8), None)
        decode_cross_fused(q, phi, W, memory.reorder(torch.tensor([0])))
    if what == "itself":
        step = replace(step, past=into)
    if what == "gaps":
        into = state_of(lambda x: torch.stack([x, x], -1)[..., 0], into)
    if what == "open":
        into = replace(into, gate=GateState.open(*step.q.shape[:2], like=step.q))
    decode_causal_fused(*replace(step, **changed.get(what, {})).arguments, into=into)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("q", "query or key has shape"),
        ("k", "query or key has shape"),
        ("wide", "at most 128"),
        ("parents", "parents has shape"),
        ("gate", "separators of"),
        ("rows", "`past` has S of shape"),
        ("double", "states in float32"),
        ("gaps", "a view with gaps"),
        ("itself", "another buffer"),
        ("open", "are one tensor"),
        ("memory", "The memory has S of shape"),
    ],
)
def test_unsupported_inputs_are_refused_with_a_reason(interpreted, what, words):
    with pytest.raises(ShapeError, match=words):
        interpreted(refused, what)
