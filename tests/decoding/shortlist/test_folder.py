"""The shortlist of a model folder is read as it was written, or refused in one sentence."""

import json

import numpy as np
import pytest

from longways.decoding.shortlist.folder import (
    MANIFEST_FILE,
    SHORTLIST_FOLDER,
    WORDS_FILE,
    StoredShortlist,
    read_shortlist,
    wanted_shortlist,
    write_shortlist,
)
from longways.decoding.shortlist.shortlist import Shortlist
from longways.errors import ConfigError, DamagedCheckpoint, NewerCheckpoint
from longways.model.config import ModelConfig

CONFIG = ModelConfig(source_vocabulary=6, target_vocabulary=9)
LISTS = Shortlist(
    np.array([0, 1, 2, 3, 4]), np.array([5, 6, 8]), np.array([0, 0, 0, 0, 0, 1, 3]), 9
)


def stored(folder, config=CONFIG, **about):
    write_shortlist(folder, StoredShortlist(LISTS, {"coverage": 0.5}, **about))
    return read_shortlist(folder, config)


def test_lists_are_read_as_they_were_written(tmp_path):
    found = stored(tmp_path)
    assert found.lists.identity == LISTS.identity
    assert found.lists.of([5]).tolist() == LISTS.of([5]).tolist() == [0, 1, 2, 3, 4, 6, 8]
    assert found.facts["coverage"] == 0.5
    assert not found.default


def test_arrays_are_narrow_where_the_vocabulary_allows_it(tmp_path):
    stored(tmp_path)
    with np.load(tmp_path / SHORTLIST_FOLDER / WORDS_FILE) as arrays:
        assert arrays["words"].dtype == arrays["always"].dtype == np.uint16


def test_a_large_vocabulary_keeps_its_ids(tmp_path):
    config = ModelConfig(source_vocabulary=6, target_vocabulary=100_000)
    large = Shortlist(LISTS.always, np.array([5, 6, 99_999]), LISTS.offsets, 100_000)
    write_shortlist(tmp_path, StoredShortlist(large))
    assert read_shortlist(tmp_path, config).lists.of([5]).tolist()[-1] == 99_999


@pytest.mark.parametrize(
    ("default", "wanted", "used"),
    [
        (False, None, False),
        (False, True, True),
        (True, None, True),
        (True, False, False),
    ],
)
def test_the_model_says_whether_lists_are_used_unless_the_caller_does(
    tmp_path, default, wanted, used
):
    stored(tmp_path, default=default)
    assert (wanted_shortlist(tmp_path, CONFIG, wanted) is not None) == used


def test_a_model_without_a_shortlist_says_how_to_get_one(tmp_path):
    assert wanted_shortlist(tmp_path, CONFIG, None) is None
    with pytest.raises(ConfigError, match=r"has no shortlist. Add one with `longways export"):
        wanted_shortlist(tmp_path, CONFIG, True)


@pytest.mark.parametrize("sizes", [(7, 9), (6, 8)])
def test_lists_of_another_vocabulary_are_refused(tmp_path, sizes):
    config = ModelConfig(source_vocabulary=sizes[0], target_vocabulary=sizes[1])
    with pytest.raises(DamagedCheckpoint, match="does not fit the vocabularies"):
        stored(tmp_path, config)


@pytest.mark.parametrize("content", [b"", b"<html>", None, "half", "objects", "renamed"])
def test_damaged_lists_are_named(tmp_path, content):
    stored(tmp_path)
    path = tmp_path / SHORTLIST_FOLDER / WORDS_FILE
    if content is None:
        path.unlink()
    elif content == "half":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif content == "objects":
        np.savez(path, always=np.array([{}]), words=np.zeros(1), offsets=np.zeros(7))
    elif content == "renamed":
        np.savez(path, words=np.zeros(1))
    else:
        path.write_bytes(content)
    with pytest.raises(DamagedCheckpoint, match=r"words.npz is missing or damaged") as caught:
        read_shortlist(tmp_path, CONFIG)
    assert "\n" not in str(caught.value)


def test_lists_of_a_later_version_ask_for_an_upgrade(tmp_path):
    stored(tmp_path)
    path = tmp_path / SHORTLIST_FOLDER / MANIFEST_FILE
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    with pytest.raises(NewerCheckpoint, match="upgrade"):
        read_shortlist(tmp_path, CONFIG)
