"""Keys made of numbers, and what they hold. This module needs Triton."""
# mypy: ignore-errors

import torch
import triton
import triton.language as tl

from longways.decoding.gpu.kernels.sort_keys import ordered, taken_apart, without


@triton.jit
def _both_ways(
    x_ptr, key_ptr, value_ptr, place_ptr, BLOCK: tl.constexpr, SHIFT: tl.constexpr
):  # fmt: skip
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    key = ordered(x, at % (1 << SHIFT), SHIFT)
    value, place = taken_apart(key, x.dtype, SHIFT)
    tl.store(key_ptr + at, key.to(tl.int64))
    tl.store(value_ptr + at, value)
    tl.store(place_ptr + at, place)
    left = without(key, tl.max(key, 0))
    tl.store(key_ptr + BLOCK, tl.min(left, 0).to(tl.int64))


def keys_and_back(
    x: torch.Tensor, shift: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]:
    """Keys, numbers and places, and the key of one that was taken out."""
    keys, values = torch.zeros(len(x) + 1, dtype=torch.int64), torch.zeros(len(x))
    places = torch.zeros(len(x), dtype=torch.int32)
    _both_ways[(1,)](x, keys, values, places, BLOCK=len(x), SHIFT=shift)
    return keys[:-1], values, places, int(keys[-1])
