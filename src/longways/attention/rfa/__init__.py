"""Random feature attention: the equivalent causal forms (parallel, chunked, recurrent), cross."""

from longways.attention.rfa.chunked import rfa_chunked
from longways.attention.rfa.constants import FEATURE_SCALE, MIN_NORM
from longways.attention.rfa.cross import JointSums, key_weights, rfa_read, rfa_remember
from longways.attention.rfa.dispatch import choose_form, rfa_causal
from longways.attention.rfa.parallel import causal_weights, rfa_parallel
from longways.attention.rfa.recurrent import rfa_recurrent, rfa_step
from longways.attention.state import RFAState

__all__ = [
    "FEATURE_SCALE",
    "MIN_NORM",
    "JointSums",
    "RFAState",
    "causal_weights",
    "choose_form",
    "key_weights",
    "rfa_causal",
    "rfa_chunked",
    "rfa_parallel",
    "rfa_read",
    "rfa_recurrent",
    "rfa_remember",
    "rfa_step",
]
