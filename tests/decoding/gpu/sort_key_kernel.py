"""A kernel that packs floats into sort keys and unpacks them. This module needs Triton."""
# mypy: ignore-errors

import torch
import triton
import triton.language as tl

from longways.decoding.gpu.kernels.sort_keys import remove_key, sort_key, value_and_index


@triton.jit
def _pack_and_unpack(
    x_ptr, key_ptr, value_ptr, index_ptr, BLOCK: tl.constexpr, SHIFT: tl.constexpr
):  # fmt: skip
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    key = sort_key(x, at % (1 << SHIFT), SHIFT)
    value, index = value_and_index(key, x.dtype, SHIFT)
    tl.store(key_ptr + at, key.to(tl.int64))
    tl.store(value_ptr + at, value)
    tl.store(index_ptr + at, index)
    remaining = remove_key(key, tl.max(key, 0))
    tl.store(key_ptr + BLOCK, tl.min(remaining, 0).to(tl.int64))


def pack_and_unpack(
    x: torch.Tensor, shift: int
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]:
    """Keys, values and indices, and the key that replaces a removed one."""
    keys, values = torch.zeros(len(x) + 1, dtype=torch.int64), torch.zeros(len(x))
    indices = torch.zeros(len(x), dtype=torch.int32)
    _pack_and_unpack[(1,)](x, keys, values, indices, BLOCK=len(x), SHIFT=shift)
    return keys[:-1], values, indices, int(keys[-1])
