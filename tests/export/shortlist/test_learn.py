"""The shortlist of prepared data lists translations, frequent and short tokens, and copies."""

from pathlib import Path

import numpy as np
import pytest

from longways.config import build
from longways.corpus.prepare import prepare
from longways.corpus.recipe import CorpusConfig
from longways.errors import CorpusError
from longways.export.shortlist.learn import (
    ShortlistConfig,
    check_data,
    coverage,
    learn_shortlist,
    short_tokens,
)
from longways.text.manifest import TEXT_FOLDER
from tests.training.runs import QUIET, prepare_toy


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("shortlist") / "data")


@pytest.fixture(scope="module")
def learned(data):
    return learn_shortlist(data, ShortlistConfig(frequent=20))


def test_the_lists_have_nearly_all_tokens_of_the_training_data(data, learned):
    found = [
        np.isin(target, learned.lists.of(source.tolist())).mean()
        for source, target in sentences(data.split("train"))
    ]
    assert np.mean(found) > 0.98


def test_the_coverage_of_the_dev_split_is_stored(data, learned):
    found = coverage(learned.lists, data)
    assert found.items() <= learned.facts.items()
    tokens = [
        (np.isin(t, learned.lists.of(s.tolist())).sum(), len(t))
        for s, t in sentences(data.split("dev"))
    ]
    listed, total = np.sum(tokens, 0)
    assert found["coverage"] == pytest.approx(listed / total, abs=1e-4)
    assert 0.5 < found["coverage"] <= 1


def test_special_frequent_and_short_tokens_are_in_every_list(data, learned):
    counts = np.bincount(np.asarray(data.split("train").target), minlength=data.vocabularies[1])
    always = set(learned.lists.of([]).tolist())
    assert always >= {0, 1, 2, 3, 4, int(counts.argmax())}
    text = data.text()
    assert always >= set(text.target.encode(["q"])[0][-1:])
    assert always >= set(short_tokens(text.target).tolist())


def test_a_smaller_share_lists_more(data, learned):
    rough = learn_shortlist(data, ShortlistConfig(frequent=20, share=0.1))
    assert len(rough.lists.words) < len(learned.lists.words)
    assert rough.facts["coverage"] <= learned.facts["coverage"]


@pytest.mark.parametrize("joint", [False, True])
def test_source_tokens_are_listed_if_the_vocabulary_is_joint(joint, tmp_path):
    values = {
        "source_language": "toy", "target_language": "en",
        "text": {"vocabulary": 400, "joint": joint},
        "train": {"format": "toy", "documents": 4}, "dev": {"format": "toy", "documents": 1},
    }  # fmt: skip
    data = prepare(build(CorpusConfig, values, "test"), Path(), tmp_path / "data", QUIET)
    lists = learn_shortlist(data, ShortlistConfig(frequent=5)).lists
    listed = [token in lists.of([token]) for token in range(min(data.vocabularies))]
    assert all(listed) == joint


def test_data_of_another_vocabulary_is_refused(data, tmp_path):
    other = prepare_toy(tmp_path / "other", seed=9)
    model = tmp_path / "model"
    model.mkdir()
    (model / TEXT_FOLDER).symlink_to(data.folder / TEXT_FOLDER)
    assert check_data(model, data.folder).folder == data.folder
    with pytest.raises(CorpusError, match="prepared with another vocabulary"):
        check_data(model, other.folder)


def sentences(split):
    for number in range(split.sentences):
        yield (
            split.source[slice(*split.source_offsets[number : number + 2])],
            split.target[slice(*split.target_offsets[number : number + 2])],
        )
