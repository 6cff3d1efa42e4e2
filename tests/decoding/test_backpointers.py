"""The way back to the tokens of a beam is the way that its beams have come."""

import numpy as np
import pytest

from longways.decoding.backpointers import FIRST, Backpointers, walk_back


def random_steps(steps, windows, beams, seed=0):
    """Words and parents of every step (T, W, K)."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 30_000, (steps, windows, beams))
    return words, rng.integers(0, beams, (steps, windows, beams))


def copied_along(words, parents):
    """The tokens of every beam (W, K, T), copied to each child as search might do it."""
    windows, beams = words.shape[1:]
    history = np.zeros((windows, beams, 0), dtype=np.int64)
    for read, after in zip(words, parents, strict=True):
        followed = np.take_along_axis(history, after[:, :, None], 1)
        history = np.concatenate([followed, read[:, :, None]], 2)
    return history


@pytest.mark.parametrize("beams", [1, 2, 5])
@pytest.mark.parametrize("steps", [0, 1, FIRST, 3 * FIRST + 1])
def test_tokens_are_those_that_beams_would_have_carried_along(steps, beams):
    words, parents = random_steps(steps, 3, beams)
    trail = Backpointers(3, beams)
    for step in range(steps):
        trail.write(np.arange(3), step, words[step], parents[step])
    wanted = copied_along(words, parents)
    for window in range(3):
        for beam in range(beams):
            assert trail.tokens(window, steps, beam) == wanted[window, beam].tolist()
            half = copied_along(words[: steps // 2], parents[: steps // 2])
            assert trail.tokens(window, steps // 2, beam) == half[window, beam].tolist()


def test_windows_that_are_dropped_keep_their_steps():
    words, parents = random_steps(10, 4, 3)
    trail, left = Backpointers(4, 3), np.array([3, 1])
    for step in range(10):
        rows = np.arange(4) if step < 6 else left
        trail.write(rows, step, words[step, rows], parents[step, rows])
    before, after = copied_along(words[:6], parents[:6]), copied_along(words, parents)
    assert trail.tokens(0, 6, 2) == before[0, 2].tolist()
    assert trail.tokens(1, 10, 0) == after[1, 0].tolist()
    assert trail.tokens(3, 10, 1) == after[3, 1].tolist()


def test_a_way_back_goes_from_parent_to_parent():
    words, parents = np.array([[1, 2], [3, 4], [5, 6]]), np.array([[0, 0], [1, 0], [1, 1]])
    assert walk_back(words, parents, 0) == [1, 4, 5]
    assert walk_back(words, parents, 1) == [1, 4, 6]
