"""Alignment of many sentences at a time."""

import numpy as np

from longways import load
from longways.text.tokenizers.special_tokens import EOS
from longways.translation.markup.token_alignment import align_tokens


def sentences(count, longest):
    draw = np.random.default_rng(1)
    sizes = draw.integers(0, longest, (count, 2))
    return [tuple(draw.integers(5, 15000, n).tolist() for n in pair) for pair in sizes]


def test_sentences_have_the_weights_that_they_have_alone():
    runtime, pairs = load(threads=1).runtime, sentences(24, 40)
    for pair, found in zip(pairs, align_tokens(runtime, pairs), strict=True):
        source, target = pair
        (alone,) = align_tokens(runtime, [pair])
        assert found.shape == (len(target), len(source))
        np.testing.assert_array_equal(found, alone)
        whole = runtime.align(*(np.array([[*one, EOS]]) for one in pair))[0]
        np.testing.assert_array_equal(found, whole[: len(target), : len(source)])


class Runs:
    """A runtime that only counts the tokens of its runs."""

    def __init__(self):
        self.sizes = []

    def align(self, source, target):
        self.sizes.append(source.shape)
        return np.zeros((*target.shape, source.shape[1]), np.float32)


def test_a_run_has_sentences_of_one_length_and_no_more_than_fit_into_caches():
    runtime, pairs = Runs(), [([5] * n, [6]) for n in (3, 2, 30, 0, *[28] * 100, 2000)]
    assert [one.shape for one in align_tokens(runtime, pairs)] == [(1, len(s)) for s, _ in pairs]
    assert sorted(runtime.sizes) == [(1, 2001), (3, 4), (5, 29), (32, 29), (32, 29), (32, 31)]
    assert align_tokens(runtime, []) == []
