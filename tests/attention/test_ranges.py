"""Attention to ranges: the ranges of sentences, and the plain form."""

import pytest
import torch

from longways.attention.ranges import Ranges, range_attention, ranges_of


def test_ranges_are_the_keys_of_the_wanted_group():
    groups = torch.tensor([[0, 0, 0, 1, 2, 2], [0, 1, 1, 1, 1, 1]])
    wanted = torch.tensor([[0, 1, 1, 2], [0, 0, 1, 1]])
    found = ranges_of(groups, wanted, torch.tensor([6, 4]))
    assert found.first.tolist() == [[0, 3, 3, 4], [0, 0, 1, 1]]
    assert found.after.tolist() == [[3, 4, 4, 6], [1, 1, 4, 4]]


def test_a_group_without_keys_has_an_empty_range():
    found = ranges_of(torch.tensor([[0, 0, 2]]), torch.tensor([[0, 1, 2, 3]]), torch.tensor([3]))
    assert found.first.tolist() == [[0, 2, 2, 3]]
    assert found.after.tolist() == [[2, 2, 3, 3]]


def test_visible_keys_are_those_in_the_range():
    found = Ranges(torch.tensor([[0, 1]]), torch.tensor([[1, 3]])).visible(4)
    assert found.tolist() == [[[True, False, False, False], [False, True, True, False]]]


@pytest.mark.parametrize("first", [0, 2])
def test_only_keys_in_the_range_are_read(first):
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, tokens, 4).double() for tokens in (3, 5, 5))
    ranges = Ranges(torch.full((1, 3), first), torch.tensor([[3, 4, 5]]))
    found = range_attention(q, k, v, ranges)
    for t, after in enumerate((3, 4, 5)):
        scores = (q[:, :, t, None] * k[:, :, first:after]).sum(-1) / 2
        wanted = (scores.softmax(-1)[..., None] * v[:, :, first:after]).sum(2)
        torch.testing.assert_close(found[:, :, t], wanted)
