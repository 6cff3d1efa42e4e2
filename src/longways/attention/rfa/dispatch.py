"""Choose and run a form of causal RFA.

B batch, H heads, T tokens, D features, E head size.
"""

from __future__ import annotations

import logging
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from longways.attention.precision import kernels_serve
from longways.attention.rfa.chunked import CHUNK, rfa_chunked
from longways.attention.rfa.constants import MAX_FUSED_FEATURES
from longways.attention.rfa.parallel import rfa_parallel
from longways.attention.rfa.recurrent import rfa_recurrent
from longways.attention.state import RFAState
from longways.errors import ConfigError

Form = Literal["parallel", "chunked", "recurrent", "triton"]

SINGLE_CHUNK_MAX_TOKENS = {"cpu": 128, "cuda": 256}
"""Longest window that trains fastest as one chunk, measured by `python -m benchmarks forms`."""

CHUNK_TOKENS = {"cpu": CHUNK, "cuda": 128}
"""Chunk size for longer windows; on a GPU fewer and larger chunks are faster."""

TRITON_MAX_TOKENS = 2048
"""Longest window for the Triton kernels, whose time grows with its square."""

log = logging.getLogger(__name__)


class Choice(NamedTuple):
    """A form, its chunk size in tokens, and the reason for the choice."""

    form: Form
    chunk: int
    reason: str


_logged: set[tuple[int, bool, str, bool]] = set()


def choose_form(
    tokens: int, carries_state: bool, device: str = "cpu", fused: bool = False
) -> Choice:
    """The form for windows of `tokens`; each choice is logged once.

    `fused` says that the Triton kernels support the input. They carry no state.

    The parallel form is never chosen: one chunk computes the same matrix, and its backward pass
    needs no T x T matrix for the gate. Without torch.compile on a GPU, where kernel launches
    dominate, the parallel form is up to an eighth faster for short windows, but it stays the
    reference only.
    """
    choice = _choose(tokens, carries_state, device, fused)
    key = tokens, carries_state, device, fused
    if not torch.compiler.is_compiling() and key not in _logged:
        _logged.add(key)
        message = "causal RFA over %d tokens on %s: %s, %s"
        log.info(message, tokens, device, choice.form, choice.reason)
    return choice


def _choose(tokens: int, carries_state: bool, device: str, fused: bool) -> Choice:
    if fused and not carries_state and tokens <= TRITON_MAX_TOKENS:
        return Choice("triton", 1, "fused kernels for half precision, no T x T matrix in memory")
    if carries_state and tokens == 1:
        return Choice("recurrent", 1, "one token read into a carried state")
    limit = SINGLE_CHUNK_MAX_TOKENS.get(device, CHUNK)
    if tokens <= limit:
        return Choice("chunked", limit, f"in one chunk of at most {limit} tokens")
    chunk = CHUNK_TOKENS.get(device, CHUNK)
    return Choice("chunked", chunk, f"in chunks of {chunk}: linear time")


def rfa_causal(
    phi_q: Tensor,
    phi_k: Tensor,
    v: Tensor,
    keep: Tensor,
    write: Tensor,
    past: RFAState | None = None,
    form: Form | None = None,
) -> tuple[Tensor, RFAState | None]:
    """Attend over a window in the given `form`, or in the form that `choose_form` returns.

    With `past` (which may be empty) the new state is returned. Without it the window has no past,
    as in training, and the returned state is None.
    """
    fused = kernels_serve(v) and max(phi_q.shape[-1], v.shape[-1]) <= MAX_FUSED_FEATURES
    choice = choose_form(v.shape[2], past is not None, v.device.type, fused)
    form = form or choice.form
    if form == "triton":
        from longways.attention.kernels.causal import rfa_triton

        phi_q, phi_k = phi_q.to(v.dtype), phi_k.to(v.dtype)
        return rfa_triton(phi_q, phi_k, v, keep, write), None
    if form == "parallel":
        if past is not None:
            raise ConfigError("The parallel form carries no state; ask for chunked or recurrent.")
        return rfa_parallel(phi_q, phi_k, v, keep, write), None
    if form == "recurrent":
        out, state = rfa_recurrent(phi_q, phi_k, v, keep, write, past)
    else:
        out, state = rfa_chunked(phi_q, phi_k, v, keep, write, past, choice.chunk)
    return out, state if past is not None else None
