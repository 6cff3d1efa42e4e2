"""Beam search finds the best hypotheses with their scores; windows do not affect each other."""

from itertools import product

import numpy as np
import pytest
import torch

from longways.decoding import beam_search as beam_search_module
from longways.decoding.beam_search import Limits, SearchConfig, beam_search
from longways.decoding.runtime import pad_rows
from longways.errors import ConfigError
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP
from tests.decoding.tiny import MODELS, WORDS, random_sentences, tiny_runtime, window

STOPS = (SEP, EOS)
GREEDY = SearchConfig(beams=1)


def cases(count=12, seed=0):
    """Source windows and prefixes of several lengths."""
    rng = np.random.default_rng(seed)
    sources = [window(*random_sentences(rng.integers(1, 4), rng)) for _ in range(count)]
    contexts = [random_sentences(rng.integers(0, 3), rng) for _ in range(count)]
    prefixes = [[BOS, *(t for s in context for t in (*s, SEP))] for context in contexts]
    return sources, prefixes


def limits(count, most=12, least=0, separators=None):
    arrays = (np.full(count, value) for value in (least, most))
    return Limits(*arrays, None if separators is None else np.full(count, separators))


def search(runtime, sources, prefixes, config, **values):
    memory = runtime.encode(pad_rows(sources))
    return beam_search(runtime, memory, prefixes, limits(len(sources), **values), config)


def log_probability(runtime, source, prefix, tokens):
    """The log-probability of `tokens`, by one forward pass of the model over the whole window."""
    with torch.no_grad():
        target_in = torch.tensor([[*prefix, *tokens][:-1]])
        scores = runtime.model(torch.tensor([source]), target_in)[0].log_softmax(-1)
    new = scores[len(prefix) - 1 :]
    return float(new[torch.arange(len(tokens)), torch.tensor(tokens)].sum())


def everything(runtime, source, prefix, most, alpha):
    """All hypotheses that end, each with the better of its stops, the best first."""
    found = []
    for length in range(most + 1):
        for words in product(WORDS, repeat=length):
            score = max(log_probability(runtime, source, prefix, [*words, s]) for s in STOPS)
            found.append((score / (length + 1) ** alpha, list(words)))
    return sorted(found, reverse=True)


@pytest.mark.parametrize("alpha", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("name", MODELS)
def test_with_enough_beams_search_is_exhaustive(name, alpha):
    runtime = tiny_runtime(name)
    sources, prefixes = cases(3)
    config = SearchConfig(beams=40, nbest=5, alpha=alpha)
    for source, prefix, found in zip(
        sources, prefixes, search(runtime, sources, prefixes, config, most=2), strict=True
    ):
        wanted = everything(runtime, source, prefix, 2, alpha)[:5]
        assert [h.tokens for h in found] == [tokens for _, tokens in wanted]
        assert [h.rank for h in found] == pytest.approx([rank for rank, _ in wanted], abs=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_one_beam_is_greedy(name):
    runtime = tiny_runtime(name)
    sources, prefixes = cases()
    allowed = torch.tensor([*STOPS, *WORDS])
    found = search(runtime, sources, prefixes, GREEDY, most=8)
    for source, prefix, (best,) in zip(sources, prefixes, found, strict=True):
        wanted: list[int] = []
        while len(wanted) <= 8 and not set(wanted) & set(STOPS):
            with torch.no_grad():
                target_in = torch.tensor([[*prefix, *wanted]])
                logits = runtime.model(torch.tensor([source]), target_in)[0, -1]
            wanted.append(int(allowed[logits[allowed].argmax()]))
        assert best.tokens == [token for token in wanted[:8] if token not in STOPS]
    assert {best.stop for (best,) in found} & set(STOPS)


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", MODELS)
def test_the_score_is_the_log_probability_of_the_output(name, beams):
    runtime = tiny_runtime(name)
    sources, prefixes = cases()
    config = SearchConfig(beams=beams, nbest=beams)
    found = search(runtime, sources, prefixes, config)
    assert {h.stop for hypotheses in found for h in hypotheses} >= {EOS, SEP}
    for source, prefix, hypotheses in zip(sources, prefixes, found, strict=True):
        for h in hypotheses:
            output = h.tokens if h.stop is None else [*h.tokens, h.stop]
            wanted = log_probability(runtime, source, prefix, output)
            assert h.score == pytest.approx(wanted, abs=1e-9)
            assert h.rank == pytest.approx(h.score / len(output))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", MODELS)
def test_a_window_alone_finds_what_it_finds_among_others(name, beams, dtype):
    runtime = tiny_runtime(name, dtype=dtype)
    sources, prefixes = cases(20)
    config = SearchConfig(beams=beams, nbest=beams)
    together = search(runtime, sources, prefixes, config)
    for source, prefix, found in zip(sources, prefixes, together, strict=True):
        (alone,) = search(runtime, [source], [prefix], config)
        assert [(h.tokens, h.stop) for h in alone] == [(h.tokens, h.stop) for h in found]
        assert [h.score for h in alone] == pytest.approx([h.score for h in found], abs=1e-4)


@pytest.mark.parametrize("name", MODELS)
def test_dropping_finished_windows_changes_nothing(name, monkeypatch):
    runtime = tiny_runtime(name)
    sources, prefixes = cases(20)
    found, widths = [], []
    step = runtime.step
    monkeypatch.setattr(runtime, "step", lambda *a: (widths[-1].append(len(a[0])), step(*a))[1])
    for share in (1.0, 0.0):  # at once, never
        monkeypatch.setattr(beam_search_module, "MIN_ACTIVE_SHARE", share)
        widths.append([])
        found.append(search(runtime, sources, prefixes, SearchConfig(nbest=4), most=20))
    assert min(widths[0]) < max(widths[0]) == 20
    assert set(widths[1]) == {20}
    at_once, never = [[[(h.tokens, h.stop) for h in hs] for hs in each] for each in found]
    assert at_once == never


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", MODELS)
def test_stopping_early_changes_nothing_but_the_number_of_steps(name, alpha, monkeypatch):
    runtime = tiny_runtime(name)
    sources, prefixes = cases(40)
    config = SearchConfig(beams=6, nbest=2, alpha=alpha)
    steps, step = [0], runtime.step
    monkeypatch.setattr(runtime, "step", lambda *a: (steps.append(len(a[0])), step(*a))[1])
    early, taken = search(runtime, sources, prefixes, config), sum(steps)
    monkeypatch.setattr(
        beam_search_module, "best_rank", lambda scores, *_: np.full_like(scores, np.inf)
    )
    late = search(runtime, sources, prefixes, config)
    assert [[h.tokens for h in hs] for hs in early] == [[h.tokens for h in hs] for hs in late]
    assert taken < sum(steps) - taken or alpha > 0


def test_a_finished_window_is_never_read_beyond_its_length_limit():
    """One has a long prefix and a small limit; the other takes many more steps."""
    runtime = tiny_runtime("transformer", "positions=24")
    sources, prefixes = [window([5]), window([6])], [[BOS, *[7] * 20], [BOS]]
    most = np.array([2, 22])
    for beams in (1, 4):
        for least in ([0, 22], [2, 22]):
            found = beam_search(
                runtime,
                runtime.encode(pad_rows(sources)),
                prefixes,
                Limits(np.array(least), most),
                SearchConfig(beams=beams),
            )
            assert [len(h.tokens) for (h,) in found][1] == 22


@pytest.mark.parametrize("name", MODELS)
def test_nbest_are_distinct_and_sorted(name):
    sources, prefixes = cases(20)
    for found in search(tiny_runtime(name), sources, prefixes, SearchConfig(beams=5, nbest=5)):
        ended = [h.rank for h in found if h.stop is not None]
        assert ended == sorted(ended, reverse=True)
        assert [h.stop is None for h in found] == sorted(h.stop is None for h in found)
        assert len({tuple(h.tokens) for h in found}) == len(found) == 5


@pytest.mark.parametrize("beams", [1, 4])
def test_lengths_stay_within_their_limits(beams):
    runtime = tiny_runtime("rfa-sgate")
    sources, prefixes = cases(20)
    config = SearchConfig(beams=beams, nbest=beams)
    free = search(runtime, sources, prefixes, config, most=12)
    lengths = {len(h.tokens) for found in free for h in found}
    assert min(lengths) < 3
    assert max(lengths) > 6
    for least, most in ((3, 6), (5, 5), (0, 0)):
        for found in search(runtime, sources, prefixes, config, least=least, most=most):
            assert found
            assert all(least <= len(h.tokens) <= most for h in found)


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("separators", [0, 1, 3])
def test_a_whole_window_has_as_many_separators_as_asked_for(beams, separators):
    runtime = tiny_runtime("rfa-sgate")
    sources, _ = cases(20)
    prefixes = [[BOS]] * 20
    config = SearchConfig(beams=beams, nbest=beams)
    found = search(runtime, sources, prefixes, config, separators=separators, most=30)
    ended = [h for hypotheses in found for h in hypotheses if h.stop is not None]
    assert len(ended) > 10
    assert all(h.tokens.count(SEP) == separators and h.stop == EOS for h in ended)
    for source, (h, *_) in zip(sources, found, strict=True):
        if h.stop is not None:
            wanted = log_probability(runtime, source, [BOS], [*h.tokens, EOS])
            assert h.score == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"beams": 0}, "from 1 to 1,024"),
        ({"beams": 2, "nbest": 3}, "with 2 beams it must be 1 to 2"),
    ],
)
def test_bad_settings_are_refused(values, message):
    with pytest.raises(ConfigError, match=message):
        SearchConfig(**values)


def random_candidates(rng, windows, beams):
    """Descending scores and distinct ids for each beam; one in four windows can end at the step."""
    count = beams + 2
    scores = -np.sort(rng.exponential(size=(windows, beams, count)), axis=2)
    ids = rng.permuted(np.tile(np.arange(5, 30), (windows, beams, 1)), axis=2)[..., :count]
    marks = rng.integers(count, size=(windows, beams))
    ends = rng.random((windows, beams)) < 0.25 / beams
    ids[(*np.nonzero(ends), marks[ends])] = rng.choice([SEP, EOS], ends.sum())
    return scores.astype("f4"), ids


@pytest.mark.parametrize("separators", [None, 2])
@pytest.mark.parametrize("windows", [1, 7])
@pytest.mark.parametrize(("beams", "nbest"), [(1, 1), (4, 1), (4, 4)])
def test_the_fast_path_gives_the_same_beams(beams, nbest, windows, separators, monkeypatch):
    config, plain = SearchConfig(beams=beams, nbest=nbest), []
    is_plain = beam_search_module._Search._is_plain
    monkeypatch.setattr(
        beam_search_module._Search, "_is_plain", lambda s, ids: plain.append(is_plain(s, ids))
    )
    for seed in range(20):
        allowed = limits(windows, most=15, least=2, separators=separators)
        some = beam_search_module._Search(np.full(windows, BOS), allowed, config)
        same = beam_search_module._Search(np.full(windows, BOS), allowed, config)
        same._is_plain = lambda ids, search=same: is_plain(search, ids)
        rng = np.random.default_rng(seed)
        while some.is_active:
            assert some.active.tolist() == same.active.tolist()
            scores, ids = random_candidates(rng, len(some.active), beams)
            some.read(scores, ids)
            same.read(scores, ids)
            assert (some.drop_finished() is None) == (same.drop_finished() is None)
            for name in beam_search_module._PER_WINDOW:
                assert np.array_equal(getattr(some, name), getattr(same, name)), name
        assert not same.is_active
        assert some.hypotheses() == same.hypotheses()
    assert 0.1 < np.mean(plain) < 0.9
