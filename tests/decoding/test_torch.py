"""The torch runtime gives the numbers of the model, also after reordering and dropping."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from longways.decoding.runtime import EXTRA_CANDIDATES, FORBIDDEN, pad_rows
from longways.decoding.torch import TorchRuntime
from longways.errors import WindowError
from longways.model.checkpoint import save_model
from longways.text.tokenizers.special_tokens import BOS, PAD, SEP
from tests.decoding.tiny import MODELS, tiny_runtime, window

SOURCES = [window([5, 6], [7, 8, 9]), window([9]), window([6, 6], [5])]
PREFIXES = [[BOS, 7, 8], [BOS], [BOS, 9, SEP, 5, 6]]
BEAMS = 2


def log_probabilities(runtime, source, target_in):
    """Log-probabilities of the token after `target_in`, by the model's own forward pass."""
    with torch.no_grad():
        logits = runtime.model(torch.tensor([source]), torch.tensor([target_in]))
    return logits[0, -1].log_softmax(-1).numpy()


def started(runtime, beams=BEAMS):
    return runtime.start(runtime.encode(pad_rows(SOURCES)), pad_rows(PREFIXES), beams)


@pytest.mark.parametrize("name", MODELS)
def test_candidates_are_the_likeliest_tokens_with_the_probabilities_of_the_model(name):
    runtime = tiny_runtime(name)
    tokens, parents = np.array([[SEP, 5], [6, 6], [7, SEP]]), np.array([[0, 1]] * 3)
    scores, ids, _ = runtime.step(tokens, parents, started(runtime))
    assert scores.shape == ids.shape == (3, BEAMS, BEAMS + EXTRA_CANDIDATES)
    for row, beam in np.ndindex(3, BEAMS):
        wanted = log_probabilities(runtime, SOURCES[row], [*PREFIXES[row], tokens[row, beam]])
        wanted[list(FORBIDDEN)] = -np.inf
        best = np.argsort(-wanted)[: BEAMS + EXTRA_CANDIDATES]
        assert ids[row, beam].tolist() == best.tolist()
        np.testing.assert_allclose(scores[row, beam], wanted[best], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_a_beam_continues_its_parent_and_windows_can_be_dropped(name):
    runtime = tiny_runtime(name)
    first, second = np.array([[5, 6], [7, SEP], [8, 9]]), np.array([[9, 8], [SEP, 5], [6, 7]])
    parents = np.array([[1, 0], [1, 1], [0, 0]])
    _, _, state = runtime.step(first, np.array([[0, 1]] * 3), started(runtime))
    state = runtime.select(state, np.array([0, 2]))
    scores, ids, _ = runtime.step(second[[0, 2]], parents[[0, 2]], state)
    for place, row in enumerate([0, 2]):
        for beam in range(BEAMS):
            history = [first[row, parents[row, beam]], second[row, beam]]
            wanted = log_probabilities(runtime, SOURCES[row], [*PREFIXES[row], *history])
            np.testing.assert_allclose(scores[place, beam], wanted[ids[place, beam]], atol=1e-10)


@pytest.mark.parametrize("name", MODELS)
def test_a_window_can_use_all_positions_after_a_longer_one_was_dropped(name):
    runtime = tiny_runtime(name, "positions=8")
    prefixes = pad_rows([[BOS, 5, 6, 7, 8, 9], [BOS]])
    state = runtime.start(runtime.encode(pad_rows(SOURCES[:2])), prefixes, 1)
    history, parents = [BOS], np.zeros((2, 1), dtype=np.int64)
    for token in (5, 6):
        _, _, state = runtime.step(np.array([[token], [token]]), parents, state)
        history.append(token)
    state = runtime.select(state, np.array([1]))
    for token in (7, 8, 9, 5, 6):
        scores, ids, state = runtime.step(np.array([[token]]), parents[:1], state)
        history.append(token)
    wanted = log_probabilities(runtime, SOURCES[1], history)
    np.testing.assert_allclose(scores[0, 0], wanted[ids[0, 0]], atol=1e-10)
    with pytest.raises(WindowError, match="has 9 tokens, but the model has 8 positions"):
        runtime.step(np.array([[7]]), parents[:1], state)


@pytest.mark.parametrize("name", MODELS)
def test_forbidden_tokens_are_never_offered_however_likely(name):
    runtime = tiny_runtime(name)
    with torch.no_grad():  # the output layer is the embedding: make some logits huge
        runtime.model.decoder.embedding.tokens.weight[list(FORBIDDEN)] *= 100
    state, parents = started(runtime, 1), np.zeros((3, 1), dtype=np.int64)
    for _ in range(4):
        scores, ids, state = runtime.step(np.array([[5], [6], [7]]), parents, state)
        assert np.isfinite(scores).all()
        assert not np.isin(ids, FORBIDDEN).any()


@pytest.mark.parametrize("name", MODELS)
def test_the_score_of_a_window_is_that_of_its_tokens_one_by_one(name):
    runtime = tiny_runtime(name)
    targets = [window([5, 7], [8]), window([9, 9, 9]), window([6])]
    scores = runtime.score(pad_rows(SOURCES), pad_rows(targets))
    for row, target in enumerate(targets):
        target_in = [BOS, *target[:-1]]
        for place, token in enumerate(target):
            wanted = log_probabilities(runtime, SOURCES[row], target_in[: place + 1])[token]
            assert scores[row, place] == pytest.approx(wanted, abs=1e-10)
        assert (scores[row, len(target) :] == 0).all()


def test_a_runtime_loads_a_folder_and_computes_without_dropout(tmp_path):
    wanted = tiny_runtime("hybrid", "dropout=0.5", dtype=torch.float32)
    save_model(wanted.model, tmp_path / "model")
    loaded = TorchRuntime.load(tmp_path / "model")
    windows = pad_rows(SOURCES)
    assert np.array_equal(loaded.score(windows, windows), wanted.score(windows, windows))
    assert np.array_equal(loaded.score(windows, windows), loaded.score(windows, windows))
    assert loaded.positions == 64


def test_half_precision_products_stay_close():
    exact = tiny_runtime("rfa-sgate", dtype=torch.float32)
    rough = TorchRuntime(exact.model, torch.bfloat16)
    windows = pad_rows(SOURCES)
    found, wanted = rough.score(windows, windows), exact.score(windows, windows)
    assert found.dtype == np.float32
    assert 0 < abs(found - wanted).max() < 0.3


def test_rows_are_padded_at_the_end():
    assert pad_rows([[5], [6, 7, 8], []]).tolist() == [[5, PAD, PAD], [6, 7, 8], [PAD] * 3]
    assert pad_rows([[], []]).shape == (2, 0)


def test_the_protocol_and_search_load_without_torch():
    code = (
        "import sys, longways.decoding.runtime, longways.decoding.beam_search\n"
        "import longways.translation.documents\n"
        "import longways.evaluation\n"
        "print([m for m in ('torch', 'sacrebleu') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", MODELS)
def test_alignments_do_not_depend_on_padding(name):
    runtime = tiny_runtime(name)
    targets = [window([5, 6], [7]), window([8]), window([9, 9, 9], [5])]
    together = runtime.align(pad_rows(SOURCES), pad_rows(targets))
    for row, (source, target) in enumerate(zip(SOURCES, targets, strict=True)):
        alone = runtime.align(pad_rows([source]), pad_rows([target]))[0]
        np.testing.assert_allclose(alone.sum(-1), 1, atol=1e-10)
        np.testing.assert_allclose(together[row, : len(target), : len(source)], alone, atol=1e-10)
