"""The sampler: an epoch has every window once, for any number of ranks, resumed anywhere."""

from itertools import islice, takewhile

import numpy as np
import pytest

from longways.corpus.batching.sampler import Sampler, SamplerConfig, fit_windows
from longways.corpus.window import training_windows
from longways.errors import ConfigError, CorpusError
from tests.corpus.splits import make_split, random_split

SMALL = SamplerConfig(L=4, tokens=400, shapes=6, longest=500, seed=3)


def windows_of(sampler: Sampler, epoch: int) -> list[int]:
    return [int(i) for _, part in sampler.epoch(epoch) for i in part]


@pytest.mark.parametrize("L", [1, 2, 4])
def test_an_epoch_is_every_training_window_once(L):
    split = random_split()
    sampler = Sampler(split, SamplerConfig(L=L, tokens=400, shapes=6))
    assert sorted(windows_of(sampler, 0)) == list(range(len(sampler.windows)))
    wanted = training_windows(split.documents, L)
    assert sorted(map(tuple, sampler.windows.tolist())) == sorted(map(tuple, wanted.tolist()))


def test_batches_respect_the_token_limit_and_have_few_shapes():
    sampler = Sampler(random_split(), SMALL)
    shapes = set()
    for _, batch in islice(sampler.read(), sampler.batches):
        shapes.add((batch.source.shape, batch.target.shape))
        assert batch.target.size <= SMALL.tokens
        assert batch.target_tokens > 0
    assert len(shapes) <= SMALL.shapes


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_see_disjoint_batches_that_together_are_the_epoch(ranks):
    split = random_split()
    alone = Sampler(split, SMALL)
    together = sorted(
        (number, tuple(map(tuple, windows.tolist())))
        for rank in range(ranks)
        for number, _, windows in takewhile(
            lambda item: item[0] < 2 * alone.batches, Sampler(split, SMALL, rank, ranks).plan()
        )
    )
    wanted = [
        (number, tuple(map(tuple, windows.tolist())))
        for number, _, windows in islice(alone.plan(), 2 * alone.batches)
    ]
    assert together == wanted
    for epoch in (0, 1):
        part = wanted[epoch * alone.batches : (epoch + 1) * alone.batches]
        seen = [window for _, windows in part for window in windows]
        assert sorted(seen) == sorted(map(tuple, alone.windows.tolist()))


@pytest.mark.parametrize("ranks", [1, 2])
def test_stopping_after_any_batch_and_resuming_gives_the_same_rest(ranks):
    split = random_split(documents=8)
    whole = list(islice(Sampler(split, SMALL, ranks=ranks).read(), 60))
    assert whole[-1][0] > 2 * Sampler(split, SMALL).batches  # across epochs
    for stop in range(len(whole)):
        number, batch = next(Sampler(split, SMALL, ranks=ranks).read(stop * ranks))
        assert number == whole[stop][0]
        assert np.array_equal(batch.source, whole[stop][1].source)
        assert np.array_equal(batch.target, whole[stop][1].target)


def test_epochs_and_seeds_differ_and_repeat():
    split = random_split()
    first, again = Sampler(split, SMALL), Sampler(split, SMALL)
    assert windows_of(first, 0) == windows_of(again, 0)
    assert windows_of(first, 0) != windows_of(first, 1)
    other = Sampler(split, SamplerConfig(L=4, tokens=400, shapes=6, longest=500, seed=4))
    assert windows_of(first, 0) != windows_of(other, 0)


def test_the_share_of_padding_is_that_of_the_batches():
    sampler = Sampler(random_split(), SMALL)
    batches = [batch for _, batch in islice(sampler.read(), sampler.batches)]
    target = sum(batch.target_tokens for batch in batches)
    source = sum(int((batch.source != 0).sum()) for batch in batches)
    fillers = sum(int((batch.target[:, 0] == 0).sum()) for batch in batches)  # one <eos> each
    padded = [sum(getattr(batch, side).size for batch in batches) for side in ("source", "target")]
    both, of_target = sampler.padding()
    assert of_target == pytest.approx(1 - target / padded[1])
    assert both == pytest.approx(1 - (source - fillers + target) / sum(padded))


def test_a_window_too_long_loses_its_earliest_sentences():
    split = make_split([[(10, 5), (10, 5), (10, 5), (40, 5)]])
    windows, limits = fit_windows(training_windows(split.documents, 3), split, longest=25)
    found = set(map(tuple, windows.tolist()))
    assert found == {(0, 1), (0, 2), (1, 3)}
    assert limits.dropped == 1  # the last sentence is too long by itself
    assert limits.shortened == 3  # (0, 3), and the two that end at the last sentence


def test_impossible_settings_are_named():
    split = random_split(documents=2)
    with pytest.raises(ConfigError, match="rank is 2"):
        Sampler(split, SMALL, rank=2, ranks=2)
    with pytest.raises(ConfigError, match=r"batches an epoch, but 1000 ranks"):
        Sampler(split, SMALL, rank=0, ranks=1000)
    with pytest.raises(CorpusError, match="All sentences have more than 1 tokens"):
        Sampler(split, SamplerConfig(longest=1))
    with pytest.raises(ConfigError, match="L is 0"):
        SamplerConfig(L=0)
