"""The kernels of attention to ranges equal masked softmax attention; here they are interpreted."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from longways.attention.ranges import Ranges, range_attention
from longways.errors import ShapeError
from tests.compiling import compiled


def inputs(
    lengths: list[list[int]], kind: str, head_dim: int = 8, dtype: torch.dtype = torch.float32
) -> tuple[Tensor, Tensor, Tensor, Ranges]:
    """Windows of sentences with these lengths; queries read their sentence or its beginning."""
    torch.manual_seed(0)
    keys = max(map(sum, lengths))
    rows = []
    for window in lengths:
        ends = torch.tensor(window).cumsum(0)
        group = torch.searchsorted(ends, torch.arange(keys), right=True).clamp_max(len(window) - 1)
        first, after = (ends - torch.tensor(window))[group], ends[group]
        if kind == "causal":
            after = torch.minimum(after, torch.arange(keys) + 1)
        if kind == "cross":  # three queries a sentence, whatever its length
            each = torch.arange(len(window)).repeat_interleave(3)
            first, after = (ends - torch.tensor(window))[each], ends[each]
        rows.append((first, after))
    first, after = (torch.stack(side) for side in zip(*rows, strict=True))
    shape = len(lengths), 2
    q = torch.randn(*shape, first.shape[1], head_dim, dtype=dtype)
    k, v = torch.randn(2, *shape, keys, head_dim).to(dtype)
    return q, k, v, Ranges(first, after)


def errors(
    lengths: list[list[int]],
    kind: str,
    head_dim: int = 8,
    dtype: torch.dtype = torch.float32,
    device: str = "cpu",
) -> dict[str, float]:
    """The largest differences of values and gradients, relative to the largest number."""
    from longways.attention.kernels.ranges import range_attention_fused

    *tensors, (first, after) = inputs(lengths, kind, head_dim, dtype)
    tensors, ranges = [x.to(device) for x in tensors], Ranges(first.to(device), after.to(device))
    weights = torch.randn_like(tensors[0])
    found, wanted = (
        _with_gradients(form, [x.to(number) for x in tensors], ranges, weights.to(number))
        for form, number in (
            (_fused(range_attention_fused), dtype),
            (range_attention, torch.float64),
        )
    )
    names = "out", "q", "k", "v"
    return {
        name: float((one - other).abs().max() / other.abs().max().clamp_min(1))
        for name, one, other in zip(names, found, wanted, strict=True)
    }


def _fused(kernel):
    return lambda q, k, v, ranges: kernel(q, k, v, *ranges)


def _with_gradients(form, tensors: list[Tensor], ranges: Ranges, weights: Tensor) -> list[Tensor]:
    leaves = [x.detach().requires_grad_() for x in tensors]
    out = form(*leaves, ranges)
    (out * weights).sum().backward()
    return [out.detach(), *(leaf.grad for leaf in leaves)]


@pytest.mark.parametrize("kind", ["self", "causal", "cross"])
@pytest.mark.parametrize(
    "lengths", [[[1]], [[5, 3, 1]], [[33, 2, 40, 1], [20, 20, 20, 16]], [[70], [70]]]
)
def test_values_and_gradients_equal_masked_attention(interpreted, lengths, kind):
    found = interpreted(errors, lengths, kind)
    assert max(found.values()) < 1e-5, found


def test_half_precision_is_summed_in_float32(interpreted):
    found = interpreted(errors, [[30, 12], [7, 35]], "self", 16, torch.float16)
    assert max(found.values()) < 4e-3, found


@pytest.mark.parametrize("head_dim", [1, 20, 64])
def test_heads_need_not_be_powers_of_two(interpreted, head_dim):
    found = interpreted(errors, [[9, 30]], "causal", head_dim)
    assert max(found.values()) < 1e-5, found


def of_empty_ranges() -> tuple[list[Tensor], Tensor]:
    from longways.attention.kernels.ranges import range_attention_fused

    q, k, v = torch.randn(3, 1, 2, 40, 8)
    first, after = torch.zeros(2, 1, 40, dtype=torch.long)
    after[0, 4:], first[0, 8:] = (
        8,
        8,
    )  # the first four queries and all after the eighth read nothing
    ranges = Ranges(first, after)
    found = _with_gradients(_fused(range_attention_fused), [q, k, v], ranges, torch.ones_like(q))
    wanted = range_attention(
        q[:, :, 4:8], k[:, :, :8], v[:, :, :8], Ranges(first[:, :4], after[:, 4:8])
    )
    return found, wanted


def test_queries_without_keys_give_zeros_and_no_gradients(interpreted):
    (out, dq, dk, dv), wanted = interpreted(of_empty_ranges)
    torch.testing.assert_close(out[:, :, 4:8], wanted)
    for unread in (out[:, :, :4], out[:, :, 8:], dq[:, :, :4], dq[:, :, 8:], dk[:, :, 8:]):
        assert not unread.any()
    assert dv[:, :, :8].any()
    assert not dv[:, :, 8:].any()


def of_views() -> list[float]:
    """Heads that are part of a larger tensor, and heads after tokens in memory."""
    from longways.attention.kernels.ranges import range_attention_fused

    *tensors, ranges = inputs([[20, 15]], "self")
    wanted = range_attention(*tensors, ranges)
    parts = [torch.cat([x, x], 1)[:, :2] for x in tensors]
    turned = [x.transpose(1, 2).contiguous().transpose(1, 2) for x in tensors]
    found = [range_attention_fused(*views, *ranges) for views in (parts, turned)]
    return [float((one - wanted).abs().max()) for one in found]


def test_inputs_may_be_views(interpreted):
    assert max(interpreted(of_views)) < 1e-5


def test_heads_that_are_too_large_are_refused():
    from longways.attention.kernels.ranges import range_attention_fused

    q, k, v = torch.zeros(3, 1, 1, 2, 300)
    with pytest.raises(ShapeError, match="head size of 300"):
        range_attention_fused(q, k, v, *torch.zeros(2, 1, 2, dtype=torch.long))


@pytest.mark.parametrize(("tokens", "head_dim"), [(3, 16), (200, 64), (700, 128)])
def test_kernels_compile(tokens, head_dim, monkeypatch):
    from longways.attention.kernels.ranges import range_attention_fused

    q, k, v = torch.zeros(3, 2, 4, tokens, head_dim, dtype=torch.bfloat16)
    q, k, v = (x.requires_grad_() for x in (q, k, v))
    first, after = torch.zeros(2, 2, tokens, dtype=torch.long)
    with compiled(monkeypatch) as names:
        range_attention_fused(q, k, v, first, after).sum().backward()
    assert names == ["range_forward", "range_backward_queries", "range_backward_keys"]
