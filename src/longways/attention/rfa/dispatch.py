"""Which form of causal RFA to run, and why.

B batch, H heads, T tokens, D features, E head size.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Literal, NamedTuple

from torch import Tensor

from longways.attention.rfa.chunked import rfa_chunked
from longways.attention.rfa.parallel import rfa_parallel
from longways.attention.rfa.recurrent import rfa_recurrent
from longways.attention.state import RFAState
from longways.errors import ConfigError

Form = Literal["parallel", "chunked", "recurrent"]

PARALLEL_TOKENS = 192
"""The longest window for which T x T is the faster form in training, by `longways bench forms`."""

log = logging.getLogger(__name__)


class Choice(NamedTuple):
    """A form, and the reason it was chosen."""

    form: Form
    why: str


@cache
def choose_form(tokens: int, carries_state: bool) -> Choice:
    """The fastest form for windows of `tokens`, said once to the log for each kind of input."""
    choice = _choose(tokens, carries_state)
    log.info("causal RFA over %d tokens: %s form, %s", tokens, choice.form, choice.why)
    return choice


def _choose(tokens: int, carries_state: bool) -> Choice:
    if carries_state and tokens == 1:
        return Choice("recurrent", "one token read into a carried state")
    if carries_state:
        return Choice("chunked", "a state is carried in or out")
    if tokens <= PARALLEL_TOKENS:
        return Choice("parallel", f"at most {PARALLEL_TOKENS} tokens and no state to carry")
    return Choice("chunked", f"more than {PARALLEL_TOKENS} tokens: linear time")


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
    form = form or choose_form(phi_q.shape[2], past is not None).form
    if form == "parallel":
        if past is not None:
            raise ConfigError("The parallel form carries no state; ask for chunked or recurrent.")
        return rfa_parallel(phi_q, phi_k, v, keep, write), None
    attend = rfa_recurrent if form == "recurrent" else rfa_chunked
    out, state = attend(phi_q, phi_k, v, keep, write, past)
    return out, state if past is not None else None
