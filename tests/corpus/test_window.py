"""Windows are equal to the windows of a plain reference implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.corpus.window import training_windows, translation_windows

documents = st.lists(st.integers(1, 12), min_size=1, max_size=8)


def offsets(sizes: list[int]) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(sizes)])


def reference(sizes: list[int], L: int) -> list[tuple[int, int]]:
    windows, first = [], 0
    for size in sizes:
        last = first + size
        windows += [(max(first, end - L), end) for end in range(first + 1, last + 1)]
        windows += [(start, last) for start in range(max(first, last - L) + 1, last)]
        first = last
    return sorted(windows, key=lambda window: (window[1], window[0]))


@given(documents, st.integers(1, 6))
def test_training_windows_are_those_of_the_reference(sizes, L):
    found = [tuple(window) for window in training_windows(offsets(sizes), L).tolist()]
    assert found == reference(sizes, L)
    assert len(found) == len(set(found)) == sum(n + min(L, n) - 1 for n in sizes)


@given(documents, st.integers(1, 6))
def test_every_sentence_occurs_at_every_place_of_a_window(sizes, L):
    slots = {
        (s, s - start)
        for start, end in training_windows(offsets(sizes), L)
        for s in range(start, end)
    }
    first = 0
    for size in sizes:
        for s in range(first, first + size):
            assert all((s, slot) in slots for slot in range(min(L, s - first + 1)))
        first += size


@given(documents, st.integers(1, 6))
def test_translation_windows_end_at_each_sentence_in_turn(sizes, L):
    windows = translation_windows(offsets(sizes), L)
    assert windows[:, 1].tolist() == list(range(1, sum(sizes) + 1))
    assert set(map(tuple, windows.tolist())) <= set(reference(sizes, L))


@pytest.mark.parametrize(
    ("sizes", "L", "wanted"),
    [
        ([3], 2, [(0, 1), (0, 2), (1, 3), (2, 3)]),
        ([2], 4, [(0, 1), (0, 2), (1, 2)]),
        ([1, 2], 1, [(0, 1), (1, 2), (2, 3)]),
    ],
)
def test_small_cases_by_hand(sizes, L, wanted):
    assert [tuple(w) for w in training_windows(offsets(sizes), L).tolist()] == wanted
