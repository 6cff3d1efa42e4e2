"""Whether int8 matmuls overflow on this processor.

Without VNNI, x86 processors add pairs of uint8 x int8 products in 16 bits with saturation. ONNX
Runtime has an exact mode, at half the speed, which must be enabled.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

MATMUL_GRAPH = (
    b"\x08\n:=\n\x18\n\x01a\n\x01b\x12\x01c"
    b'"\rMatMulInteger\x12\x00Z\t\n\x01a\x12\x04\n\x02\x08\x02Z\t\n\x01b\x12\x04\n\x02\x08\x03'
    b"b\t\n\x01c\x12\x04\n\x02\x08\x06B\x04\n\x00\x10\x15"
)
"""A serialised ONNX graph with one operator: uint8 `a` times int8 `b` is int32 `c`."""

_INNER_DIM = 64


@cache
def saturates(onnxruntime: Any) -> bool:
    """Whether a matmul of the largest uint8 and int8 values gives a wrong result."""
    session = onnxruntime.InferenceSession(MATMUL_GRAPH, providers=["CPUExecutionProvider"])
    a = np.full((4, _INNER_DIM), 255, dtype=np.uint8)
    b = np.full((_INNER_DIM, 16), 127, dtype=np.int8)
    (found,) = session.run(None, {"a": a, "b": b})
    return bool((found != 255 * 127 * _INNER_DIM).any())
