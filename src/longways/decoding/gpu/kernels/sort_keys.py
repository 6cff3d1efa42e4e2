"""Sort keys that pack a float and its index into one integer, for a fast argmax.

An argmax compares pairs of value and index: half a dozen instructions each. A 16-bit float and its
index fit into one 32-bit integer with the same order, in which the first of equal floats is the
greatest. A 32-bit float takes a 64-bit integer.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl


@triton.jit
def sort_key(x, index, SHIFT: tl.constexpr):
    """Key of the float x at an index below 2^SHIFT; for a 16-bit float SHIFT is at most 15."""
    if x.dtype.primitive_bitwidth == 16:
        bits = x.to(tl.int16, bitcast=True).to(tl.int32)
        bits = bits ^ ((bits >> 15) & 0x7FFF)  # negative floats are stored as magnitudes
        return (bits << SHIFT) + ((1 << SHIFT) - 1 - index)
    else:  # noqa: RET505 - Triton chooses the branch at compile time
        bits = x.to(tl.int32, bitcast=True).to(tl.int64)
        bits = bits ^ ((bits >> 31) & 0x7FFFFFFF)
        return (bits << SHIFT) + ((1 << SHIFT) - 1 - index)


@triton.jit
def value_and_index(key, dtype: tl.constexpr, SHIFT: tl.constexpr):
    """The value of a key, as float32, and its index."""
    bits, index = key >> SHIFT, ((1 << SHIFT) - 1) - (key & ((1 << SHIFT) - 1))
    if dtype.primitive_bitwidth == 16:
        bits = (bits ^ ((bits >> 15) & 0x7FFF)).to(tl.int16)
        return bits.to(dtype, bitcast=True).to(tl.float32), index.to(tl.int32)
    else:  # noqa: RET505 - Triton chooses the branch at compile time
        bits = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).to(tl.int32)
        return bits.to(tl.float32, bitcast=True), index.to(tl.int32)


@triton.jit
def remove_key(keys, key):
    """The keys, with `key` replaced by a value less than all others."""
    LEAST: tl.constexpr = -(2**31) if keys.dtype.primitive_bitwidth == 32 else -(2**62)
    return tl.where(keys == key, LEAST, keys)
