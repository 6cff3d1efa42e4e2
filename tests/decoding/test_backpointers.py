"""Back-pointers lead to the tokens of a beam."""

import numpy as np
import pytest

from longways.decoding.backpointers import INITIAL_STEPS, Backpointers, walk_back


def random_steps(steps, windows, beams, seed=0):
    """Tokens and parents of every step (T, W, K)."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 30_000, (steps, windows, beams))
    return words, rng.integers(0, beams, (steps, windows, beams))


def copied_along(words, parents):
    """The tokens of every beam (W, K, T), by copying the tokens of a parent to each child."""
    windows, beams = words.shape[1:]
    history = np.zeros((windows, beams, 0), dtype=np.int64)
    for read, after in zip(words, parents, strict=True):
        followed = np.take_along_axis(history, after[:, :, None], 1)
        history = np.concatenate([followed, read[:, :, None]], 2)
    return history


@pytest.mark.parametrize("beams", [1, 2, 5])
@pytest.mark.parametrize("steps", [0, 1, INITIAL_STEPS, 3 * INITIAL_STEPS + 1])
def test_tokens_equal_those_copied_from_parent_to_child(steps, beams):
    words, parents = random_steps(steps, 3, beams)
    backpointers = Backpointers(3, beams)
    for step in range(steps):
        backpointers.write(np.arange(3), step, words[step], parents[step])
    wanted = copied_along(words, parents)
    for window in range(3):
        for beam in range(beams):
            assert backpointers.tokens(window, steps, beam) == wanted[window, beam].tolist()
            half = copied_along(words[: steps // 2], parents[: steps // 2])
            assert backpointers.tokens(window, steps // 2, beam) == half[window, beam].tolist()


def test_windows_that_are_dropped_keep_their_steps():
    words, parents = random_steps(10, 4, 3)
    backpointers, left = Backpointers(4, 3), np.array([3, 1])
    for step in range(10):
        rows = np.arange(4) if step < 6 else left
        backpointers.write(rows, step, words[step, rows], parents[step, rows])
    before, after = copied_along(words[:6], parents[:6]), copied_along(words, parents)
    assert backpointers.tokens(0, 6, 2) == before[0, 2].tolist()
    assert backpointers.tokens(1, 10, 0) == after[1, 0].tolist()
    assert backpointers.tokens(3, 10, 1) == after[3, 1].tolist()


def test_walking_back_follows_the_parents():
    words, parents = np.array([[1, 2], [3, 4], [5, 6]]), np.array([[0, 0], [1, 0], [1, 1]])
    assert walk_back(words, parents, 0) == [1, 4, 5]
    assert walk_back(words, parents, 1) == [1, 4, 6]
