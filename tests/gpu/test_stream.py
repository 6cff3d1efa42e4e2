"""Stream models on a real GPU: search in slots, states of documents, and training forms."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
import torch

from longways.attention.config import TRAINED
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.gpu.device_decoder import DeviceDecoder
from longways.decoding.gpu.device_searcher import DeviceSearcher
from longways.decoding.torch_stream import StreamTorchRuntime, torch_runtime
from longways.translation.documents import gather, translate_documents
from tests.decoding.gpu.test_device_decoder import IN_HALF, assert_same, on_host
from tests.decoding.gpu.test_stream_decoder import errors_in_half, sentences, stream_runtime
from tests.decoding.tiny import random_sentences
from tests.model.stream.documents import as_windows, random_document, sentence_rows
from tests.model.stream.test_model import LENGTHS, stream_model

CLOSE = 1e-3

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton"),
]


def on_gpu(*overrides: str, dtype: torch.dtype = torch.float32) -> StreamTorchRuntime:
    runtime = torch_runtime(stream_runtime(*overrides, dtype=dtype).model.cuda())
    assert isinstance(runtime, StreamTorchRuntime)
    return runtime


@pytest.mark.parametrize("slots", [1, 5, 32])
@pytest.mark.parametrize("beams", [1, 4])
def test_hypotheses_equal_those_of_the_host(beams, slots):
    runtime, search = on_gpu(), SearchConfig(beams=beams, nbest=min(beams, 3))
    given = sentences(runtime, 17)
    decoder = DeviceDecoder(runtime.model, search=search, slots=slots)
    assert_same(decoder.decode(given), on_host(runtime, given, search), CLOSE)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("gate", ["none", "decay", "average"])
@pytest.mark.parametrize("feature_map", TRAINED)
def test_every_feature_map_gate_and_norm_is_supported(feature_map, gate, norm):
    settings = f"stream.feature_map={feature_map}", f"stream.gate={gate}", f"norm={norm}"
    runtime, search = on_gpu(*settings), SearchConfig(beams=2)
    given = sentences(runtime, 7)
    found = DeviceDecoder(runtime.model, search=search, slots=3).decode(given)
    assert_same(found, on_host(runtime, given, search), CLOSE)


@pytest.mark.parametrize("sizes", [("dim=320", "heads=5"), ("dim=512", "heads=8"), ("heads=4",)])
@pytest.mark.parametrize("heads", [1, 3])
@pytest.mark.parametrize("projection", [5, 64])
def test_any_size_and_number_of_document_heads_is_supported(heads, projection, sizes):
    settings = f"stream.heads={heads}", f"stream.projection={projection}", *sizes
    runtime, search = on_gpu("norm=pre", *settings), SearchConfig(beams=4)
    with torch.no_grad():  # large random models are sharp: every rounding error decides
        for parameter in runtime.model.parameters():
            parameter *= 0.5
    given = sentences(runtime, 7)
    found = DeviceDecoder(runtime.model, search=search, slots=4).decode(given)
    assert_same(found, on_host(runtime, given, search), CLOSE)


@pytest.mark.parametrize("context", [None, 0, 2])
@pytest.mark.parametrize("beams", [1, 4])
def test_documents_have_the_same_translations_as_on_the_cpu(beams, context):
    here, there = stream_runtime(), on_gpu(dtype=torch.float64)
    rng = np.random.default_rng(3)
    documents = [random_sentences(size, rng, shortest=0) for size in (9, 2, 1, 0, 5, 30)]
    config = TranslateConfig(search=SearchConfig(beams=beams), windows=3, context=context)
    sizes = [len(document) for document in documents]
    wanted = gather(translate_documents(here, documents, config), sizes)
    assert gather(translate_documents(there, documents, config), sizes) == wanted


def test_documents_share_slots_and_states_without_a_trace(monkeypatch):
    runtime, rng = on_gpu(), np.random.default_rng(5)
    documents = [random_sentences(int(size), rng) for size in rng.integers(1, 20, 40)]
    config = TranslateConfig(search=SearchConfig(beams=4), windows=16, documents=16)
    sizes = [len(document) for document in documents]
    monkeypatch.setattr(runtime, "open_searcher", partial(DeviceSearcher, runtime))
    found = gather(translate_documents(runtime, documents, config), sizes)
    again = gather(translate_documents(runtime, documents[::-1], config), sizes[::-1])
    assert again[::-1] == found


@pytest.mark.parametrize("sizes", [("dim=320", "heads=5"), ("dim=512", "heads=8")])
def test_half_precision_scores_its_hypotheses_right(sizes):
    for error in errors_in_half("cuda", *sizes):
        assert error < IN_HALF


@pytest.mark.parametrize(("dtype", "close"), [(torch.float64, 1e-10), (torch.float32, 1e-4)])
@pytest.mark.parametrize("lengths", [LENGTHS, LENGTHS * 8])
def test_whole_documents_and_single_sentences_have_the_same_values_and_gradients(
    lengths, dtype, close
):
    model = stream_model("positions=512").to("cuda", dtype)
    document = random_document(lengths, 4)
    source, target = (x.cuda() for x in as_windows([document]))
    weights = torch.randn(target.shape[1], 40, device="cuda", dtype=dtype)
    whole = model(source, target)[0]
    wanted = torch.autograd.grad((whole * weights).sum(), list(model.parameters()))
    state, parts = model.open_documents(1), []
    for place in range(len(document)):
        rows = (x.cuda() for x in sentence_rows([document], place))
        logits, state = model.read_sentence(*rows, state)
        parts.append(logits)
    found = torch.cat(parts, 1)[0]
    assert (found - whole).abs().max() < close
    gradients = torch.autograd.grad((found * weights).sum(), list(model.parameters()))
    for ours, theirs in zip(gradients, wanted, strict=True):
        assert (ours - theirs).abs().max() < close * (1 + theirs.abs().max())
