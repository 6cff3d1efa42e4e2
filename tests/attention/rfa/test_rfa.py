"""Parallel, chunked and recurrent RFA are equal."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from longways.attention.rfa import (
    MIN_NORM,
    RFAState,
    rfa_causal,
    rfa_chunked,
    rfa_parallel,
    rfa_recurrent,
    rfa_step,
)
from longways.errors import ConfigError, ShapeError
from tests.attention.windows import (
    EVERY_KIND,
    GATES,
    LENGTHS,
    E,
    H,
    Window,
    random_window,
    relative_error,
)

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}


def real(out: Tensor, window: Window) -> Tensor:
    """The outputs of all tokens but padding: (tokens, H, E)."""
    return out.transpose(1, 2)[window.mask]


def gradients(out: Tensor, window: Window) -> list[Tensor]:
    """Gradients of q, k, v and the gate, from a fixed random projection of the outputs."""
    torch.manual_seed(1)
    loss = (real(out, window) * torch.randn_like(real(out, window))).sum()
    found = torch.autograd.grad(loss, window.leaves, retain_graph=True, allow_unused=True)
    return [g for g in found if g is not None]


def least_gradient(tokens: int) -> float:
    """Scale of gradients: with one token, features have no effect and their gradients are 0."""
    return 1.0 if tokens == 1 else 1e-30


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("tokens", LENGTHS)
@pytest.mark.parametrize(("gate", "feature_map"), EVERY_KIND)
def test_all_forms_give_the_same_values_and_gradients(gate, feature_map, tokens, dtype):
    window = random_window(gate, feature_map, tokens, dtype, seed=tokens)
    wanted = rfa_parallel(*window.inputs)
    for form in (rfa_chunked, rfa_recurrent):
        found, _ = form(*window.inputs)
        assert relative_error(real(found, window), real(wanted, window)) < TOLERANCE[dtype]
        pairs = zip(gradients(found, window), gradients(wanted, window), strict=True)
        for got, want in pairs:
            assert relative_error(got, want, least_gradient(tokens)) < TOLERANCE[dtype]


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("chunk", [1, 2, 7, 64, 65, 1000])
def test_the_size_of_chunks_does_not_change_the_result(gate, chunk):
    window = random_window(gate, "random", 65)
    wanted, wanted_state = rfa_chunked(*window.inputs)
    found, state = rfa_chunked(*window.inputs, chunk=chunk)
    assert relative_error(found, wanted) < 1e-10
    assert relative_error(state.S, wanted_state.S) < 1e-10
    assert relative_error(state.z, wanted_state.z) < 1e-10


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("cut", [0, 1, 63, 64, 100, 130])
@pytest.mark.parametrize("form", [rfa_chunked, rfa_recurrent])
def test_a_state_carried_from_call_to_call_equals_one_long_call(gate, cut, form):
    window = random_window(gate, "random", 130)
    wanted, wanted_state = rfa_chunked(*window.inputs)
    head, state = form(*window.cut(0, cut))
    tail, state = form(*window.cut(cut, 130), past=state)
    assert relative_error(torch.cat([head, tail], 2), wanted) < 1e-10
    assert relative_error(state.S, wanted_state.S) < 1e-10
    assert relative_error(state.z, wanted_state.z) < 1e-10


@pytest.mark.parametrize("gate", GATES)
def test_the_state_of_a_padded_row_is_the_state_after_its_last_token(gate):
    window = random_window(gate, "random", 100, seed=5)
    _, state = rfa_chunked(*window.inputs)
    for row, length in enumerate(window.lengths.tolist()):
        _, alone = rfa_chunked(*(x[row : row + 1] for x in window.cut(0, length)))
        assert relative_error(state.S[row], alone.S[0]) < 1e-10
        assert relative_error(state.z[row], alone.z[0]) < 1e-10


def test_padding_may_stand_anywhere():
    window = random_window("none", "random", 40)
    alone = rfa_parallel(*(x[:1] for x in window.inputs))
    blank = [torch.zeros(1, H, 9, x.shape[-1], dtype=x.dtype) for x in window.inputs[:3]]
    ones, zeros = torch.ones(1, H, 9), torch.zeros(1, H, 9)
    padded = [
        torch.cat([pad, x[:1]], 2)
        for pad, x in zip([*blank, ones, zeros], window.inputs, strict=True)
    ]
    assert relative_error(rfa_parallel(*padded)[:, :, 9:], alone) < 1e-10
    assert relative_error(rfa_chunked(*padded, chunk=4)[0][:, :, 9:], alone) < 1e-10


@pytest.mark.parametrize("form", [rfa_chunked, rfa_recurrent])
def test_gradients_equal_finite_differences(form):
    torch.manual_seed(0)
    # Positive features: at the floor of the norm the gradient is not continuous.
    phi_q, phi_k = torch.rand(2, 1, 2, 5, 3, dtype=torch.float64) + 0.5
    v = torch.randn(1, 2, 5, 2, dtype=torch.float64)
    keep, write = torch.rand(2, 1, 2, 5, dtype=torch.float64) * 0.8 + 0.1
    S, z = torch.randn(1, 2, 3, 2, dtype=torch.float64), torch.rand(1, 2, 3, dtype=torch.float64)
    inputs = [x.requires_grad_() for x in (phi_q, phi_k, v, keep, write, S, z)]

    def attend(*xs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        kwargs = {"chunk": 2} if form is rfa_chunked else {}
        out, state = form(*xs[:5], past=RFAState(*xs[5:]), **kwargs)
        return out, state.S, state.z

    assert torch.autograd.gradcheck(attend, inputs)


def test_parallel_gradients_equal_finite_differences():
    torch.manual_seed(0)
    phi_q, phi_k = torch.rand(2, 1, 2, 5, 3, dtype=torch.float64) + 0.5
    keep, write = torch.rand(2, 1, 2, 5, dtype=torch.float64) * 0.8 + 0.1
    v = torch.randn(1, 2, 5, 2, dtype=torch.float64)
    inputs = [x.requires_grad_() for x in (phi_q, phi_k, v, keep, write)]
    assert torch.autograd.gradcheck(rfa_parallel, inputs)


def test_a_hand_worked_window():
    """Two tokens, one feature: the second keeps half of the first and writes itself in full."""
    phi = torch.tensor([1.0, 2.0]).view(1, 1, 2, 1)
    v = torch.tensor([3.0, 6.0]).view(1, 1, 2, 1)
    keep, write = torch.tensor([[[1.0, 0.5]]]), torch.ones(1, 1, 2)
    out = rfa_parallel(phi, phi, v, keep, write).flatten().tolist()
    # t=1: S = 1*3, z = 1, q = 1.  t=2: S = 0.5*3 + 2*6, z = 0.5*1 + 2, q = 2.
    assert out == pytest.approx([3.0, 2 * 13.5 / (2 * 2.5)])


def test_a_norm_below_the_floor_is_raised_to_it():
    phi, v = torch.full((1, 1, 1, 1), 0.1), torch.full((1, 1, 1, 1), 2.0)
    one = torch.ones(1, 1, 1)
    assert rfa_parallel(phi, phi, v, one, one).item() == pytest.approx(0.01 * 2.0 / MIN_NORM)


@pytest.mark.parametrize("form", [rfa_chunked, rfa_recurrent])
def test_a_gate_of_zero_equals_the_parallel_form(form):
    window = random_window("none", "random", 30)
    keep = torch.ones_like(window.keep)
    keep[..., 10] = 0.0
    inputs = (*window.inputs[:3], keep, window.write)
    found, state = form(*inputs)
    assert relative_error(found, rfa_parallel(*inputs)) < 1e-10
    assert torch.isfinite(state.S).all()


def test_strong_gates_early_in_a_text_cost_no_precision_later():
    """The cumulative log keep falls to -1,800, too large for exact differences in float32."""
    torch.manual_seed(0)
    tokens = 1000
    phi_q, phi_k = torch.rand(2, 1, 1, tokens, 8)
    v, keep, write = (
        torch.randn(1, 1, tokens, 4),
        torch.ones(1, 1, tokens),
        torch.ones(1, 1, tokens),
    )
    keep[..., :600], keep[..., 600:] = 0.05, 0.999
    found, state = rfa_chunked(phi_q, phi_k, v, keep, write)
    exact, exact_state = rfa_recurrent(*(x.double() for x in (phi_q, phi_k, v, keep, write)))
    assert relative_error(state.S.double(), exact_state.S) < 3e-6
    assert relative_error(found[:, :, 600:].double(), exact[:, :, 600:]) < 1e-5


@pytest.mark.parametrize("form", [rfa_chunked, rfa_recurrent])
def test_no_tokens_give_no_output_and_keep_the_state(form):
    window = random_window("decay", "random", 8)
    _, past = rfa_chunked(*window.inputs)
    out, state = form(*window.cut(0, 0), past=past)
    assert out.shape == (3, H, 0, E)
    assert state is past
    _, empty = form(*window.cut(0, 0))
    assert not empty.S.any()


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_inputs_are_computed_in_float32(dtype):
    window = random_window("decay", "random", 70, torch.float32)
    half = [x.to(dtype) for x in window.inputs]
    with torch.autocast("cpu", torch.bfloat16):
        out = rfa_parallel(*half)
        chunked, state = rfa_chunked(*half)
    wanted = rfa_parallel(*(x.float() for x in half))
    assert out.dtype == chunked.dtype == state.S.dtype == torch.float32
    assert relative_error(out, wanted) < 1e-6
    assert relative_error(chunked, wanted) < 1e-5


class TestDispatch:
    def test_every_form_can_be_asked_for(self):
        window = random_window("decay", "random", 20)
        wanted, none = rfa_causal(*window.inputs, form="parallel")
        assert none is None
        for form in ("chunked", "recurrent"):
            found, state = rfa_causal(*window.inputs, form=form)
            assert relative_error(found, wanted) < 1e-10
            assert state is None

    def test_a_past_comes_back_as_the_new_past(self):
        window = random_window("decay", "random", 20)
        empty = RFAState.empty(3, H, window.phi_k.shape[-1], E, like=window.v)
        _, wanted = rfa_chunked(*window.inputs)
        _, state = rfa_causal(*window.inputs, past=empty)
        assert state is not None
        assert relative_error(state.S, wanted.S) < 1e-10

    def test_the_parallel_form_refuses_a_past(self):
        window = random_window("none", "random", 4)
        _, past = rfa_chunked(*window.inputs)
        with pytest.raises(ConfigError, match="carries no state"):
            rfa_causal(*window.inputs, past=past, form="parallel")


class TestBadShapes:
    def inputs(self) -> list[Tensor]:
        return [x.detach() for x in random_window("none", "random", 6).inputs]

    @pytest.mark.parametrize(
        ("which", "change", "words"),
        [
            (0, lambda x: x[0], "phi_q has shape .* must be"),
            (1, lambda x: x[:, :, :3], "phi_k has shape .* but phi_q has"),
            (2, lambda x: x[:, :, :3], "v has shape .* must start with"),
            (3, lambda x: x[:, :1], "keep has shape .* must be"),
            (4, lambda x: x[..., None], "write has shape .* must be"),
        ],
    )
    def test_mismatched_inputs_are_named(self, which, change, words):
        inputs = self.inputs()
        inputs[which] = change(inputs[which])
        for form in (rfa_parallel, rfa_chunked, rfa_recurrent):
            with pytest.raises(ShapeError, match=words):
                form(*inputs)

    def test_a_token_must_have_no_time_axis(self):
        with pytest.raises(ShapeError, match=r"\(B, H, D\)"):
            rfa_step(*self.inputs(), past=RFAState.empty(3, H, 24, E, like=torch.zeros(1)))

    def test_a_past_of_another_batch_is_refused(self):
        past = RFAState.empty(5, H, 24, E, like=torch.zeros(1))
        with pytest.raises(ShapeError, match="another batch"):
            rfa_chunked(*self.inputs(), past=past)

    def test_a_chunk_must_hold_a_token(self):
        with pytest.raises(ConfigError, match="chunk is 0"):
            rfa_chunked(*self.inputs(), chunk=0)
