"""Softmax attention as one fused operator.

B batch, H heads, T queries, N keys, E head size, d = H E.
"""

from __future__ import annotations

from collections.abc import Sequence

from longways.export.graph_builder import Graph, Value

_MASKED = -1e9
"""Added to the score of a key that is padding."""


def softmax_attention(
    graph: Graph,
    heads: int,
    q: Value,
    k: Value,
    v: Value,
    real: Value,
    cache: Sequence[Value] = (),
) -> list[Value]:
    """Attend from q (B, T, d) to the keys that `real` marks: lengths (B,), or 1s in (B, N).

    Keys and values are (B, N, d), or (B, H, N, E). Those of a cache (B, H, past, E) come first, a
    query then sees no later key, and the new cache comes back too.
    """
    return graph.ops(
        "MultiHeadAttention",
        *(q, k, v, "", real, "", *cache),
        count=3 if cache else 1,
        num_heads=heads,
        unidirectional=int(bool(cache)),
        mask_filter_value=_MASKED,
    )
