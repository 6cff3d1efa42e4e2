"""A model that must use its context is shown to, and one that cannot is not."""

import numpy as np
import pytest

from longways.corpus.store import open_data
from longways.evaluation.context import (
    KINDS,
    context_translations,
    context_use,
    greedy,
    make_contexts,
)
from longways.runtime.torch import TorchRuntime
from tests.corpus.splits import random_split
from tests.translate.learned import learned_model


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return learned_model(tmp_path_factory)


@pytest.fixture(scope="module")
def data(model):
    return open_data(model.parents[1] / "data")


def test_contexts_are_what_they_say():
    split = random_split(documents=8, seed=1)
    found = make_contexts(split, L=3)
    place = {id(pair): i for i, pair in enumerate(found.pairs)}
    for i, pair in enumerate(found.pairs):
        true, other = found.contexts["true"][i], found.contexts["other"][i]
        head = int(np.flatnonzero(found.documents == found.documents[i])[0])
        assert true == found.pairs[max(head, i - 2) : i]
        assert len(other) <= len(true)
        documents = {int(found.documents[place[id(p)]]) for p in other}
        assert int(found.documents[i]) not in documents
        assert len(documents) <= 1
        assert found.contexts["none"][i] == []
        assert pair is found.pairs[i]
    assert sum(map(len, found.contexts["other"])) > 0.5 * sum(map(len, found.contexts["true"]))


def test_every_sentence_is_translated_after_each_context(model, data):
    runtime, found = TorchRuntime.load(model), make_contexts(data.split("dev"), 4)
    for kind in KINDS:
        output = context_translations(runtime, found, kind, greedy(4))
        assert len(output) == len(found.pairs)
        assert all(output)


def test_a_model_that_needs_its_context_misses_it(model, data):
    """Without the sentence that names somebody, a pronoun leaves one name in eight to guess."""
    runtime = TorchRuntime.load(model)
    true, other, none = context_use(runtime, data.text(), data.split("dev"), 4)
    assert true["more than with the true one"] == 0
    for row in (other, none):
        assert row["loss"] > true["loss"] + 0.05
        assert float(row["95% of it"].split(",")[0].strip("[")) > 0
        assert row["sentence BLEU"] <= true["sentence BLEU"]


def test_windows_of_one_sentence_have_no_context_to_miss(model, data):
    rows = context_use(TorchRuntime.load(model), data.text(), data.split("dev"), 1)
    assert len({row["loss"] for row in rows}) == 1
