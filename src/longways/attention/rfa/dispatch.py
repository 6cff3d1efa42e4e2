"""Which form of causal RFA to run, and why.

B batch, H heads, T tokens, D features, E head size.
"""

from __future__ import annotations

import logging
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from longways.attention.precision import kernels_serve
from longways.attention.rfa.chunked import CHUNK, rfa_chunked
from longways.attention.rfa.constants import MOST_FEATURES
from longways.attention.rfa.parallel import rfa_parallel
from longways.attention.rfa.recurrent import rfa_recurrent
from longways.attention.state import RFAState
from longways.errors import ConfigError

Form = Literal["parallel", "chunked", "recurrent", "triton"]

ONE_CHUNK = {"cpu": 128, "cuda": 256}
"""The longest window that trains fastest as a single chunk, by `longways bench forms`."""

CHUNKS = {"cpu": CHUNK, "cuda": 128}
"""The size of chunks for longer windows: a GPU likes fewer and larger ones."""

FUSED = 2048
"""The longest window for Triton's kernels: their time grows with its square."""

log = logging.getLogger(__name__)


class Choice(NamedTuple):
    """A form, the size of its chunks, and the reason it was chosen."""

    form: Form
    chunk: int
    why: str


_said: set[tuple[int, bool, str, bool]] = set()


def choose_form(
    tokens: int, carries_state: bool, device: str = "cpu", fused: bool = False
) -> Choice:
    """A form for windows of `tokens`, said once to the log for each kind of input.

    `fused` says that Triton's kernels could take the input. They carry no state.

    The parallel form is never chosen: a single chunk computes the same matrix, and its backward
    pass needs no T x T work for the gate. Run eagerly on a GPU, where launches count and not work,
    the parallel form is up to an eighth faster on short windows; it stays the reference.
    """
    choice = _choose(tokens, carries_state, device, fused)
    kind = tokens, carries_state, device, fused
    if not torch.compiler.is_compiling() and kind not in _said:
        _said.add(kind)
        log.info("causal RFA over %d tokens on %s: %s, %s", tokens, device, choice.form, choice.why)
    return choice


def _choose(tokens: int, carries_state: bool, device: str, fused: bool) -> Choice:
    if fused and not carries_state and tokens <= FUSED:
        return Choice("triton", 1, "fused kernels for half precision, no T x T matrix in memory")
    if carries_state and tokens == 1:
        return Choice("recurrent", 1, "one token read into a carried state")
    longest = ONE_CHUNK.get(device, CHUNK)
    if tokens <= longest:
        return Choice("chunked", longest, f"in one chunk, being at most {longest} long")
    chunk = CHUNKS.get(device, CHUNK)
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
    """Attend over a window in the chosen `form`, or in the one `choose_form` picks.

    With `past` (which may be empty) the new past is returned; without it the state is None, and
    the window is read on its own, as in training.
    """
    fused = kernels_serve(v) and max(phi_q.shape[-1], v.shape[-1]) <= MOST_FEATURES
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
