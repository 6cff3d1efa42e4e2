"""Exported stream models give torch's numbers, and a document the same bits beside any others."""

import numpy as np
import pytest

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.onnx import length_groups
from longways.decoding.runtime import EXTRA_CANDIDATES, pad_rows
from longways.decoding.stream import StreamRuntime, Translated
from longways.decoding.torch_stream import StreamTorchRuntime
from longways.errors import LongwaysError, WindowError
from longways.export.weights import Float32
from longways.model.alignment_heads import AlignmentHead
from longways.text.tokenizers.special_tokens import BOS, SEP
from longways.translation.documents import gather, translate_documents
from tests.decoding.exported import STREAMS, exact, export, exported
from tests.decoding.tiny import random_sentences, window

CLOSE = {"rtol": 0, "atol": 1e-5}
KIND = "decay, spiky"
WIDE = ("dim=96", "heads=3", "stream.projection=24")
"""Sizes at which matmuls and loops leave a remainder."""

LENGTHS = [(5, 6), (1, 1), (0, 3), (7, 0), (33, 41), (2, 70), (66, 9), (1, 2)]
"""Source and target tokens of sentences."""


def both(kind, *overrides):
    return exact(kind, *overrides), exported(kind, *overrides)


def read_documents(runtime, documents):
    """The states of documents (lists of source and target) after all of their sentences."""
    states = [runtime.open_document() for _ in documents]
    for place in range(len(documents[0])):
        first = BOS if place == 0 else SEP
        pairs = [document[place] for document in documents]
        found = runtime.finish_sentences(
            [
                Translated([*source, SEP], [first, *target], state)
                for (source, target), state in zip(pairs, states, strict=True)
            ]
        )
        states = found
    return states


def random_documents(sentences=3, seed=0, lengths=LENGTHS, documents=6):
    rng = np.random.default_rng(seed)

    def draw(tokens):
        return rng.integers(SEP + 1, 10, tokens).tolist()

    return [
        [(draw(source), draw(target)) for source, target in rng.permutation(lengths)[:sentences]]
        for _ in range(documents)
    ]


def arrays(document):
    return {**document.source, **document.target}


def same_bits(one, other):
    mine, theirs = arrays(one), arrays(other)
    return mine.keys() == theirs.keys() and all(
        np.array_equal(mine[name], theirs[name]) for name in mine
    )


def started(runtime, prefixes, beams=2):
    short = [(s[:7], t[:7]) for s, t in LENGTHS_OF_START]
    documents = read_documents(runtime, [[pair] * 2 for pair in short])
    sources = pad_rows([[5, 6, 7, SEP], [9, SEP], [SEP]])
    memory = runtime.encode_sentences(sources, documents)
    return runtime.start(memory, pad_rows(prefixes), beams)


LENGTHS_OF_START = [([5, 6], [7]), ([8], [9, 9, 9]), ([6, 6, 6], [5, 5])]


def assert_same_candidates(wanted, found):
    assert wanted[1].tolist() == found[1].tolist()
    np.testing.assert_allclose(found[0], wanted[0], **CLOSE)


@pytest.mark.parametrize("kind", STREAMS)
@pytest.mark.parametrize("prefixes", [[[], [], []], [[SEP, 7, 8], [], [SEP]]])
def test_candidates_in_a_document_are_those_of_torch(kind, prefixes):
    """Beams are swapped, and windows dropped twice."""
    rng, states = np.random.default_rng(0), [started(r, prefixes) for r in both(kind)]
    for windows in (np.arange(3), np.array([0, 2]), np.array([1])):
        states = [r.select(s, windows) for r, s in zip(both(kind), states, strict=True)]
        for _ in range(3):
            tokens = rng.integers(SEP + 1, 10, (len(windows), 2))
            parents = rng.integers(0, 2, (len(windows), 2))
            pairs = zip(both(kind), states, strict=True)
            wanted, found = [r.step(tokens, parents, state) for r, state in pairs]
            assert found[0].shape == (len(windows), 2, 2 + EXTRA_CANDIDATES)
            assert_same_candidates(wanted, found)
            states = [wanted[2], found[2]]


WINDOWS = [
    ([[5, 6], [], [7], [8, 9]], [[5], [6, 6], [], [7]]),
    ([[5], [6]], [[7], [8], [9, 9], [5]]),  # more translations than sentences
    ([[5], [6], [7]], [[8, 8]]),  # fewer
    ([[]], [[]]),
    ([[9]], [[5, 6, 7, 8, 9]]),
]


@pytest.mark.parametrize("kind", STREAMS)
def test_scores_and_alignments_of_windows_are_those_of_torch(kind):
    torch, onnx = both(kind)
    sources, targets = (pad_rows([window(*pair[side]) for pair in WINDOWS]) for side in (0, 1))
    wanted, real = torch.score(sources, targets), (targets != 0)[..., None]
    np.testing.assert_allclose(onnx.score(sources, targets), wanted, rtol=1e-4, atol=1e-6)
    assert not onnx.score(sources, targets)[targets == 0].any()
    aligned, like = onnx.align(sources, targets), torch.align(sources, targets)
    np.testing.assert_allclose(aligned * real, like * real, **CLOSE)
    assert onnx.score(sources[:0], targets[:0]).shape == (0, targets.shape[1])


def test_chosen_heads_align_a_sentence_as_in_torch():
    heads = [AlignmentHead(0, 1, 1), AlignmentHead(1, 0, 0)]
    torch = StreamTorchRuntime(exact(KIND).model, heads=heads)
    onnx = export(torch, Float32())
    source, target = (pad_rows([window(sentence)]) for sentence in ([5, 6, 7], [8, 9]))
    wanted = torch.align(source, target)
    np.testing.assert_allclose(onnx.align(source, target), wanted, **CLOSE)
    assert abs(exact(KIND).align(source, target) - wanted).max() > 0.01


@pytest.mark.parametrize("kind", STREAMS)
def test_500_sentences_have_the_scores_of_torch(kind):
    rng, (torch, onnx) = np.random.default_rng(1), both(kind)
    source, target = (pad_rows([window(*random_sentences(500, rng, shortest=0))]) for _ in range(2))
    wanted = torch.score(source, target)
    np.testing.assert_allclose(onnx.score(source, target), wanted, rtol=1e-4, atol=1e-6)


def test_equal_sources_are_encoded_once(monkeypatch):
    runtime, read = exported(KIND), list[int]()
    encode = runtime.encode_sentences
    monkeypatch.setattr(
        runtime, "encode_sentences", lambda rows, past: read.append(len(rows)) or encode(rows, past)
    )
    source, other = window([5, 6], [7]), window([5, 6], [8])
    targets = pad_rows([window([n], [6, n]) for n in (5, 6, 7, 8)])
    runtime.score(pad_rows([source, other, source, source]), targets)
    assert read == [2, 2]


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("sizes", [(), WIDE])
@pytest.mark.parametrize("kind", STREAMS)
def test_a_document_leaves_the_same_bits_alone_and_beside_others(kind, sizes, int8):
    runtime, documents = exported(kind, *sizes, "positions=128", int8=int8), random_documents()
    together = read_documents(runtime, documents)
    for document, state in zip(documents, together, strict=True):
        (alone,) = read_documents(runtime, [document])
        assert same_bits(alone, state)
    assert not same_bits(together[0], together[1])


@pytest.mark.parametrize("int8", [False, True])
def test_several_threads_leave_the_same_bits(int8):
    documents = random_documents(lengths=LENGTHS[:4])
    documents = [*documents, *random_documents(seed=1, lengths=LENGTHS[:4])]
    one, several = (
        read_documents(exported(KIND, int8=int8, threads=threads), documents) for threads in (1, 3)
    )
    for mine, theirs in zip(one, several, strict=True):
        # The states of two exports differ in their model alone.
        assert same_bits(mine, theirs)


def test_sentences_encoded_in_batches_leave_the_same_bits(monkeypatch):
    runtime, documents = exported(KIND, "positions=128"), random_documents()
    wanted = read_documents(runtime, documents)
    monkeypatch.setattr(length_groups, "MAX_TOKENS", 2 * 72)
    for mine, theirs in zip(read_documents(runtime, documents), wanted, strict=True):
        assert same_bits(mine, theirs)


def test_the_state_has_a_fixed_size():
    runtime = exported(KIND, "positions=128")
    sizes = {
        state.size_bytes()
        for sentences in (1, 3, 8)
        for state in read_documents(runtime, random_documents(sentences))
    }
    assert sizes == {runtime.open_document().size_bytes()}
    model = exact(KIND).model
    torch_state = model.open_documents(1)
    assert model.config.stream.gate == "decay"
    writes = 4 * sum(state.gate.write.numel() for kind in torch_state.kinds for state in kind)
    assert sizes == {torch_state.size_bytes() // 2 - writes}  # torch is in float64 here


def test_search_and_state_share_one_encoding(monkeypatch):
    runtime, encoded = exported(KIND), list[int]()
    run = runtime.encoder.run
    monkeypatch.setattr(
        runtime.encoder, "run", lambda inputs: encoded.append(len(inputs["source"])) or run(inputs)
    )
    document = random_sentences(6, np.random.default_rng(2))
    config = TranslateConfig(
        search=SearchConfig(beams=2), length=LengthConfig(ratio=0.0, extra=5), documents=4
    )
    documents = [document, document[:2]]
    gather(translate_documents(runtime, documents, config), [len(d) for d in documents])
    assert sum(encoded) == 8


def test_a_sentence_that_differs_from_the_searched_one_is_encoded_again():
    runtime = exported(KIND)
    state = runtime.open_document()
    runtime.encode_sentences(pad_rows([[5, 6, SEP]]), [state])
    (found,) = runtime.finish_sentences([Translated([7, SEP], [BOS, 5], state)])
    (wanted,) = read_documents(runtime, [[([7], [5])]])
    assert same_bits(found, wanted)


def test_a_state_of_another_model_is_refused():
    runtime, other = exported(KIND), exported(KIND, int8=True)
    state = other.open_document()
    for ask in (
        lambda: runtime.encode_sentences(pad_rows([[5, SEP]]), [state]),
        lambda: runtime.finish_sentences([Translated([5, SEP], [BOS, 6], state)]),
        lambda: runtime.encode_sentences(pad_rows([[5, SEP]]), [exact(KIND).open_document()]),
    ):
        with pytest.raises(LongwaysError, match="from another model"):
            ask()


def test_every_sentence_needs_a_state():
    runtime = exported(KIND)
    with pytest.raises(LongwaysError, match="2 sentences, but states of 1 documents"):
        runtime.encode_sentences(pad_rows([[5, SEP], [6, SEP]]), [runtime.open_document()])


def test_sentences_beyond_the_positions_are_refused():
    runtime, long = exported(KIND, "positions=8"), np.full((1, 9), 5)
    state = runtime.open_document()
    for ask in (
        lambda: runtime.encode(long),
        lambda: runtime.score(long[:, :8], long),
        lambda: runtime.align(long, long[:, :8]),
        lambda: runtime.finish_sentences([Translated([5, SEP], [BOS, *[6] * 8], state)]),
    ):
        with pytest.raises(WindowError, match="has 9 tokens, but the model has 8 positions"):
            ask()


def test_the_exports_of_window_models_are_no_stream_runtimes():
    assert isinstance(exported(KIND), StreamRuntime)
    assert not isinstance(exported("hybrid"), StreamRuntime)


def test_a_reopened_export_continues_its_states():
    """The clone for many documents has the states of the runtime that it belongs to."""
    runtime = exported(KIND, int8=True)
    clone, state = runtime.single_threaded(), runtime.open_document()
    assert clone is not runtime
    sentence = Translated([5, 6, SEP], [BOS, 7, 8], state)
    (mine,) = runtime.finish_sentences([sentence])
    (theirs,) = clone.finish_sentences([sentence._replace(state=clone.open_document())])
    assert mine.model == theirs.model
    assert same_bits(mine, theirs)
