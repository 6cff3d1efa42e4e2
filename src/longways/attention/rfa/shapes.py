"""Checks of the shapes of inputs that all causal forms share."""

from __future__ import annotations

from torch import Tensor

from longways.attention.state import RFAState
from longways.errors import ShapeError


def check_window(phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor) -> None:
    """Raise unless phi is (B, H, T, D), v (B, H, T, E), keep and write (B, H, T)."""
    _check("(B, H, T, D)", 4, phi_q, phi_k, v, keep, write)


def check_token(phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor) -> None:
    """Raise unless phi is (B, H, D), v (B, H, E), keep and write (B, H)."""
    _check("(B, H, D)", 3, phi_q, phi_k, v, keep, write)


def check_past(phi_k: Tensor, v: Tensor, past: RFAState) -> None:
    """Raise unless these keys and values can be added to the state `past`."""
    wanted = (*phi_k.shape[:2], phi_k.shape[-1], v.shape[-1])
    if past.S.shape != wanted or past.z.shape != wanted[:3]:
        raise ShapeError(
            f"The past has S of shape {_show(past.S)} and z of shape {_show(past.z)}, but these "
            f"keys and values need {wanted} and {wanted[:3]}: it is of another batch or layer."
        )


def _check(
    layout: str, rank: int, phi_q: Tensor, phi_k: Tensor, v: Tensor, keep: Tensor, write: Tensor
) -> None:
    if phi_q.ndim != rank:
        raise ShapeError(f"phi_q has shape {_show(phi_q)}, but it must be {layout}.")
    if phi_k.shape != phi_q.shape:
        raise ShapeError(
            f"phi_k has shape {_show(phi_k)}, but phi_q has {_show(phi_q)}: "
            "queries and keys of causal attention come from the same tokens."
        )
    lead = phi_q.shape[:-1]
    if v.ndim != rank or v.shape[:-1] != lead:
        raise ShapeError(
            f"v has shape {_show(v)}, but must start with {tuple(lead)} as phi_k does."
        )
    for name, gate in (("keep", keep), ("write", write)):
        if gate.shape != lead:
            raise ShapeError(
                f"{name} has shape {_show(gate)}, but must be {tuple(lead)}: "
                "one number for each head and token."
            )


def _show(tensor: Tensor) -> tuple[int, ...]:
    return tuple(tensor.shape)


def padded(size: int) -> int:
    """The next power of two, and at least 16, the smallest tile of tensor cores."""
    return max(16, 1 << (size - 1).bit_length())
