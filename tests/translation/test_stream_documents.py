"""A stream model translates a document as if it had read all of it for every token."""

import numpy as np
import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.hypothesis import Hypothesis
from longways.decoding.stream import StreamRuntime
from longways.errors import ConfigError, WindowError
from longways.translation.documents import (
    DocumentDecoder,
    TokenDocument,
    decode_all,
    gather,
    translate_documents,
)
from tests.decoding.exported import STREAMS, exact, exported
from tests.decoding.tiny import random_sentences, tiny_runtime
from tests.translation.naive import naive_stream

SHORT = LengthConfig(ratio=0.0, extra=5)


def stream(dtype=torch.float64):
    return tiny_runtime("stream", "stream.heads=1", "heads=4", dtype=dtype)


RUNTIMES = {
    "torch float64": stream,
    "torch float32": lambda: stream(torch.float32),
    "onnx float32": lambda: exported("decay, spiky"),
    "onnx int8": lambda: exported("decay, spiky", int8=True),
    "onnx int8, average": lambda: exported("average, learned", int8=True),
    "onnx int8, two threads": lambda: exported("decay, spiky", int8=True, threads=2),
}


@pytest.fixture(params=RUNTIMES)
def runtime(request):
    return RUNTIMES[request.param]()


def corpus(documents=6, longest=7, seed=0, shortest=1):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest + 1, documents)
    return [random_sentences(size, rng, longest=5, shortest=shortest) for size in sizes]


def config(beams, **values):
    return TranslateConfig(search=SearchConfig(beams=beams), length=SHORT, **values)


def translate(runtime, documents, settings):
    return gather(translate_documents(runtime, documents, settings), [len(d) for d in documents])


@pytest.mark.parametrize("context", [None, 0, 1, 2])
@pytest.mark.parametrize("beams", [1, 4])
def test_equals_a_loop_that_reads_the_whole_document_for_every_token(beams, context):
    runtime, documents = stream(), corpus(4, 6, shortest=0)
    found = translate(runtime, documents, config(beams, context=context))
    wanted = [naive_stream(runtime.model, d, 5, beams, context) for d in documents]
    assert found == wanted


def test_context_changes_translations():
    runtime, documents = stream(), corpus(6, 6)
    assert translate(runtime, documents, config(1)) != translate(
        runtime, documents, config(1, context=0)
    )


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("kind", STREAMS)
def test_an_exported_model_translates_as_torch_does(kind, beams):
    documents = corpus(8, shortest=0)
    wanted = translate(exact(kind), documents, config(beams))
    assert translate(exported(kind), documents, config(beams)) == wanted


@pytest.mark.parametrize("beams", [1, 4])
def test_long_translations_are_those_of_torch(beams):
    """Caches grow after 16 and 32 tokens."""
    documents, long = corpus(5, 3, seed=2), LengthConfig(ratio=0.0, extra=40, min_tokens=38)
    settings = TranslateConfig(search=SearchConfig(beams=beams, nbest=beams), length=long)
    wanted, found = (
        [
            (one.document, one.sentence, hypothesis.tokens, hypothesis.score)
            for one in translate_documents(runtime, documents, settings)
            for hypothesis in one.hypotheses
        ]
        for runtime in (exact("decay, spiky"), exported("decay, spiky"))
    )
    assert [row[:3] for row in found] == [row[:3] for row in wanted]
    np.testing.assert_allclose([row[3] for row in found], [row[3] for row in wanted], rtol=1e-5)


@pytest.mark.parametrize("beams", [1, 4])
def test_each_document_alone_and_all_together_are_the_same(beams, runtime):
    documents = corpus(12, shortest=0)
    alone = [translate(runtime, [d], config(beams))[0] for d in documents]
    assert translate(runtime, documents, config(beams)) == alone
    assert translate(runtime, documents, config(beams, documents=3, windows=2)) == alone


class Interrupted(TokenDocument):
    """A document whose first sentences were translated by an earlier job."""

    def __init__(self, sentences, known):
        super().__init__(0, sentences)
        self.known, self.searched = known, 0

    def recall(self):
        if self.place < len(self.known):
            return [Hypothesis(self.known[self.place], 0.0, 0.0, None)]
        return None

    def record(self, found):
        self.searched += 1


@pytest.mark.parametrize("done", range(8))
def test_a_resumed_document_goes_on_with_the_same_bits(done, runtime):
    document, settings = corpus(1, 8, seed=4)[0] * 2, config(4)
    whole = list(translate_documents(runtime, [document], settings))
    known = [one.tokens for one in whole[:done]]
    resumed = Interrupted(document, known)
    decoder = DocumentDecoder(runtime, settings)
    rest = list(decode_all(decoder, [resumed]))[done:]
    assert [one.hypotheses for one in rest] == [one.hypotheses for one in whole[done:]]
    assert resumed.searched == len(document) - done


def test_window_models_are_no_stream_runtimes():
    assert isinstance(stream(), StreamRuntime)
    assert not isinstance(tiny_runtime("hybrid"), StreamRuntime)


def test_a_sentence_that_is_too_long_is_named():
    with pytest.raises(WindowError, match="Document 1, sentence 2: A sentence has 70 tokens"):
        translate(stream(), [[[5, 6], [5] * 70]], config(1))


def test_a_negative_context_is_refused():
    with pytest.raises(ConfigError, match="context is -1"):
        config(1, context=-1)
