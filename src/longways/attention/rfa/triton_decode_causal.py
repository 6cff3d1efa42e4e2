"""One decoding step of causal RFA as one Triton kernel, the move to the parents' states included.

R rows (windows x beams), H heads, E head size, K projections, D features.

The floor. Whatever the kernel, a step reads the parents' S and z and writes the new ones, in
float32, and reads q, k and v and writes out, of `size` bytes a number:

    R H (8 D (E + 1) + (2 N + 2 E) size)   bytes,

gates aside; N is K, or K + E. At D = E = 64 that is 33 KB a row and head, nearly all of it the
state: a beam search that first copies the states of its survivors moves twice as much.

This module needs Triton; nothing else in the package imports it unasked.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from longways.attention.features import FeatureMap
from longways.attention.rfa.constants import MIN_NORM
from longways.attention.rfa.decode import GateInput
from longways.attention.rfa.shapes import padded
from longways.attention.rfa.triton_decode_kernels import causal_decode
from longways.attention.rfa.triton_decode_map import (
    FusedMap,
    check_head,
    check_map,
    fused_inputs,
    in_rows,
)
from longways.attention.state import CausalRFAState, GateState, RFAState
from longways.attention.triton_early import early
from longways.attention.triton_features_kernels import INTERPRETED
from longways.errors import ShapeError

TILE = 2048
"""Numbers of S that a program holds at once."""

WARPS = 1
"""A single one has nothing to wait for; in a step of 96 rows it was faster than two or four."""


def decode_causal_fused(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    phi: FeatureMap | FusedMap,
    W: Tensor | None,
    past: CausalRFAState,
    parents: Tensor | None = None,
    gate: GateInput | None = None,
    into: CausalRFAState | None = None,
    *,
    settled: bool = False,
) -> tuple[Tensor, CausalRFAState]:
    """Read one token a row into the state of its parent: the same numbers as `decode_causal`.

    q, k and v (R, H, E), views or not, in float32 or half precision; out (R, H, E) is contiguous
    and in the precision of v. For `phi` may stand what `fused_map` made of it, without W; then q
    and k are what `attention.folding` makes of them.

    States are float32. The new one is written `into` a state of R rows and returned, so that two
    buffers (see `room`) serve a whole translation in turns; without `into` it is allocated. It may
    be `past` itself only without `parents`: rows would overwrite states that others still have to
    read. Parents outside `past` read memory that is not theirs: nobody checks, since that would
    have to wait for the device. `settled` says that a kernel has called late (`triton_early`) since
    `past` and `parents` were written, so that they may be read before the one ahead of this has
    ended. There are no gradients.
    """
    fused, (q, k) = fused_inputs(phi, W, q, k)
    check_map(q, "(R, H, N)", fused, v.shape[-1])
    check_head(v.shape[-1])
    into = room(past, len(q)) if into is None else into
    _check(q, k, v, fused, past, parents, gate, into)
    out = torch.empty(v.shape, dtype=v.dtype, device=v.device)
    if out.numel():
        _launch(in_rows(q), in_rows(k), in_rows(v), fused, past, parents, gate, into, out, settled)
    return out, into


def room(past: CausalRFAState, rows: int) -> CausalRFAState:
    """A state like `past`, of `rows` rows, that waits to be written `into`."""
    S, z, keep, write = (x.new_empty(rows, *x.shape[1:]) for x in _tensors(past))
    return CausalRFAState(RFAState(S, z), GateState(keep, write))


def _launch(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    fused: FusedMap,
    past: CausalRFAState,
    parents: Tensor | None,
    gate: GateInput | None,
    into: CausalRFAState,
    out: Tensor,
    settled: bool,
) -> None:
    """Where there are no parents or no gate, another pointer stands in that is never followed."""
    logits = past.gate.keep if gate is None else in_rows(gate.logits)
    separators = past.gate.keep if gate is None else gate.separators.contiguous()
    causal_decode[(q.shape[0] * q.shape[1],)](
        q, k, v, fused.numbers(q),
        q if parents is None else parents.contiguous(), logits, separators,
        *(x.contiguous() for x in _tensors(past)), out, *_tensors(into),
        *(step for x in (q, k, v) for step in x.stride()[:2]), logits.stride(0), q.shape[1],
        **_sizes(v, fused, parents, gate), IN_PLACE=_same(into, past), SETTLED=settled, **early(q),
    )  # fmt: skip


def _sizes(
    v: Tensor, fused: FusedMap, parents: Tensor | None, gate: GateInput | None
) -> dict[str, Any]:
    """What the kernel is compiled for."""
    head = padded(v.shape[-1])
    return fused.constants | {
        "GATE": "none" if gate is None else gate.gate,
        "REORDERED": parents is not None,
        "FAST": v.dtype != torch.float32 and not INTERPRETED,
        "MIN_NORM": MIN_NORM,
        "E": v.shape[-1],
        "PADDED_E": head,
        "BLOCK_K": min(padded(fused.projections), TILE // head),
        "num_warps": WARPS,
    }


def _tensors(state: CausalRFAState) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    return state.sums.S, state.sums.z, state.gate.keep, state.gate.write


def _shapes(gate: GateInput) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(gate.logits.shape), tuple(gate.separators.shape)


def _check(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    fused: FusedMap,
    past: CausalRFAState,
    parents: Tensor | None,
    gate: GateInput | None,
    into: CausalRFAState,
) -> None:
    rows, heads, head_dim = v.shape
    wanted = rows, heads, fused.inputs(head_dim)
    if k.shape != q.shape or q.shape != wanted:
        raise ShapeError(
            f"q, k and v have shapes {tuple(q.shape)}, {tuple(k.shape)} and {tuple(v.shape)}, "
            f"but beside this v, q and k must have {tuple(wanted)}: the heads of one token in each "
            "row."
        )
    if parents is not None and (parents.shape != (rows,) or parents.is_floating_point()):
        raise ShapeError(
            f"parents has shape {tuple(parents.shape)} in {parents.dtype}, but must be ({rows},) "
            "in integers: a row of the past for each row of q."
        )
    if gate is not None and _shapes(gate) != ((rows, heads), (rows,)):
        raise ShapeError(
            f"The gate has logits of shape {tuple(gate.logits.shape)} and separators of "
            f"{tuple(gate.separators.shape)}, but they must be {(rows, heads)} and ({rows},)."
        )
    read = past.sums.S.shape[0] if parents is not None else rows
    sizes = heads, fused.features, head_dim
    _check_state("past", past, read, sizes)
    _check_state("into", into, rows, sizes)
    _check_buffers(past, parents, into)


def _same(into: CausalRFAState, past: CausalRFAState) -> bool:
    return into.sums.S.data_ptr() == past.sums.S.data_ptr()


def _check_buffers(past: CausalRFAState, parents: Tensor | None, into: CausalRFAState) -> None:
    if parents is not None and len(parents) and _same(into, past):
        raise ShapeError(
            "The new state would overwrite the past while parents are still read from it; "
            "give `into` another buffer, or none."
        )
    if not all(x.is_contiguous() for x in _tensors(into)):
        raise ShapeError("`into` is a view with gaps; make the buffer with `room`.")
    if len(into.gate.keep) and into.gate.keep.data_ptr() == into.gate.write.data_ptr():
        raise ShapeError(
            "keep and write of `into` are one tensor, as those of a gate that is still open may "
            "be, but both are written; make the buffer with `room`."
        )


def _check_state(name: str, state: CausalRFAState, rows: int, sizes: tuple[int, int, int]) -> None:
    """Float32, and of the shape that these rows, heads, features and sizes need."""
    S, tensors = (rows, *sizes), _tensors(state)
    wanted = (S, S[:3], S[:2], S[:2])
    if tuple(tuple(x.shape) for x in tensors) != wanted:
        raise ShapeError(
            f"`{name}` has S of shape {tuple(state.sums.S.shape)} and gates of "
            f"{tuple(state.gate.keep.shape)}, but these rows need {S} and {S[:2]}: "
            "it is of another batch or layer."
        )
    if any(x.dtype != torch.float32 for x in tensors):
        raise ShapeError(
            f"`{name}` has S in {state.sums.S.dtype}, but the kernels keep states in float32."
        )
