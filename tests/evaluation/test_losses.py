"""Losses of last sentences equal the dev loss of training with every runtime."""

import numpy as np
import pytest

from longways.corpus.prepared_data import open_data
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.torch import TorchRuntime
from longways.decoding.windows import Pair
from longways.evaluation.losses import by_document, last_sentence_losses, split_pairs, true_contexts
from longways.export.exporter import export_model
from longways.training.dev_loss import DevLoss
from tests.translation.learned import learned_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return learned_model(tmp_path_factory)


@pytest.fixture(scope="module")
def split(model):
    return open_data(model.parents[1] / "data").split("dev")


def losses(runtime, split, L=4):
    pairs = split_pairs(split)
    return last_sentence_losses(runtime, pairs, true_contexts(pairs, split, L))


@pytest.mark.parametrize("L", [1, 3, 4])
def test_it_is_the_loss_that_training_watches(model, split, L):
    runtime = TorchRuntime.load(model)
    wanted = DevLoss(split, runtime.device, L, 2000, 1000).by_sentence(runtime.model)
    np.testing.assert_allclose(losses(runtime, split, L), wanted, rtol=1e-4, atol=1e-4)


def test_exported_graphs_have_the_same(model, split, tmp_path):
    export_model(model, tmp_path / "graphs", int8=False)
    found = losses(OnnxRuntime.load(tmp_path / "graphs"), split)
    np.testing.assert_allclose(found, losses(TorchRuntime.load(model), split), rtol=1e-3, atol=1e-3)


def test_documents_add_up(model, split):
    sums = losses(TorchRuntime.load(model), split)
    documents = by_document(sums, split)
    assert len(documents) == len(split.documents) - 1
    np.testing.assert_allclose(documents.sum(0), sums.sum(0))
    np.testing.assert_allclose(documents[0], sums[: split.documents[1]].sum(0))


def test_context_that_does_not_fit_is_left_out_from_the_front(model, split):
    class Short(TorchRuntime):
        positions = 24

    full = TorchRuntime.load(model)
    short = Short(full.model)
    pair, long = split_pairs(split)[0], Pair([5] * 8, [6] * 8)
    found = last_sentence_losses(short, [pair], [[long, pair]])
    np.testing.assert_allclose(found, last_sentence_losses(full, [pair], [[pair]]), rtol=1e-5)


def test_a_sentence_that_does_not_fit_at_all_counts_for_nothing(model, split):
    runtime, pair = TorchRuntime.load(model), split_pairs(split)[0]
    huge = pair._replace(target=[5] * runtime.positions)
    found = last_sentence_losses(runtime, [huge, pair], [[], []])
    assert found[0].tolist() == [0, 0]
    assert found[1, 1] == len(pair.target) + 1
