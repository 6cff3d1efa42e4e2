"""Attention layers: the projections around each kind of attention, and nothing else."""

from longways.attention.layers.causal import CausalAttention, CausalRFA, CausalSoftmax
from longways.attention.layers.cross import CrossAttention, CrossMemory, CrossRFA, CrossSoftmax
from longways.attention.layers.projections import SelfAttention

__all__ = [
    "CausalAttention",
    "CausalRFA",
    "CausalSoftmax",
    "CrossAttention",
    "CrossMemory",
    "CrossRFA",
    "CrossSoftmax",
    "SelfAttention",
]
