"""Causal attention of few rows as one Triton kernel: the norm, its product, the state and the read.

R rows (windows x beams), d model size, H heads, E head size, K features.

As in `triton_norm_cross`, a program takes a head of 16 rows for the product, and the states of some
of them, which are in its registers by then.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from longways.attention.config import GateName
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.triton_decode_causal import room
from longways.attention.rfa.triton_decode_kernels import gate_after
from longways.attention.rfa.triton_decode_map import FusedMap
from longways.attention.rfa.triton_remember import trained_features
from longways.attention.state import CausalRFAState
from longways.attention.triton_early import early, wait
from longways.errors import ShapeError
from longways.runtime.step_kernels import Linear
from longways.runtime.triton_linear import ROWS, normalised
from longways.runtime.triton_norm_cross import fits, own_rows

TAKEN = 8
"""Rows whose states a program holds."""

WARPS = 8

MOST_NUMBERS = 2048
"""Numbers of a head's state, of which a program can hold those of its rows."""


def serves(x: Tensor, fused: FusedMap, past: object) -> bool:
    """Whether the kernel takes these: few rows in half precision, a trained map that is small."""
    if not isinstance(past, CausalRFAState) or past.sums.S.shape[2] != fused.projections:
        return False
    return fits(x, fused, past.sums.S.shape[3], MOST_NUMBERS)


def norm_causal_fused(
    x: Tensor,
    norm: nn.LayerNorm,
    joint: Linear,
    fused: FusedMap,
    past: CausalRFAState,
    parents: Tensor | None,
    gate: tuple[GateName, Tensor],
    *,
    settled: bool = False,
) -> tuple[Tensor, Tensor, CausalRFAState]:
    """x (R, d) normalised, what causal attention finds (R, H E), and the state after this token.

    `joint` gives queries, keys, values and, if there is a gate, its logits, side by side. With the
    gate come separators (R,). The state is written in place where there are no parents; `settled`
    says that the kernel launched just before this one does not write these. The numbers are those
    of `norm_linear` and `decode_causal_fused`, rounded where they are.
    """
    _check(x, joint, fused, past, gate[0])
    rows, heads, features, head_dim = len(x), *past.sums.S.shape[1:]
    into = past if parents is None else room(past, rows)
    x, normed, out = x.contiguous(), torch.empty_like(x), x.new_empty(rows, heads * head_dim)
    norm_causal_kernel[(triton.cdiv(rows, ROWS), heads, ROWS // TAKEN)](
        x, norm.weight, norm.bias, joint.weight, joint.bias, gate[1].contiguous(),
        x if parents is None else parents.contiguous(),
        past.sums.S, past.sums.z, past.gate.keep, past.gate.write, normed, out,
        into.sums.S, into.sums.z, into.gate.keep, into.gate.write, rows, heads, norm.eps,
        MAP=fused.name, GATE=gate[0], SCALE=fused.scale, MIN_NORM=MIN_NORM,
        REORDERED=parents is not None, SETTLED=settled, D=x.shape[1], K=features, E=head_dim,
        ROWS=ROWS, TAKEN=TAKEN, num_warps=WARPS, **early(x),
    )  # fmt: skip
    return normed, out, into


def _check(x: Tensor, joint: Linear, fused: FusedMap, past: CausalRFAState, gate: str) -> None:
    _, heads, features, head_dim = past.sums.S.shape
    if not serves(x, fused, past):
        raise ShapeError(
            f"x {tuple(x.shape)} and a state {tuple(past.sums.S.shape)} of a {fused.name} map are "
            "not what this kernel takes; see `serves`."
        )
    wanted = heads * (2 * features + head_dim + (gate != "none"))
    if len(joint.weight) != wanted:
        raise ShapeError(
            f"The joint product has {len(joint.weight)} outputs, but {heads} heads of {features} "
            f"features and {head_dim} numbers take {wanted}."
        )


@triton.jit
def _queries_and_keys(
    u, part, MAP: tl.constexpr, SCALE: tl.constexpr, K: tl.constexpr, TAKEN: tl.constexpr
):  # fmt: skip
    """The features (TAKEN, K) of both, from their projections side by side (ROWS, 2 K)."""
    ROWS: tl.constexpr = u.shape[0]
    phi = trained_features(tl.reshape(u, (2 * ROWS, K)), tl.arange(0, K)[None, :] < K, MAP, SCALE)
    phi = tl.reshape(own_rows(tl.reshape(phi, (ROWS, 2 * K)), part, TAKEN), (TAKEN, 2, K))
    first = tl.arange(0, 2)[None, :, None] == 0
    return tl.sum(tl.where(first, phi, 0.0), 1), tl.sum(tl.where(first, 0.0, phi), 1)


@triton.jit(do_not_specialize=["R"])
def norm_causal_kernel(
    x_ptr, gain_ptr, shift_ptr, weight_ptr, bias_ptr, separator_ptr, parent_ptr,
    S_ptr, z_ptr, keep_ptr, write_ptr, normed_ptr, out_ptr,
    new_S_ptr, new_z_ptr, new_keep_ptr, new_write_ptr, R, H, epsilon,
    MAP: tl.constexpr, GATE: tl.constexpr, SCALE: tl.constexpr, MIN_NORM: tl.constexpr,
    REORDERED: tl.constexpr, SETTLED: tl.constexpr, D: tl.constexpr, K: tl.constexpr,
    E: tl.constexpr, ROWS: tl.constexpr, TAKEN: tl.constexpr, EARLY: tl.constexpr,
):  # fmt: skip
    """out (R, H, E) and the new state of some rows and one head."""
    h, part = tl.program_id(1), tl.program_id(2)
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    mine = tl.program_id(0) * ROWS + part * TAKEN + tl.arange(0, TAKEN)
    known = mine < R
    k, e, i, both = tl.arange(0, K), tl.arange(0, E), tl.arange(0, D), tl.arange(0, 2 * K)
    n = tl.where(both < K, h * K + both, (H - 1) * K + h * K + both)  # queries, then keys
    m = 2 * H * K + h * E + e
    weights = tl.load(weight_ptr + n[:, None] * D + i[None, :])
    values = tl.load(weight_ptr + m[:, None] * D + i[None, :])
    bias, value_bias = tl.load(bias_ptr + n).to(tl.float32), tl.load(bias_ptr + m).to(tl.float32)
    gain = tl.load(gain_ptr + i).to(tl.float32)[None, :]
    shift = tl.load(shift_ptr + i).to(tl.float32)[None, :]
    if not SETTLED:
        wait(EARLY)
    safe = tl.minimum(mine, R - 1)
    parent = tl.load(parent_ptr + safe) if REORDERED else safe
    from_ = parent.to(tl.int64) * H + h
    to = mine.to(tl.int64) * H + h
    keep, write = tl.load(keep_ptr + from_), tl.load(write_ptr + from_)
    tile = k[None, :, None] * E + e[None, None, :]
    S = tl.load(S_ptr + from_[:, None, None] * (K * E) + tile)
    z = tl.load(z_ptr + from_[:, None] * K + k[None, :])
    if GATE != "none":
        f = 2 * H * K + H * E + h
        closing = tl.load(weight_ptr + f * D + i).to(tl.float32)[None, :]
        closing_bias = tl.load(bias_ptr + f).to(tl.float32)
    place, real = r[:, None] * D + i[None, :], (r < R)[:, None]
    if SETTLED:
        wait(EARLY)
    x = tl.load(x_ptr + place, mask=real, other=0.0).to(tl.float32)
    normed = normalised(x, gain, shift, epsilon, D).to(x_ptr.dtype.element_ty)
    tl.store(normed_ptr + place, normed, mask=real & (h == 0) & (part == 0))
    u = tl.dot(normed, tl.trans(weights), input_precision="ieee") + bias[None, :]
    v = tl.dot(normed, tl.trans(values), input_precision="ieee") + value_bias[None, :]
    v = own_rows(v.to(x_ptr.dtype.element_ty).to(tl.float32), part, TAKEN)
    phi_q, phi_k = _queries_and_keys(
        u.to(x_ptr.dtype.element_ty).to(tl.float32), part, MAP, SCALE, K, TAKEN
    )
    phi_k *= write[:, None]
    S = keep[:, None, None] * S + phi_k[:, :, None] * v[:, None, :]
    z = keep[:, None] * z + phi_k
    read, norm = tl.sum(phi_q[:, :, None] * S, 1), tl.sum(phi_q * z, 1)
    out = (read / tl.maximum(norm, MIN_NORM)[:, None]).to(out_ptr.dtype.element_ty)
    tl.debug_barrier()  # warps that hold the same numbers must all have read them
    tl.store(out_ptr + (mine[:, None] * H + h) * E + e[None, :], out, mask=known[:, None])
    tl.store(new_S_ptr + to[:, None, None] * (K * E) + tile, S, mask=known[:, None, None])
    tl.store(new_z_ptr + to[:, None] * K + k[None, :], z, mask=known[:, None])
    if GATE != "none":
        logit = tl.sum(normed.to(tl.float32) * closing, 1) + closing_bias
        logit = tl.sum(own_rows(logit[:, None], part, TAKEN), 1).to(x_ptr.dtype.element_ty)
        ends = tl.load(separator_ptr + mine, mask=known, other=0) != 0
        keep, write = gate_after(write, logit, ends, GATE)
    tl.store(new_keep_ptr + to, keep, mask=known)
    tl.store(new_write_ptr + to, write, mask=known)
