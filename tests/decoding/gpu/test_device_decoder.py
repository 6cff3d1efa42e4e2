"""Search on the device gives the hypotheses of search on the host, for any number of slots."""

from copy import deepcopy
from functools import partial

import numpy as np
import pytest
import torch

from longways.benchmark.speed import check as speed_check
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.gpu import captured_decoder
from longways.decoding.gpu.device_decoder import DeviceDecoder, idle_decoder
from longways.decoding.gpu.device_searcher import DeviceSearcher
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Window
from longways.errors import WindowError
from longways.model.config import preset
from longways.model.translation import TranslationModel
from longways.text.tokenizers.special_tokens import BOS, SEP
from longways.translation.documents import gather, translate_documents
from tests.attention.windows import MAPS
from tests.decoding.tiny import MODELS, random_sentences, tiny_runtime, window

IN_HALF = speed_check.TOLERANCE["bfloat16"]


def windows(count, separators=None, least=0, seed=0):
    """Windows with sources, prefixes and limits of several lengths."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        source = window(*random_sentences(rng.integers(1, 4), rng))
        context = random_sentences(rng.integers(0, 3), rng) if separators is None else []
        prefix = [BOS, *(token for sentence in context for token in (*sentence, SEP))]
        found.append(Window(source, prefix, least, int(rng.integers(least, 15)), separators))
    return found


def on_host(runtime, given, search):
    return decode(runtime, given, TranslateConfig(search=search))


def assert_same(found, wanted, close=1e-5):
    assert len(found) == len(wanted)
    for ours, theirs in zip(found, wanted, strict=True):
        assert [(h.tokens, h.stop) for h in ours] == [(h.tokens, h.stop) for h in theirs]
        assert [h.score for h in ours] == pytest.approx([h.score for h in theirs], abs=close)
        assert [h.rank for h in ours] == pytest.approx([h.rank for h in theirs], abs=close)


def error_in_half(name, feature_map, device="cpu", *more, norm="pre", **sizes):
    """Error of the scores that a decoder with bfloat16 weights gives its own hypotheses."""
    torch.manual_seed(0)
    maps = () if name == "transformer" else (f"causal.feature_map={feature_map}",)
    maps = (*maps, f"cross.feature_map={feature_map}") if name == "rfa-sgate" else maps
    model = TranslationModel(preset(name, *maps, *more, norm=norm, **sizes)).eval().to(device)
    half = deepcopy(model).bfloat16()

    def opened(slots, source, target):
        return DeviceDecoder(half, beams=1, slots=slots, source=source, target=target).decode

    return speed_check.difference(opened, model, 1, "bfloat16")


@pytest.mark.parametrize("feature_map", MAPS)
@pytest.mark.parametrize("name", ["transformer", "rfa-sgate", "hybrid"])
def test_half_precision_scores_its_hypotheses_right(name, feature_map):
    """In plain torch, without Triton."""
    sizes = {"dim": 64, "heads": 4, "feed_forward": 64, "encoder_layers": 2, "decoder_layers": 2}
    words = {"source_vocabulary": 50, "target_vocabulary": 50}
    assert error_in_half(name, feature_map, positions=128, **sizes, **words) < IN_HALF


@pytest.mark.parametrize("slots", [1, 5, 32])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", [*MODELS, "rfa", "rfa-sgate-avg"])
def test_hypotheses_equal_those_of_the_host(name, beams, slots):
    runtime, search = tiny_runtime(name), SearchConfig(beams=beams, nbest=min(beams, 3))
    decoder = DeviceDecoder(runtime.model, search=search, slots=slots)
    given = windows(17)
    assert_same(decoder.decode(given), on_host(runtime, given, search))


@pytest.mark.parametrize("activation", ["relu", "swish"])
def test_a_model_with_another_activation_and_an_output_bias_is_searched_alike(activation):
    runtime = tiny_runtime("transformer", f"activation={activation}", "output_bias=true")
    search, given = SearchConfig(beams=4), windows(9)
    decoder = DeviceDecoder(runtime.model, search=search, slots=5)
    assert_same(decoder.decode(given), on_host(runtime, given, search))


@pytest.mark.parametrize("batch_tokens", [1, 30, 10_000])
@pytest.mark.parametrize("name", MODELS)
def test_sources_are_encoded_in_batches_of_limited_size(name, batch_tokens, monkeypatch):
    monkeypatch.setattr(captured_decoder, "ENCODER_BATCH_TOKENS", batch_tokens)
    runtime, search, given = tiny_runtime(name), SearchConfig(beams=2), windows(9)
    decoder, batches = DeviceDecoder(runtime.model, search=search, slots=9), []
    encoder = decoder.decoder.encoder
    encode = encoder.encode
    monkeypatch.setattr(
        encoder,
        "encode",
        lambda x, padded: batches.append(len(x)) or encode(x, padded=padded),
    )
    assert_same(decoder.decode(given), on_host(runtime, given, search))
    size = max(1, batch_tokens // max(len(window.source) for window in given))
    assert batches == [len(given[start : start + size]) for start in range(0, 9, size)]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("alpha", [0.0, 0.6])
def test_whole_windows_have_the_required_separators(name, alpha):
    runtime, search = tiny_runtime(name), SearchConfig(beams=3, alpha=alpha)
    given = windows(9, separators=2, least=4)
    found = DeviceDecoder(runtime.model, search=search, slots=4).decode(given)
    assert_same(found, on_host(runtime, given, search))


def test_sliding_and_whole_windows_are_decoded_together():
    runtime, search = tiny_runtime("rfa-sgate"), SearchConfig(beams=2)
    sliding, whole = windows(5), windows(5, separators=1, least=2, seed=3)
    found = DeviceDecoder(runtime.model, search=search, slots=10).decode([*sliding, *whole])
    wanted = on_host(runtime, sliding, search) + on_host(runtime, whole, search)
    assert_same(found, wanted)


@pytest.mark.parametrize("name", ["transformer", "hybrid"])
@pytest.mark.parametrize("means", [0, 5, 70])
def test_shared_key_heads_and_means_are_supported(name, means):
    runtime = tiny_runtime(name, "heads=4", "cross.key_heads=2", f"cross.means={means}", "pool=8")
    search, given = SearchConfig(beams=2), windows(9)
    found = DeviceDecoder(runtime.model, search=search, slots=4).decode(given)
    assert_same(found, on_host(runtime, given, search))


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("feature_map", MAPS)
def test_every_feature_map_and_norm_is_supported(feature_map, norm):
    maps = (f"{kind}.feature_map={feature_map}" for kind in ("cross", "causal"))
    runtime = tiny_runtime("rfa-sgate", f"norm={norm}", *maps)
    search, given = SearchConfig(beams=2), windows(6)
    found = DeviceDecoder(runtime.model, search=search, slots=3).decode(given)
    assert_same(found, on_host(runtime, given, search))


def test_a_decoder_is_reusable_and_takes_windows_while_it_works():
    runtime, search = tiny_runtime("hybrid"), SearchConfig(beams=2)
    decoder, given = DeviceDecoder(runtime.model, search=search, slots=3), windows(12)
    wanted = on_host(runtime, given, search)
    for number in range(4):
        decoder.submit(number, given[number])
    found, coming = {}, iter(range(4, 12))
    while decoder.pending:
        for number, hypotheses in decoder.wait():
            found[number] = hypotheses
            if (later := next(coming, None)) is not None:
                decoder.submit(later, given[later])
    assert_same([found[number] for number in range(12)], wanted)
    assert_same(decoder.decode(given), wanted)


def test_a_cache_grows_while_other_windows_are_searched():
    runtime = tiny_runtime("transformer", "positions=512")
    search = SearchConfig(beams=2)
    long = Window(window([5] * 3), [BOS], 150, 150)
    short = [Window(w.source, w.prefix, w.max_tokens, w.max_tokens) for w in windows(3)]
    found = DeviceDecoder(runtime.model, search=search, slots=2).decode([long, *short, long])
    wanted = on_host(runtime, [long, *short, long], search)
    assert_same(found, wanted)
    assert len(found[0][0].tokens) == 150


def test_a_window_beyond_the_limits_is_refused():
    decoder = DeviceDecoder(tiny_runtime("rfa").model, slots=2, source=8, target=20)
    with pytest.raises(WindowError, match=r"9 source tokens and may have 5 new ones, .* 8 and 20"):
        decoder.submit(0, Window([5] * 9, [BOS], 0, 5))
    with pytest.raises(WindowError, match="may have 21"):
        decoder.submit(0, Window([5] * 8, [BOS], 0, 21))


def test_an_idle_decoder_is_reused_and_a_busy_one_is_not():
    runtime, search = tiny_runtime("rfa"), SearchConfig(beams=2)
    first = idle_decoder(runtime, search, slots=2)
    assert idle_decoder(runtime, search, slots=2) is first
    assert idle_decoder(TorchRuntime(runtime.model), search, slots=2) is not first
    first.submit(0, windows(1)[0])
    second = idle_decoder(runtime, search, slots=2)
    assert second is not first
    assert idle_decoder(runtime, SearchConfig(beams=1), slots=2) not in (first, second)


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", MODELS)
def test_translations_equal_the_host_for_one_or_many_documents(name, beams, monkeypatch):
    runtime, rng = tiny_runtime(name), np.random.default_rng(0)
    documents = [random_sentences(size, rng, shortest=0) for size in rng.integers(1, 5, 7)]
    config = TranslateConfig(search=SearchConfig(beams=beams), documents=5, windows=3)

    def translated(some):
        return gather(translate_documents(runtime, some, config), [len(d) for d in some])

    wanted = translated(documents)
    monkeypatch.setattr(runtime, "open_searcher", partial(DeviceSearcher, runtime))
    assert translated(documents) == wanted
    assert [translated([document])[0] for document in documents] == wanted
