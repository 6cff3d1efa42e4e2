"""Keys are ordered as the numbers that they hold, and give them back with their places."""

import pytest
import torch

BITS = {torch.bfloat16: torch.int16, torch.float16: torch.int16, torch.float32: torch.int32}


def some_numbers(dtype):
    """All finite numbers of 16 bits, or many of 32, and the infinities.

    The interpreter widens the least of bfloat16 to other numbers; they are left out.
    """
    generator = torch.Generator().manual_seed(1)
    bits = torch.randint(-(2**31), 2**31, (2**16,), generator=generator)
    if BITS[dtype] == torch.int16:
        bits = torch.arange(-(2**15), 2**15)
    x = bits.to(BITS[dtype]).view(dtype)
    x = torch.where(x.isnan(), torch.tensor(float("-inf"), dtype=dtype), x)
    x = torch.where(x.abs() < torch.finfo(dtype).tiny, torch.zeros_like(x), x)
    return x[torch.randperm(len(x), generator=generator)]


def keys_and_back(x, shift):
    from tests.decoding.gpu import keys

    return keys.keys_and_back(x, shift)


@pytest.mark.parametrize("shift", [6, 15])
@pytest.mark.parametrize("dtype", list(BITS), ids=str)
def test_they_are_ordered_as_the_numbers_and_give_them_back(interpreted, dtype, shift):
    x = some_numbers(dtype)
    keys, values, places, least = interpreted(keys_and_back, x, shift)
    wanted = torch.arange(len(x)) % 2**shift
    assert torch.equal(values, x.float())
    assert torch.equal(places.long(), wanted)
    assert least < keys.min()
    order = keys.argsort(descending=True)
    assert (values[order][1:] <= values[order][:-1]).all()
    same, later = x[order].view(BITS[dtype]).diff() == 0, wanted[order].diff()
    assert same.any()
    assert (later[same] >= 0).all()  # of equals the first is the greatest
