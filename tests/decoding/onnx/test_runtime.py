"""The ONNX runtime gives the numbers of the torch runtime, also after reordering and dropping."""

import copy
import subprocess
import sys

import numpy as np
import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.onnx import runtime as module
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.runtime import EXTRA_CANDIDATES, FORBIDDEN, pad_rows
from longways.decoding.torch import TorchRuntime
from longways.errors import DamagedCheckpoint, LongwaysError, WindowError
from longways.export.exporter import write_graphs
from longways.export.weights import Float32
from longways.model.alignment_heads import AlignmentHead
from longways.text.tokenizers.special_tokens import BOS, SEP
from longways.translation.documents import gather, translate_documents
from longways.translation.whole_windows import translate_windows
from tests.decoding.exported import KINDS, exact, export, exported
from tests.decoding.tiny import random_sentences, tiny_runtime, window

CLOSE = {"rtol": 0, "atol": 1e-5}
PRESETS = ["transformer", "rfa", "rfa-sgate", "rfa-sgate-avg", "hybrid"]
SOURCES = [window([5, 6], [7, 8, 9]), window([9]), window([6, 6], [5])]
TARGETS = [window([5, 7], [8]), window([9, 9, 9]), window([6])]
PREFIXES = [[BOS, 7, 8], [BOS], [BOS, 9, SEP, 5, 6]]
BEAMS = 2
SCORED = module.SCORING_BATCH_TOKENS


def both(kind, *overrides):
    return exact(kind, *overrides), exported(kind, *overrides)


def started(runtime, prefixes=PREFIXES, beams=BEAMS):
    return runtime.start(runtime.encode(pad_rows(SOURCES)), pad_rows(prefixes), beams)


def assert_same_candidates(wanted, found):
    assert found[0].dtype == np.float32
    assert wanted[1].tolist() == found[1].tolist()
    np.testing.assert_allclose(found[0], wanted[0], **CLOSE)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prefixes", [PREFIXES, [[], [], []], [[BOS], [], [BOS, 5, SEP]]])
def test_candidates_after_any_prefix_are_those_of_torch(kind, prefixes):
    tokens, parents = np.array([[SEP, 5], [6, 6], [7, SEP]]), np.array([[0, 1]] * 3)
    wanted, found = (r.step(tokens, parents, started(r, prefixes)) for r in both(kind))
    assert found[0].shape == (3, BEAMS, BEAMS + EXTRA_CANDIDATES)
    assert_same_candidates(wanted, found)


@pytest.mark.parametrize("kind", KINDS)
def test_beams_follow_their_parents_and_windows_can_be_dropped(kind):
    """Windows are dropped twice, once without a step in between, so row indices are composed."""
    rng = np.random.default_rng(0)
    states = [started(runtime, beams=3) for runtime in both(kind)]
    for windows in (np.arange(3), np.array([0, 2]), np.array([0, 1]), np.array([1])):
        states = [r.select(s, windows) for r, s in zip(both(kind), states, strict=True)]
        if len(windows) == 2 and windows[1] == 2:
            continue
        for _ in range(4):
            tokens = rng.integers(SEP, 10, (len(windows), 3))
            parents = rng.integers(0, 3, (len(windows), 3))
            pairs = zip(both(kind), states, strict=True)
            wanted, found = [r.step(tokens, parents, state) for r, state in pairs]
            assert_same_candidates(wanted, found)
            states = [wanted[2], found[2]]


@pytest.mark.parametrize("kind", KINDS)
def test_beams_that_change_rows_find_what_they_find_when_they_are_copied(kind, monkeypatch):
    runtime, rng = exported(kind), np.random.default_rng(2)
    steps = [(rng.integers(SEP, 10, (3, 3)), rng.integers(0, 3, (3, 3))) for _ in range(8)]

    def search():
        state, kept = started(runtime, beams=3), np.arange(3)
        for number, (tokens, parents) in enumerate(steps):
            if number == 4:
                kept = np.array([0, 2])
                state = runtime.select(state, kept)
            scores, ids, state = runtime.step(tokens[kept], parents[kept], state)
            yield scores, ids

    found = list(search())
    monkeypatch.setattr(runtime.states, "is_in_place", False)
    for (scores, ids), (again, same_ids) in zip(found, search(), strict=True):
        assert np.array_equal(scores, again)
        assert np.array_equal(ids, same_ids)


def test_two_searches_in_turns_do_not_disturb_each_other():
    """Each state is overwritten in place and gathered; the buffers must not overlap."""
    runtime, rng = exported("rfa-sgate-avg"), np.random.default_rng(1)
    steps = [(rng.integers(SEP, 10, (3, 2)), rng.integers(0, 2, (3, 2))) for _ in range(6)]

    def search(prefixes):
        state = started(runtime, prefixes)
        for tokens, parents in steps:
            scores, ids, state = runtime.step(tokens, parents, state)
            yield scores, ids

    wanted = [list(search(PREFIXES)), list(search([[BOS]] * 3))]
    turns = list(zip(search(PREFIXES), search([[BOS]] * 3), strict=True))
    for one, other in zip(wanted, zip(*turns, strict=True), strict=True):
        for (scores, ids), (again, same_ids) in zip(one, other, strict=True):
            assert np.array_equal(scores, again)
            assert np.array_equal(ids, same_ids)


@pytest.mark.parametrize("kind", ["rfa", "rfa-sgate-avg", "hybrid"])
def test_a_step_overwrites_the_state_in_place(kind):
    runtime = exported(kind)
    tokens, parents = np.array([[5], [6], [7]]), np.zeros((3, 1), dtype=np.int64)
    _, _, before = runtime.step(tokens, parents, started(runtime, beams=1))
    places = {name: array.ctypes.data for name, array in before.arrays.items()}
    _, _, after = runtime.step(tokens, parents, before)
    assert {name: array.ctypes.data for name, array in after.arrays.items()} == places


@pytest.mark.parametrize("kind", ["rfa-sgate-avg", "hybrid"])
def test_a_graph_without_in_place_metadata_gives_the_same_numbers(kind, monkeypatch):
    """Older exports have graphs without this metadata."""
    wanted, found = both(kind)
    monkeypatch.setattr(found.decoder, "in_place", frozenset())
    states = [started(runtime) for runtime in (wanted, found)]
    for token in (5, SEP, 6):
        tokens, parents = np.full((3, 2), token), np.array([[1, 1]] * 3)
        steps = [r.step(tokens, parents, s) for r, s in zip((wanted, found), states, strict=True)]
        assert_same_candidates(*steps)
        states = [step[2] for step in steps]


@pytest.mark.parametrize("kind", KINDS)
def test_windows_encoded_in_batches_have_the_same_memory(kind, monkeypatch):
    runtime = exported(kind)
    wanted = runtime.encode(pad_rows(SOURCES))
    monkeypatch.setattr(module, "ENCODER_BATCH_TOKENS", 2 * 8)
    found = runtime.encode(pad_rows(SOURCES))
    assert found.lengths.tolist() == wanted.lengths.tolist()
    for name, array in wanted.arrays.items():
        np.testing.assert_allclose(found.arrays[name], array, **CLOSE)
        assert found.arrays[name].dtype == array.dtype


@pytest.mark.parametrize("kind", PRESETS)
def test_a_window_can_use_all_positions_after_a_longer_one_was_dropped(kind):
    exact, found = both(kind, "positions=8")
    prefixes, parents = [[BOS, 5, 6, 7, 8, 9], [BOS], [BOS, 5]], np.zeros((3, 1), dtype=np.int64)
    states = [started(runtime, prefixes, 1) for runtime in (exact, found)]
    pairs = list(zip((exact, found), states, strict=True))
    pairs = [(r, r.step(np.array([[5], [6], [7]]), parents, state)[2]) for r, state in pairs]
    pairs = [(r, r.select(state, np.array([1]))) for r, state in pairs]
    for token in (7, 8, 9, 5, 6, 7):
        steps = [r.step(np.array([[token]]), parents[:1], state) for r, state in pairs]
        assert_same_candidates(*steps)
        pairs = [(r, step[2]) for (r, _), step in zip(pairs, steps, strict=True)]
    with pytest.raises(WindowError, match="has 9 tokens, but the model has 8 positions"):
        found.step(np.array([[7]]), parents[:1], pairs[1][1])


def test_windows_prefixes_and_targets_beyond_the_positions_are_refused():
    runtime, long = exported("hybrid", "positions=8"), np.full((3, 9), 5)
    memory = runtime.encode(long[:, :8])
    for ask in (
        lambda: runtime.encode(long),
        lambda: runtime.start(memory, long, 1),
        lambda: runtime.score(long[:, :8], long),
        lambda: runtime.align(long, long[:, :8]),
    ):
        with pytest.raises(WindowError, match="has 9 tokens, but the model has 8 positions"):
            ask()


@pytest.mark.parametrize("kind", PRESETS)
def test_forbidden_tokens_are_never_offered_however_likely(kind):
    runtime = tiny_runtime(kind, dtype=torch.float32)
    with torch.no_grad():  # the output layer is the embedding: make some logits huge
        runtime.model.decoder.embedding.tokens.weight[list(FORBIDDEN)] *= 100
    found = export(runtime, Float32())
    state, parents = started(found, beams=1), np.zeros((3, 1), dtype=np.int64)
    for _ in range(4):
        scores, ids, state = found.step(np.array([[5], [6], [7]]), parents, state)
        assert np.isfinite(scores).all()
        assert not np.isin(ids, FORBIDDEN).any()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_and_alignments_are_those_of_torch(kind, monkeypatch):
    exact, found = both(kind)
    sources, targets = pad_rows(SOURCES), pad_rows(TARGETS)
    wanted = exact.score(sources, targets)
    np.testing.assert_allclose(found.score(sources, targets), wanted, **CLOSE)
    monkeypatch.setattr(module, "SCORING_BATCH_TOKENS", 10)
    np.testing.assert_allclose(found.score(sources, targets), wanted, **CLOSE)
    aligned, like = found.align(sources, targets), exact.align(sources, targets)
    for row, target in enumerate(TARGETS):  # the weights of padding are arbitrary
        np.testing.assert_allclose(aligned[row, : len(target)], like[row, : len(target)], **CLOSE)
    assert found.score(sources[:0], targets[:0]).shape == (0, targets.shape[1])


@pytest.mark.parametrize("kind", ["hybrid", "rfa", "shared keys"])
@pytest.mark.parametrize("heads", [[(0, 1, 1)], [(0, 0, 0), (1, 1, 1)], [(1, 1, 0)]])
def test_alignment_heads_are_those_of_torch_one_step_later_with_a_delay(kind, heads, tmp_path):
    model = exact(kind).model
    heads = [AlignmentHead(*head) for head in heads]
    write_graphs(model, tmp_path, Float32(), heads)
    found, wanted = OnnxRuntime(tmp_path, model.config), TorchRuntime(model, heads=heads)
    source, target = np.array([SOURCES[0]]), np.array([TARGETS[0]])
    aligned = wanted.align(source, target)
    np.testing.assert_allclose(found.align(source, target), aligned, **CLOSE)
    if len(heads) == 1:
        layer, head, delay = heads[0]
        alone = TorchRuntime(model, heads=[AlignmentHead(layer, head, 0)]).align(source, target)
        np.testing.assert_allclose(aligned[:, :-1], alone[:, delay : len(alone[0]) - 1 + delay])
        np.testing.assert_allclose(aligned[:, -1], alone[:, -1])


@pytest.mark.parametrize("gate", ["none", "decay", "average"])
@pytest.mark.parametrize(("cross", "causal"), [(3, 20), (20, 3)])
@pytest.mark.parametrize("kind", ["learned", "spiky"])
def test_trained_maps_of_any_size_give_the_numbers_of_torch_with_any_gate(
    kind, cross, causal, gate
):
    """A head has 8 dimensions; some maps have more features, some fewer."""
    sizes = f"cross.projection={cross}", f"causal.projection={causal}"
    runtimes = both(kind, *sizes, f"causal.gate={gate}")
    states = [started(runtime) for runtime in runtimes]
    for token in (5, SEP, 6):
        tokens, parents = np.array([[token, 7]] * 3), np.array([[1, 0]] * 3)
        steps = [r.step(tokens, parents, s) for r, s in zip(runtimes, states, strict=True)]
        assert_same_candidates(*steps)
        states = [step[2] for step in steps]
    sources, targets = pad_rows(SOURCES), pad_rows(TARGETS)
    wanted, found = (runtime.align(sources, targets) for runtime in runtimes)
    for row, target in enumerate(TARGETS):
        np.testing.assert_allclose(found[row, : len(target)], wanted[row, : len(target)], **CLOSE)


@pytest.mark.parametrize(
    ("kind", "strength", "reached"),
    [("learned", 1, True), ("learned", 100, False), ("spiky", 1, False), ("spiky", 30, True)],
)
def test_norms_are_floored_as_in_torch(kind, strength, reached, monkeypatch):
    model = copy.deepcopy(exact(kind).model)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith("phi.weight"):
                weight *= strength
    runtime, windows = TorchRuntime(model), (pad_rows(SOURCES), pad_rows(TARGETS))
    wanted = runtime.score(*windows)
    np.testing.assert_allclose(export(runtime, Float32()).score(*windows), wanted, **CLOSE)
    for form in ("cross", "chunked", "parallel"):
        monkeypatch.setattr(f"longways.attention.rfa.{form}.MIN_NORM", 1e-12)
    assert (abs(runtime.score(*windows) - wanted).max() > 0.1) == reached


@pytest.mark.parametrize("how", [translate_documents, translate_windows])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_documents_are_translated_as_by_torch_to_the_last_token(kind, beams, how):
    length = LengthConfig(ratio=0.0, extra=8)
    config = TranslateConfig(L=3, search=SearchConfig(beams=beams), length=length, windows=5)
    documents = corpus()
    wanted, found = (
        gather(how(runtime, documents, config), [len(d) for d in documents])
        for runtime in both(kind)
    )
    assert found == wanted


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("kind", PRESETS)
def test_each_document_alone_and_all_together_are_the_same(kind, beams, int8):
    runtime, documents = exported(kind, int8=int8), corpus()
    length = LengthConfig(ratio=0.0, extra=8)
    config = TranslateConfig(L=3, search=SearchConfig(beams=beams), length=length)
    together = gather(translate_documents(runtime, documents, config), [len(d) for d in documents])
    for document, found in zip(documents, together, strict=True):
        (alone,) = gather(translate_documents(runtime, [document], config), [len(document)])
        assert found == alone


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("kind", ["learned", "spiky"])
def test_a_window_has_the_same_numbers_alone_and_beside_others_to_the_last_bit(kind, int8):
    runtime = exported(kind, "dim=128", int8=int8)
    every, alone = started(runtime, beams=1), started(runtime, beams=1)
    alone, parents = runtime.select(alone, np.array([2])), np.zeros((3, 1), dtype=np.int64)
    for token in (5, SEP, 6, 7):
        tokens = np.array([[8], [9], [token]])
        *wanted, every = runtime.step(tokens, parents, every)
        *found, alone = runtime.step(tokens[2:], parents[2:], alone)
        assert np.array_equal(found[0], wanted[0][2:])
        assert np.array_equal(found[1], wanted[1][2:])


@pytest.mark.parametrize("kind", KINDS)
def test_the_decoder_for_many_rows_is_the_same_to_the_last_bit(kind):
    few = exported(kind, int8=True)
    many = few.single_threaded()
    assert many.folder == few.folder
    assert many is not few
    states = [started(runtime) for runtime in (few, many)]
    for name, array in states[0].arrays.items():
        assert np.array_equal(states[1].arrays[name], array)
    for token in (5, SEP, 6):
        tokens, parents = np.array([[token, 7]] * 3), np.array([[1, 0]] * 3)
        steps = [r.step(tokens, parents, s) for r, s in zip((few, many), states, strict=True)]
        assert np.array_equal(steps[0][0], steps[1][0])
        assert np.array_equal(steps[0][1], steps[1][1])
        states = [step[2] for step in steps]


def test_a_single_threaded_runtime_in_float32_is_its_own_clone():
    """Only int8 exports have a decoder of their own for large batches."""
    runtime = exported("spiky")
    assert runtime.single_threaded() is runtime
    assert exported("spiky", threads=2).single_threaded().thread_pool.threads == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_that_occurs_again_is_read_once_and_scored_as_alone(kind, monkeypatch):
    rng, runtime, read = np.random.default_rng(3), exported(kind), list[int]()
    some, targets = (
        pad_rows([window(*random_sentences(2, rng, longest=5)) for _ in range(6)]) for _ in range(2)
    )
    sources = some[[2, 0, 2, 2, 1, 0]]  # neither sorted nor side by side
    wanted = [runtime.score(sources[i : i + 1], targets[i : i + 1])[0] for i in range(6)]
    encode = runtime.encode
    monkeypatch.setattr(runtime, "encode", lambda rows: read.append(len(rows)) or encode(rows))
    monkeypatch.setattr(runtime, "single_threaded", lambda: runtime)
    np.testing.assert_allclose(runtime.score(sources, targets), wanted, **CLOSE)
    assert read == [3]


@pytest.mark.parametrize("int8", [False, True])
def test_several_threads_score_as_one_does(int8, monkeypatch):
    rng = np.random.default_rng(0)
    sources, targets = (
        pad_rows([window(*random_sentences(2, rng, longest=5)) for _ in range(7)]) for _ in range(2)
    )
    one, several = (exported("spiky", int8=int8, threads=threads) for threads in (1, 3))
    wanted = one.score(sources, targets)
    for tokens in (SCORED, 40, 1):  # one batch, some, or one for each window
        monkeypatch.setattr(module, "SCORING_BATCH_TOKENS", tokens)
        assert np.array_equal(several.score(sources, targets), wanted)


def corpus():
    rng = np.random.default_rng(0)
    return [random_sentences(size, rng, longest=5) for size in rng.integers(1, 7, 8)]


def test_its_import_loads_no_library_that_runs_models():
    code = (
        "import sys, longways.decoding.onnx.runtime\n"
        "print([m for m in ('torch', 'onnx', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_without_onnxruntime_the_error_says_how_to_install_it(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(LongwaysError, match="pip install onnxruntime"):
        OnnxRuntime(tmp_path, exact("rfa").model.config)


def test_a_folder_without_graphs_is_named(tmp_path):
    with pytest.raises(DamagedCheckpoint, match=r"no .*encoder\.onnx"):
        OnnxRuntime(tmp_path, exact("rfa").model.config)
