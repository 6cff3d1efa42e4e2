"""Which hypotheses are kept, and how they are compared."""

import numpy as np
import pytest

from longways.decoding.hypothesis import Hypothesis, Results, best_rank, rank
from longways.text.tokenizers.special_tokens import EOS


def made(value: float, stop: int | None = EOS) -> Hypothesis:
    return Hypothesis([5], value, value, stop)


def test_the_best_are_kept_in_order():
    results = Results(2)
    for value in (-3.0, -1.0, -4.0, -2.0):
        results.add(made(value))
    assert [h.rank for h in results.found] == [-1.0, -2.0]


def test_hypotheses_that_were_cut_off_come_last_whatever_their_rank():
    results = Results(3)
    for hypothesis in (made(-0.1, None), made(-5.0), made(-0.2, None), made(-4.0)):
        results.add(hypothesis)
    assert [h.rank for h in results.found] == [-4.0, -5.0, -0.1]


def test_there_is_no_threshold_until_nbest_are_found():
    results = Results(2)
    results.add(made(-1.0))
    assert results.threshold == -np.inf
    results.add(made(-2.0))
    assert results.threshold == -2.0


@pytest.mark.parametrize(("alpha", "wanted"), [(0.0, -6.0), (1.0, -2.0), (2.0, -6.0 / 9)])
def test_the_rank_of_three_tokens(alpha, wanted):
    assert rank(-6.0, 3, alpha) == pytest.approx(wanted)


@pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.7, 1.0])
def test_no_continuation_outranks_the_best_rank(alpha):
    """The best continuation has tokens of probability 1 and ends at the best length."""
    scores, longest = np.array([-3.0, -0.5]), np.array([9, 4])
    reached = [
        max(rank(score, length, alpha) for length in range(4, most + 1))
        for score, most in zip(scores, longest, strict=True)
    ]
    np.testing.assert_allclose(best_rank(scores, 4, longest, alpha), reached)
