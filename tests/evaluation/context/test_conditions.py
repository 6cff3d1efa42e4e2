"""Every sentence after its true context, after that of another document, and after none."""

from functools import partial

import numpy as np
import pytest

from longways.corpus.prepared_data import open_data
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.torch import TorchRuntime
from longways.evaluation.context.conditions import (
    CONTEXT_KINDS,
    context_translations,
    make_contexts,
)
from longways.evaluation.losses import last_sentence_losses
from tests.corpus.splits import random_split
from tests.translation.learned import learned_model


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


@pytest.mark.parametrize("kind", CONTEXT_KINDS)
def test_every_sentence_is_translated_and_scored_after_each_context(model, data, kind):
    runtime, found = TorchRuntime.load(model), make_contexts(data.split("dev"), 4)
    counted = list[int]()
    count, config = partial(counted.append, 1), TranslateConfig(L=4, search=SearchConfig(beams=1))
    output = context_translations(runtime, found, kind, config, count)
    losses = last_sentence_losses(runtime, found.pairs, found.contexts[kind], count)
    assert len(output) == len(losses) == len(found.pairs) == len(counted) / 2
    assert all(output)
    assert losses.min() > 0
