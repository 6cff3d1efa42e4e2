"""Equal items of two lists: in order, moved, and in time that grows with their length."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.translation.files.updates.diff import gaps, matches, origins

ITEMS = st.lists(st.integers(0, 9), max_size=40)


@given(ITEMS, ITEMS)
def test_matches_are_equal_items_in_order(old, new):
    found = matches(old, new)
    assert all(old[i] == new[j] for i, j in found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))


@given(ITEMS, ITEMS)
def test_every_item_is_in_a_match_or_in_a_gap(old, new):
    found = matches(old, new)
    stretches = list(gaps(found, len(old), len(new)))
    assert sorted([i for i, _ in found] + [i for a, _ in stretches for i in a]) == [
        *range(len(old))
    ]
    assert sorted([j for _, j in found] + [j for _, b in stretches for j in b]) == [
        *range(len(new))
    ]


@given(ITEMS)
def test_a_list_is_the_same_as_itself(items):
    assert matches(items, items) == [(i, i) for i in range(len(items))]


def test_one_change_costs_one_match():
    assert matches("abcdef", "abxdef") == [(0, 0), (1, 1), (3, 3), (4, 4), (5, 5)]


def test_an_item_at_another_place_is_moved_and_a_second_one_is_repeated():
    found = origins("abcd", "bcdaea")
    kinds = [(one.old, one.kind) if one else None for one in found]
    same = [(1, "same"), (2, "same"), (3, "same")]
    assert kinds == [*same, (0, "moved"), None, (0, "repeated")]


@pytest.mark.parametrize("kind", ["one item", "two items", "backwards", "shuffled blocks"])
def test_long_lists_take_no_quadratic_time(kind):
    n = 20_000
    old, new = {
        "one item": ([0] * n, [0] * (n // 2) + [1] + [0] * (n // 2)),
        "two items": ([i % 2 for i in range(n)], [i // 3 % 2 for i in range(n)]),
        "backwards": ([*range(n)], [*range(n)][::-1]),
        "shuffled blocks": ([*range(n)], [i ^ 64 for i in range(n)]),
    }[kind]
    began = time.process_time()
    assert len(origins(old, new)) == len(new)
    assert time.process_time() - began < 2
