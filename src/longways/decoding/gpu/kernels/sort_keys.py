"""Numbers and their places in one integer, so that the greatest of them is found by integers alone.

To find the greatest of many numbers and where it stands, a kernel compares pairs: half a dozen
instructions for each. A number of 16 bits and its place fit into one integer whose order is that of
the numbers, and of equal ones the first is the greater. Numbers of 32 bits take integers of 64.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

import triton
import triton.language as tl


@triton.jit
def ordered(x, place, SHIFT: tl.constexpr):
    """A key for each number x at a place below 2^SHIFT; of a 16-bit number SHIFT is at most 15."""
    if x.dtype.primitive_bitwidth == 16:
        bits = x.to(tl.int16, bitcast=True).to(tl.int32)
        bits = bits ^ ((bits >> 15) & 0x7FFF)  # negative numbers are written as magnitudes
        return (bits << SHIFT) + ((1 << SHIFT) - 1 - place)
    else:  # noqa: RET505 - Triton decides at compile time which branch there is
        bits = x.to(tl.int32, bitcast=True).to(tl.int64)
        bits = bits ^ ((bits >> 31) & 0x7FFFFFFF)
        return (bits << SHIFT) + ((1 << SHIFT) - 1 - place)


@triton.jit
def taken_apart(key, dtype: tl.constexpr, SHIFT: tl.constexpr):
    """The number of a key as float32, and its place."""
    bits, place = key >> SHIFT, ((1 << SHIFT) - 1) - (key & ((1 << SHIFT) - 1))
    if dtype.primitive_bitwidth == 16:
        bits = (bits ^ ((bits >> 15) & 0x7FFF)).to(tl.int16)
        return bits.to(dtype, bitcast=True).to(tl.float32), place.to(tl.int32)
    else:  # noqa: RET505 - Triton decides at compile time which branch there is
        bits = (bits ^ ((bits >> 31) & 0x7FFFFFFF)).to(tl.int32)
        return bits.to(tl.float32, bitcast=True), place.to(tl.int32)


@triton.jit
def without(keys, key):
    """All keys but one, which is now less than every other."""
    LEAST: tl.constexpr = -(2**31) if keys.dtype.primitive_bitwidth == 32 else -(2**62)
    return tl.where(keys == key, LEAST, keys)
