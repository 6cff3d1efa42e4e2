"""Beams get the rows of their parents with as few copies as possible."""

import numpy as np
import pytest

from longways.decoding.onnx import beam_rows as module
from longways.decoding.onnx.beam_rows import PARALLEL_COPY_BYTES, assign_rows, copy_rows
from longways.decoding.threads import shared_thread_pool


@pytest.mark.parametrize(
    ("windows", "beams"), [(1, 1), (1, 4), (5, 4), (3, 2), (4, 5), (3, 6), (7, 9)]
)
def test_every_beam_has_the_row_of_its_parent_or_a_copy(windows, beams):
    rng = np.random.default_rng(beams)
    rows = np.arange(windows * beams)
    small, large = rows[:, None] * np.ones((1, 3)), rows[:, None] * np.ones((1, 5000))
    known = rows.reshape(windows, beams).copy()  # the content of each row of the state
    for _ in range(20):
        parents = rng.integers(0, beams, (windows, beams))
        wanted = np.take_along_axis(known, parents, 1)
        assigned = assign_rows(parents)
        copy_rows([small, large], assigned.sources, assigned.targets, shared_thread_pool(1))
        for array in (small, large):
            per_window = array[:, 0].reshape(windows, beams)
            assert np.array_equal(np.take_along_axis(per_window, assigned.places, 1), wanted)
        assert np.array_equal(np.sort(assigned.places, 1), np.tile(np.arange(beams), (windows, 1)))
        distinct = sum(len(set(row)) for row in parents.tolist())
        assert len(assigned.sources) == windows * beams - distinct
        assert not set(assigned.sources.tolist()) & set(assigned.targets.tolist())
        known = large[:, 0].reshape(windows, beams).astype(int)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_several_threads_copy_the_same_rows_as_one(threads):
    """The arrays have rows of two sizes, and some rows are copied twice."""
    rng, rows = np.random.default_rng(0), 160
    arrays = [rng.normal(size=(rows, n)) for n in (3, 100_000)]
    assigned = assign_rows(rng.integers(0, 4, (rows // 4, 4)))
    wanted = [array.copy() for array in arrays]
    for array in wanted:
        array[assigned.targets] = array[assigned.sources]
    assert len(assigned.sources) * arrays[1][0].nbytes > threads * PARALLEL_COPY_BYTES
    copy_rows(arrays, assigned.sources, assigned.targets, shared_thread_pool(threads))
    for array, other in zip(arrays, wanted, strict=True):
        assert np.array_equal(array, other)


@pytest.mark.parametrize("beams", [1, 2, 4, 5])
def test_looked_up_rows_are_the_computed_rows(beams, monkeypatch):
    parents = np.random.default_rng(0).integers(0, beams, (40, beams))
    looked_up = assign_rows(parents)
    monkeypatch.setattr(module, "LOOKUP_MAX_BEAMS", 0)
    for one, other in zip(looked_up, assign_rows(parents), strict=True):
        assert np.array_equal(one, other)


def test_beams_that_only_change_places_are_not_copied():
    assigned = assign_rows(np.array([[2, 0, 1], [0, 1, 2]]))
    assert assigned.places.tolist() == [[2, 0, 1], [0, 1, 2]]
    assert len(assigned.sources) == len(assigned.targets) == 0


def test_the_second_child_of_a_parent_takes_the_row_of_a_beam_without_children():
    places, sources, targets = assign_rows(np.array([[1, 1, 1, 3], [2, 2, 0, 0]]))
    assert places.tolist() == [[1, 0, 2, 3], [2, 1, 0, 3]]
    assert sources.tolist() == [1, 1, 6, 4]
    assert targets.tolist() == [0, 2, 5, 7]
