"""Softmax attention in exported graphs, as one fused operator.

B batch, H heads, T queries, N keys, E head size, d = H E.
"""

from __future__ import annotations

from collections.abc import Sequence

from longways.export.graph_builder import Graph, Value

_PADDING_SCORE = -1e9
"""The score that is added to keys of padding."""


def softmax_attention(
    graph: Graph,
    heads: int,
    q: Value,
    k: Value,
    v: Value,
    real: Value,
    cache: Sequence[Value] = (),
) -> list[Value]:
    """Attend from q (B, T, d) to keys and values, which are (B, N, d) or (B, H, N, E).

    `real` marks keys that are not padding, by lengths (B,) or by 1 in (B, N). With a cache
    (B, H, past, E), attention is causal, cached keys come first, and the new cache is returned too.
    """
    return graph.ops(
        "MultiHeadAttention",
        *(q, k, v, "", real, "", *cache),
        count=3 if cache else 1,
        num_heads=heads,
        unidirectional=int(bool(cache)),
        mask_filter_value=_PADDING_SCORE,
    )
