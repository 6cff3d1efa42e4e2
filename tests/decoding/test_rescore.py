"""Scores of given translations; `<eos>` forced at the length limit, against plain search."""

import numpy as np
import pytest
import torch

from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.rescore import rescore
from longways.decoding.stream import Translated, stream_sentence
from longways.decoding.windows import sliding_window, whole_window
from longways.errors import ConfigError
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP
from tests.decoding.exported import exact, exported
from tests.decoding.tiny import MODELS, random_sentences, tiny_runtime

POSITIONS = 64
STREAM = "decay, spiky"
LARGE = "target_vocabulary=40"
"""With more words, <eos> is seldom among the candidates."""


def windows(extra: int, count: int = 12):
    rng, length = np.random.default_rng(0), LengthConfig(ratio=0, extra=extra)
    return [
        sliding_window([], random_sentences(1, rng)[0], length, POSITIONS) for _ in range(count)
    ]


def config(beams: int, at_limit: str, nbest: int = 1) -> TranslateConfig:
    return TranslateConfig(search=SearchConfig(beams=beams, at_limit=at_limit, nbest=nbest))


def log_probabilities(runtime, window, tokens):
    with torch.no_grad():
        target_in = torch.tensor([[*window.prefix, *tokens]])
        return runtime.model(torch.tensor([window.source]), target_in)[0, -1].log_softmax(-1)


@pytest.mark.parametrize("runtime", [exact(STREAM), exported(STREAM)], ids=["torch", "onnx"])
def test_sentences_of_a_stream_model_are_scored_after_their_documents(runtime):
    rng, limit = np.random.default_rng(0), LengthConfig(ratio=0, extra=4)
    documents = [random_sentences(3, rng) for _ in range(4)]
    pairs = [Translated([*one, SEP], [BOS, *two], runtime.open_document())
             for one, two, _ in documents]  # fmt: skip
    states = runtime.finish_sentences(pairs)
    given = [
        stream_sentence(last, limit, POSITIONS, state, first=False)
        for (*_, last), state in zip(documents, states, strict=True)
    ]
    found = decode(runtime, given, config(2, "cut", 2))
    chosen = [(window, one) for window, some in zip(given, found, strict=True) for one in some]
    chosen = [(window, one) for window, one in chosen if one.stop is not None]
    assert len(chosen) > 4
    scored = rescore(runtime, chosen, 1)
    assert [one.score for one in scored] == pytest.approx([one.score for _, one in chosen], 1e-5)
    alone = [(window._replace(state=None), one) for window, one in chosen]
    first = rescore(runtime, alone, 1)
    assert [one.score for one in first] != pytest.approx([one.score for _, one in chosen], 1e-2)


@pytest.mark.parametrize("name", MODELS)
def test_greedy_search_ends_at_the_limit_as_plain_search_does(name):
    runtime, limit, forced = tiny_runtime(name, LARGE), 3, 0
    found = decode(runtime, windows(limit), config(1, "end"))
    for window, (one,) in zip(windows(limit), found, strict=True):
        tokens, score, stop = [], 0.0, None
        while stop is None:
            scores = log_probabilities(runtime, window, tokens)
            scores[:2] = -torch.inf  # padding and <bos> are never written
            if not tokens:
                scores[[EOS, SEP]] = -torch.inf
            best = int(scores.argmax())
            if len(tokens) == limit:
                offered = [
                    token for token in scores.topk(3).indices.tolist() if token in (EOS, SEP)
                ]
                best, forced = (offered or [EOS])[0], forced + (not offered)
            score += float(scores[best])
            stop = best if best in (SEP, EOS) else None
            tokens += [best] if stop is None else []
        assert (one.tokens, one.stop) == (tokens, stop)
        assert one.score == pytest.approx(score)
    assert forced


@pytest.mark.parametrize("beams", [2, 4])
@pytest.mark.parametrize("name", MODELS)
def test_all_hypotheses_end_and_have_the_score_of_their_tokens(name, beams):
    runtime, given = tiny_runtime(name, LARGE), windows(2)
    cut = decode(runtime, given, config(beams, "cut", beams))
    ended = decode(runtime, given, config(beams, "end", beams))
    assert any(one.stop is None for some in cut for one in some)
    for window, before, after in zip(given, cut, ended, strict=True):
        assert 1 <= len(after) <= beams
        assert len({tuple(one.tokens) for one in after}) == len(after)
        assert [one.rank for one in after] == sorted((one.rank for one in after), reverse=True)
        assert {tuple(one.tokens) for one in after} >= {
            tuple(one.tokens) for one in before if one.stop is None and len(before) < beams
        }
        for one in after:
            parts = [*one.tokens, one.stop]
            score = sum(
                float(log_probabilities(runtime, window, parts[:n])[token])
                for n, token in enumerate(parts)
            )
            assert one.score == pytest.approx(score)
            assert one.rank == pytest.approx(score / len(parts))


def test_a_whole_window_that_is_cut_is_not_split():
    """Without all of its separators, forcing `<eos>` would lose sentences."""
    runtime, rng = tiny_runtime("rfa-sgate", LARGE), np.random.default_rng(3)
    length = LengthConfig(ratio=0, extra=1)
    given = [whole_window(random_sentences(3, rng), length, POSITIONS) for _ in range(6)]
    found = decode(runtime, given, config(2, "end"))
    assert any(one.stop is None for some in found for one in some)
    for window, some in zip(given, found, strict=True):
        assert all(one.tokens.count(SEP) == window.separators for one in some if one.stop)


def test_only_cut_and_end_are_known():
    with pytest.raises(ConfigError, match="at_limit is 'drop', but it must be 'cut' or 'end'"):
        SearchConfig(at_limit="drop")
