"""Several decoding steps of causal RFA whose state is written once, after the last of them.

R rows (windows x beams), H heads, E head size, K projections, D features, J steps so far.

A step adds a single token to a state of D E numbers, and the step after it reads them all again.
So the tokens of a few steps are kept beside the state as they are, features and value, and each
step reads both: the state as it was before the first of them, and the tokens since. That is the
chunked form, one row at a time. The last step adds them all. A step then moves

    R H (4 D (E + 1) + J (4 D + size E))   bytes,

little more than half of what writing the state would take (see `triton_decode_causal`). Beams need
no state of their own until then: each remembers in which row its state lies, and in which rows the
tokens since, so that what has a common ancestor is shared.

This module needs Triton; nothing else in the package imports it unasked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.decode import GateInput
from longways.attention.rfa.recent import Recent
from longways.attention.rfa.shapes import padded
from longways.attention.rfa.triton_decode_causal import room
from longways.attention.rfa.triton_decode_map import FusedMap, check_head, check_map, in_rows
from longways.attention.rfa.triton_recent_kernel import causal_recent
from longways.attention.state import CausalRFAState
from longways.attention.triton_early import early
from longways.attention.triton_features_kernels import INTERPRETED
from longways.errors import ShapeError

TILE = 2048
"""Numbers of a state that one warp holds."""

MOST_WARPS = 8


def serves(past: CausalRFAState) -> bool:
    """Whether one warp can hold a head's state: a larger one is sooner written in every step."""
    return past.sums.S[0, 0].numel() <= TILE


def decode_recent_fused(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    phi: FusedMap,
    recent: Recent,
    parents: Tensor | None,
    gate: GateInput | None,
    *,
    settled: bool = False,
) -> tuple[Tensor, Recent]:
    """Read one token a row: the numbers of `decode_causal_fused` with a folded map.

    After the last of `most` steps the state is written, in place where there are no `parents`, and
    there are no recent tokens any more. Parents must be given in each of these steps or in none.
    """
    _check(q, k, v, phi, recent, parents)
    last = recent.count + 1 == recent.most
    into = _into(recent, parents is not None, last)
    out = torch.empty(v.shape, dtype=v.dtype, device=v.device)
    if out.numel():
        _launch(in_rows(q), in_rows(k), in_rows(v), phi, recent, parents, gate, into, out, settled)
    return out, into


def _into(recent: Recent, moved: bool, last: bool) -> Recent:
    """Where a step writes: to other rows than it reads from, if beams move."""
    past, count = recent.past, 0 if last else recent.count + 1
    if not moved:
        return replace(recent, count=count)
    if last:
        return replace(recent, past=room(past, len(past.sums.S)), count=count)
    gate = room(replace(past, sums=_nothing(past)), len(past.sums.S)).gate
    weights, places = torch.empty_like(recent.weights), torch.empty_like(recent.places)
    return replace(
        recent, weights=weights, places=places, past=replace(past, gate=gate), count=count
    )


def _nothing(past: CausalRFAState) -> Any:
    return replace(past.sums, S=past.sums.S[:, :0], z=past.sums.z[:, :0])


def _launch(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    phi: FusedMap,
    recent: Recent,
    parents: Tensor | None,
    gate: GateInput | None,
    into: Recent,
    out: Tensor,
    settled: bool,
) -> None:
    """Where there are no parents or no gate, another pointer stands in that is never followed."""
    past, new = recent.past, into.past
    logits = past.gate.keep if gate is None else in_rows(gate.logits)
    separators = past.gate.keep if gate is None else gate.separators.contiguous()
    causal_recent[(q.shape[0] * q.shape[1],)](
        q, k, v, phi.numbers(q), q if parents is None else parents.contiguous(),
        logits, separators, past.sums.S, past.sums.z, past.gate.keep, past.gate.write,
        recent.features, recent.values, recent.weights, recent.places, out,
        new.sums.S, new.sums.z, new.gate.keep, new.gate.write, into.weights, into.places,
        *(step for x in (q, k, v) for step in x.stride()[:2]), logits.stride(0), q.shape[1],
        recent.count, **_sizes(v, phi, recent), GATE="none" if gate is None else gate.gate,
        REORDERED=parents is not None, SETTLED=settled, **early(q),
    )  # fmt: skip


def _sizes(v: Tensor, phi: FusedMap, recent: Recent) -> dict[str, Any]:
    """What the kernel is compiled for."""
    head, features = padded(v.shape[-1]), recent.features.shape[-1]
    return phi.constants | {
        "FAST": v.dtype != torch.float32 and not INTERPRETED,
        "MIN_NORM": MIN_NORM,
        "E": v.shape[-1],
        "PADDED_E": head,
        "MOST": recent.most,
        "PADDED_J": 1 << (recent.most - 1).bit_length(),
        "LAST": recent.count + 1 == recent.most,
        "num_warps": max(1, min(MOST_WARPS, features * head // TILE)),
    }


def _check(
    q: Tensor, k: Tensor, v: Tensor, phi: FusedMap, recent: Recent, parents: Tensor | None
) -> None:
    check_map(q, "(R, H, N)", phi, v.shape[-1])
    check_head(v.shape[-1])
    wanted = *v.shape[:2], phi.features, v.shape[-1]
    if recent.past.sums.S.shape != wanted or k.shape != q.shape:
        raise ShapeError(
            f"The state has shape {tuple(recent.past.sums.S.shape)}, q {tuple(q.shape)} and k "
            f"{tuple(k.shape)}, but beside this v the state must be {wanted}, and q like k."
        )
    if parents is not None and parents.shape != (len(v),):
        raise ShapeError(f"parents has shape {tuple(parents.shape)}, but must be ({len(v)},).")
