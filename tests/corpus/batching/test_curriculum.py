"""The stages of a curriculum form one stream, which can be resumed anywhere."""

from itertools import islice

import numpy as np
import pytest

from longways.corpus.batching.curriculum import Curriculum
from longways.corpus.batching.sampler import Sampler, SamplerConfig
from longways.errors import ConfigError
from tests.corpus.splits import random_split

CONFIG = SamplerConfig(L=4, curriculum=(1, 2), stage=7, tokens=200, shapes=4)


@pytest.fixture(scope="module")
def split():
    return random_split(documents=12, seed=3)


def plan(curriculum, start, count):
    return [(n, shape, w.tolist()) for n, shape, w in islice(curriculum.plan(start), count)]


def test_each_stage_has_windows_of_its_own_length(split):
    longest = [
        max(end - start for start, end in windows)
        for _, _, windows in plan(Curriculum(split, CONFIG), 0, 60)
    ]
    assert set(longest[:7]) == {1}
    assert set(longest[7:14]) == {2}
    assert max(longest[14:]) == 4


def test_the_last_stage_is_the_plain_stream(split):
    plain = Sampler(split, SamplerConfig(L=4, tokens=200, shapes=4))
    for (number, shape, windows), (_, same, other) in zip(
        plan(Curriculum(split, CONFIG), 14, 20), plan(plain, 0, 20), strict=True
    ):
        assert number >= 14
        assert shape == same
        assert windows == other


@pytest.mark.parametrize("start", [0, 3, 7, 13, 14, 30])
def test_the_stream_can_be_resumed_anywhere_and_shared_by_ranks(split, start):
    whole = plan(Curriculum(split, CONFIG), 0, 60)
    assert plan(Curriculum(split, CONFIG), start, 20) == whole[start : start + 20]
    ranks = [plan(Curriculum(split, CONFIG, rank, 3), start, 6) for rank in range(3)]
    shared = [ranks[i % 3][i // 3] for i in range(18)]
    assert shared == whole[start : start + 18]


def test_mixed_windows_have_every_length_and_none_twice(split):
    mixed = Sampler(split, SamplerConfig(L=3, mixed=True, tokens=200, shapes=4))
    sizes = np.diff(mixed.windows, axis=1)
    ends = mixed.windows[:, 1]
    documents = np.asarray(split.documents)
    inside = ends - documents[np.searchsorted(documents, ends - 1, "right") - 1]
    for length in (1, 2, 3):
        assert set(ends[sizes[:, 0] == length]) == set(ends[inside >= length])
    assert len(np.unique(mixed.windows, axis=0)) == len(mixed.windows)


def test_a_stage_longer_than_the_last_is_refused():
    with pytest.raises(ConfigError, match=r"curriculum is \[5\].*1 to L = 4"):
        SamplerConfig(L=4, curriculum=(5,))
