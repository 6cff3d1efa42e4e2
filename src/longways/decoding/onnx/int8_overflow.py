"""Whether this processor's products of 8-bit numbers are exact.

Without VNNI, x86 processors add two products of an unsigned and a signed number in 16 bits, and cut
off what does not fit. ONNX Runtime can avoid it, at half the speed, if it is told to.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

PRODUCT = (
    b"\x08\n:=\n\x18\n\x01a\n\x01b\x12\x01c"
    b'"\rMatMulInteger\x12\x00Z\t\n\x01a\x12\x04\n\x02\x08\x02Z\t\n\x01b\x12\x04\n\x02\x08\x03'
    b"b\t\n\x01c\x12\x04\n\x02\x08\x06B\x04\n\x00\x10\x15"
)
"""An ONNX graph of one operator: uint8 `a` times int8 `b` is int32 `c`."""

_INNER = 64


@cache
def saturates(runtime: Any) -> bool:
    """Whether the largest numbers of all have a product that is cut off."""
    session = runtime.InferenceSession(PRODUCT, providers=["CPUExecutionProvider"])
    a, b = np.full((4, _INNER), 255, dtype=np.uint8), np.full((_INNER, 16), 127, dtype=np.int8)
    (found,) = session.run(None, {"a": a, "b": b})
    return bool((found != 255 * 127 * _INNER).any())
