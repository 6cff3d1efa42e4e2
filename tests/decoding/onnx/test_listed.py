"""Search with a shortlist: torch and ONNX choose the same tokens, alone and beside others."""

import numpy as np
import pytest

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.onnx import listed as module
from longways.decoding.runtime import pad_rows
from longways.decoding.searcher import search_all
from longways.decoding.shortlist.shortlist import Shortlist
from longways.decoding.torch_stream import torch_runtime
from longways.decoding.windows import Window
from longways.export.quantise import Int8
from longways.export.weights import Float32
from longways.text.tokenizers.special_tokens import BOS, EOS, SEP, UNK
from longways.translation.documents import gather, translate_documents
from longways.translation.whole_windows import translate_windows
from tests.decoding.exported import exact, export
from tests.decoding.tiny import window

V = 90
SIZES = (f"source_vocabulary={V}", f"target_vocabulary={V}")
WINDOW_MODELS = ["rfa-sgate", "transformer, pre-norm", "hybrid, pre-norm, shared"]
STREAM = "decay, spiky"
ALWAYS = np.array([0, 1, 2, 3, 4, 20, 21, 22])


def lists(per_token=3):
    """Every source token has a few target tokens of its own."""
    rng = np.random.default_rng(5)
    words = [np.sort(rng.choice(np.arange(UNK + 1, V), per_token, False)) for _ in range(V)]
    return Shortlist(ALWAYS, np.concatenate(words), np.arange(V + 1) * per_token, V)


def all_tokens():
    return Shortlist(np.arange(V), np.zeros(0, np.int64), np.zeros(V + 1, np.int64), V)


def documents(count=5, sentences=3, seed=2):
    rng = np.random.default_rng(seed)
    return [
        [rng.integers(UNK + 1, V, n).tolist() for n in rng.integers(1, 7, sentences)]
        for _ in range(count)
    ]


def runtimes(kind, shortlist, weights=None, threads=1):
    model = exact(kind, *SIZES)
    torch = torch_runtime(model.model, shortlist=shortlist)
    return torch, export(model, weights or Float32(), threads, shortlist)


def translated(runtime, given, beams=3, **config):
    search = SearchConfig(beams=beams)
    config = TranslateConfig(L=2, search=search, **config)
    return gather(translate_documents(runtime, given, config), [len(one) for one in given])


@pytest.mark.parametrize("kind", [*WINDOW_MODELS, STREAM])
@pytest.mark.parametrize("beams", [1, 4])
def test_torch_and_onnx_choose_the_same_listed_tokens(kind, beams):
    given, own = documents(), lists()
    wanted, found = (translated(r, given, beams) for r in runtimes(kind, own))
    assert wanted == found
    free = translated(exact(kind, *SIZES), given, beams)
    assert free != found, "the lists leave nothing out"
    for source, target in zip(given, found, strict=True):
        for one, other in zip(source, target, strict=True):
            context = {token for sentence in target for token in sentence}
            assert set(other) <= {*own.of(one).tolist(), *context}


@pytest.mark.parametrize("weights", [Float32(), Int8()])
@pytest.mark.parametrize("kind", ["rfa-sgate", STREAM])
def test_a_document_has_the_same_bits_alone_and_beside_others(kind, weights):
    given = documents(9)
    _, runtime = runtimes(kind, lists(), weights, threads=2)
    config = TranslateConfig(L=2, search=SearchConfig(beams=4, nbest=4))
    some = [Window([*document[0], SEP], [BOS], 1, 12) for document in given]
    together = dict(search_all(runtime, some, config))
    for number, one in enumerate(some):
        assert dict(search_all(runtime, [one], config)) == {0: together[number]}


@pytest.mark.parametrize("weights", [Float32(), Int8()])
@pytest.mark.parametrize("kind", ["rfa-sgate", "transformer, pre-norm", STREAM])
def test_a_list_of_all_tokens_changes_nothing(kind, weights):
    given = documents()
    model = exact(kind, *SIZES)
    plain, listed = export(model, weights), export(model, weights, 1, all_tokens())
    assert translated(plain, given) == translated(listed, given)


@pytest.mark.parametrize("kind", ["rfa-sgate", STREAM])
def test_processors_that_saturate_give_the_same_bits(kind, monkeypatch):
    model, found = exact(kind, *SIZES), []
    for saturates in (False, True):
        monkeypatch.setattr(module, "this_processor_saturates", lambda value=saturates: value)
        runtime = export(model, Int8(), 1, lists())
        config = TranslateConfig(search=SearchConfig(beams=2, nbest=2))
        some = [Window([*one[0], SEP], [BOS], 1, 9) for one in documents()]
        found.append(dict(search_all(runtime, some, config)))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", ["rfa-sgate", STREAM])
def test_a_forced_token_outside_the_list_may_follow_itself(kind):
    own = Shortlist(ALWAYS[:5], np.zeros(0, np.int64), np.zeros(V + 1, np.int64), V)
    for runtime in runtimes(kind, own):
        some = [Window([7, 8, SEP], [BOS, 50, 61], 2, 4)]
        ((_, found),) = search_all(runtime, some, TranslateConfig())
        assert set(found[0].tokens) <= {50, 61}


def test_scores_of_given_translations_are_those_of_all_tokens():
    for kind in ("rfa-sgate", STREAM):
        plain = exact(kind, *SIZES)
        source, target = pad_rows([window([5, 6], [7])]), pad_rows([window([80, 81], [82])])
        for runtime in runtimes(kind, lists()):
            wanted = plain.score(source, target)
            np.testing.assert_allclose(runtime.score(source, target), wanted, atol=1e-4)


def test_windows_that_are_translated_whole_have_the_lists_of_all_their_sentences():
    given, own = documents(3), lists()
    config = TranslateConfig(L=3, search=SearchConfig(beams=2))
    wanted, found = (
        gather(translate_windows(runtime, given, config), [3] * 3)
        for runtime in runtimes("rfa-sgate", own)
    )
    assert wanted == found
    for source, target in zip(given, found, strict=True):
        listed = set(own.of([token for one in source for token in one]).tolist())
        assert {token for one in target for token in one} <= listed


def test_more_beams_than_listed_tokens_are_allowed():
    own = Shortlist(ALWAYS[:6], np.zeros(0, np.int64), np.zeros(V + 1, np.int64), V)
    given = documents(2)
    wanted, found = (translated(r, given, 20) for r in runtimes("rfa-sgate", own))
    assert wanted == found
    assert {token for d in found for s in d for token in s} <= {20, EOS}
