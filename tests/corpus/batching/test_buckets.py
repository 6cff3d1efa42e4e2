"""There are few batch shapes, and little padding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longways.corpus.batching.buckets import Shape, choose_shapes

TOKENS = 400


def cost(source, target, count):
    shapes, which = choose_shapes(source, target, TOKENS, count)
    windows = np.bincount(which, minlength=len(shapes))
    return sum(
        -(-w // s.rows) * s.rows * (s.source + s.target)
        for w, s in zip(windows, shapes, strict=True)
    )


@given(
    st.lists(st.tuples(st.integers(1, 60), st.integers(1, 60)), min_size=1, max_size=200),
    st.integers(1, 12),
)
def test_every_window_fits_its_shape_and_there_are_not_too_many(lengths, count):
    source, target = np.array(lengths).T
    shapes, which = choose_shapes(source, target, TOKENS, count)
    assert 1 <= len(shapes) <= count
    assert set(which.tolist()) == set(range(len(shapes)))
    for n, t, shape in zip(source, target, which, strict=True):
        assert n <= shapes[shape].source
        assert t <= shapes[shape].target
    assert all(s.rows * s.target <= TOKENS for s in shapes)


def test_more_shapes_waste_less():
    rng = np.random.default_rng(0)
    source = rng.integers(1, 100, 5000)
    target = np.maximum(1, source + rng.integers(-9, 10, 5000))
    costs = [cost(source, target, n) for n in (1, 2, 4, 8, 16, 32)]
    assert costs == sorted(costs, reverse=True)
    real = source.sum() + target.sum()
    assert costs[-1] / real < 1.12 < costs[0] / real


def test_two_clusters_get_a_shape_each():
    source, target = np.array([1, 1, 1, 10, 10] * 100), np.array([2, 2, 2, 9, 9] * 100)
    shapes, which = choose_shapes(source, target, TOKENS, 2)
    assert shapes == [Shape(200, 1, 2), Shape(44, 10, 9)]
    assert which[:5].tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize("count", [1, 5])
def test_a_window_longer_than_the_budget_is_a_batch_of_its_own(count):
    shapes, _ = choose_shapes(np.array([5, 900]), np.array([5, 900]), TOKENS, count)
    assert shapes[-1].rows == 1
