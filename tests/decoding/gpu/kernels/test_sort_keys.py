"""Sort keys have the order of their floats, and give back float and index."""

import pytest
import torch

BITS = {torch.bfloat16: torch.int16, torch.float16: torch.int16, torch.float32: torch.int32}


def many_floats(dtype):
    """All finite 16-bit floats, or many of 32 bits, and the infinities.

    Denormal numbers are left out: the interpreter widens those of bfloat16 to other numbers.
    """
    generator = torch.Generator().manual_seed(1)
    bits = torch.randint(-(2**31), 2**31, (2**16,), generator=generator)
    if BITS[dtype] == torch.int16:
        bits = torch.arange(-(2**15), 2**15)
    x = bits.to(BITS[dtype]).view(dtype)
    x = torch.where(x.isnan(), torch.tensor(float("-inf"), dtype=dtype), x)
    x = torch.where(x.abs() < torch.finfo(dtype).tiny, torch.zeros_like(x), x)
    return x[torch.randperm(len(x), generator=generator)]


def pack_and_unpack(x, shift):
    from tests.decoding.gpu import sort_key_kernel

    return sort_key_kernel.pack_and_unpack(x, shift)


@pytest.mark.parametrize("shift", [6, 15])
@pytest.mark.parametrize("dtype", list(BITS), ids=str)
def test_keys_have_the_order_of_their_floats_and_give_them_back(interpreted, dtype, shift):
    x = many_floats(dtype)
    keys, values, indices, removed = interpreted(pack_and_unpack, x, shift)
    wanted = torch.arange(len(x)) % 2**shift
    assert torch.equal(values, x.float())
    assert torch.equal(indices.long(), wanted)
    assert removed < keys.min()
    order = keys.argsort(descending=True)
    assert (values[order][1:] <= values[order][:-1]).all()
    same, later = x[order].view(BITS[dtype]).diff() == 0, wanted[order].diff()
    assert same.any()
    assert (later[same] >= 0).all()  # the first of equal floats has the greatest key
