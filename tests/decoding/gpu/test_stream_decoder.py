"""Search of stream models on the device gives the hypotheses of search on the host."""

from functools import partial
from unittest.mock import patch

import numpy as np
import pytest
import torch

from longways.attention.config import TRAINED
from longways.decoding.batching import decode
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.gpu import layer_operations, next_token, stream_layer
from longways.decoding.gpu.device_decoder import DeviceDecoder
from longways.decoding.gpu.device_searcher import DeviceSearcher
from longways.decoding.runtime import pad_rows
from longways.decoding.stream import Translated
from longways.decoding.torch_stream import StreamTorchRuntime, torch_runtime
from longways.decoding.windows import Window
from longways.text.tokenizers.special_tokens import BOS, SEP
from longways.translation.documents import gather, translate_documents
from tests.decoding.gpu.test_device_decoder import IN_HALF, assert_same, on_host
from tests.decoding.tiny import random_sentences, tiny_runtime


def stream_runtime(*overrides: str, **options) -> StreamTorchRuntime:
    runtime = tiny_runtime("stream", "heads=4", *overrides, **options)
    assert isinstance(runtime, StreamTorchRuntime)
    return runtime


def sentences(runtime, count, seed=0):
    """The next sentences of documents, some of which have earlier ones, some a forced beginning."""
    rng, found = np.random.default_rng(seed), []
    for number in range(count):
        before, state = random_sentences(2 * int(rng.integers(0, 4)), rng), runtime.open_document()
        for place in range(0, len(before), 2):
            first = SEP if place else BOS
            pair = Translated([*before[place], SEP], [first, *before[place + 1]], state)
            (state,) = runtime.finish_sentences([pair])
        forced = random_sentences(1, rng)[0] if number % 3 == 2 else []
        prefix = [SEP if before else BOS, *forced]
        source = [*random_sentences(1, rng)[0], SEP]
        found.append(Window(source, prefix, 1, int(rng.integers(1, 15)), state=state))
    return found


@pytest.mark.parametrize("slots", [1, 5, 32])
@pytest.mark.parametrize("beams", [1, 4])
def test_hypotheses_equal_those_of_the_host(beams, slots):
    runtime, search = stream_runtime(), SearchConfig(beams=beams, nbest=min(beams, 3))
    decoder, given = (
        DeviceDecoder(runtime.model, search=search, slots=slots),
        sentences(runtime, 17),
    )
    assert_same(decoder.decode(given), on_host(runtime, given, search))


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("gate", ["none", "decay", "average"])
@pytest.mark.parametrize("feature_map", TRAINED)
def test_every_feature_map_gate_and_norm_is_supported(feature_map, gate, norm):
    runtime = stream_runtime(
        f"stream.feature_map={feature_map}", f"stream.gate={gate}", f"norm={norm}"
    )
    search, given = SearchConfig(beams=2), sentences(runtime, 7)
    found = DeviceDecoder(runtime.model, search=search, slots=3).decode(given)
    assert_same(found, on_host(runtime, given, search))


@pytest.mark.parametrize("heads", [1, 3])
def test_any_number_of_document_heads_is_supported(heads):
    runtime = stream_runtime(f"stream.heads={heads}", "stream.projection=5")
    search, given = SearchConfig(beams=2), sentences(runtime, 7)
    found = DeviceDecoder(runtime.model, search=search, slots=4).decode(given)
    assert_same(found, on_host(runtime, given, search))


@pytest.mark.parametrize("context", [None, 0, 2])
def test_documents_have_the_same_translations_on_the_device(context, monkeypatch):
    runtime, rng = stream_runtime(), np.random.default_rng(3)
    documents = [random_sentences(size, rng, shortest=0) for size in (9, 2, 1, 0, 5)]
    config = TranslateConfig(search=SearchConfig(beams=2), windows=3, context=context)
    sizes = [len(document) for document in documents]
    wanted = gather(translate_documents(runtime, documents, config), sizes)
    monkeypatch.setattr(runtime, "open_searcher", partial(DeviceSearcher, runtime))
    found = gather(translate_documents(runtime, documents, config), sizes)
    assert found == wanted


def test_a_sentence_without_a_state_is_the_first_of_a_document():
    runtime, config = stream_runtime(), TranslateConfig(search=SearchConfig(beams=2))
    given = [window._replace(prefix=[BOS], state=None) for window in sentences(runtime, 3)]
    searcher, found = DeviceSearcher(runtime, config), {}
    for number, window in enumerate(given):
        searcher.submit(number, window)
    while searcher.pending:
        found.update(searcher.wait())
    assert_same([found[n] for n in range(3)], on_host(runtime, given, config.search))


def test_the_state_of_a_document_decides_its_hypotheses():
    runtime, search = stream_runtime(), SearchConfig(beams=1)
    *_, window = sentences(runtime, 2)
    other = window._replace(state=runtime.open_document())
    found = DeviceDecoder(runtime.model, search=search, slots=2).decode([window, other])
    assert found[0][0].score != pytest.approx(found[1][0].score)


def errors_in_half(device, *sizes):
    """Errors a token of the scores that a decoder with bfloat16 weights gives its hypotheses."""
    sizes = "feed_forward=64", "positions=128", "norm=pre", *sizes
    runtime = stream_runtime(*sizes, dtype=torch.float32)
    with torch.no_grad():
        for parameter in runtime.model.parameters():
            parameter *= 0.5
    half = stream_runtime(*sizes, dtype=torch.float32)
    half.model.load_state_dict(runtime.model.state_dict())
    half = torch_runtime(half.model.bfloat16().to(device))
    given = [
        Window([*source, SEP], [BOS], 1, 10, state=half.open_document())
        for source in random_sentences(6, np.random.default_rng(1))
    ]
    decoder = DeviceDecoder(half.model, beams=1, slots=3)
    for window, (found, *_) in zip(given, decoder.decode(given), strict=True):
        tokens = found.tokens if found.stop is None else [*found.tokens, found.stop]
        score = runtime.score(pad_rows([window.source]), pad_rows([tokens])).sum()
        yield abs(found.score - score) / len(tokens)


def test_half_precision_scores_its_hypotheses_right():
    for error in errors_in_half("cpu", "dim=64"):
        assert error < IN_HALF


def test_the_slots_carry_no_state_from_one_document_to_the_next():
    runtime, search = stream_runtime(), SearchConfig(beams=2)
    given = sentences(runtime, 6)
    decoder = DeviceDecoder(runtime.model, search=search, slots=2)
    first = decoder.decode(given)
    assert_same(decoder.decode(given[::-1]), first[::-1])
    assert_same(decode(runtime, given, TranslateConfig(search=search)), first)


def decoded_by_kernels(beams, *overrides):
    """Hypotheses of interpreted kernels and of the host."""
    from longways.attention.kernels import decode_causal as causal
    from longways.attention.kernels import decode_cross as cross

    runtime = stream_runtime("norm=pre", *overrides, dtype=torch.float32)
    search, given = SearchConfig(beams=beams), sentences(runtime, 3, seed=3)
    wanted = on_host(runtime, given, search)
    with (
        patch.object(stream_layer, "fused_decode_serves", lambda *_: True),
        patch.object(next_token, "triton_serves", lambda _: True),
        patch.object(layer_operations, "triton_serves", lambda _: True),
        patch.object(causal, "decode_causal_fused", wraps=causal.decode_causal_fused) as attended,
        patch.object(cross, "decode_cross_fused", wraps=cross.decode_cross_fused) as read,
    ):
        found = DeviceDecoder(runtime.model, search=search, slots=2).decode(given)
    return found, wanted, attended.called and read.called


@pytest.mark.parametrize(
    ("beams", "overrides"), [(1, ()), (3, ()), (2, ("stream.feature_map=learned",))]
)
def test_hypotheses_of_kernels_equal_those_of_the_host(interpreted, beams, overrides):
    found, wanted, called = interpreted(decoded_by_kernels, beams, *overrides)
    assert_same(found, wanted, 1e-3)
    assert called
