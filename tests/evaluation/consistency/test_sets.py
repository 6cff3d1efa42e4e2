"""Contrastive sets are found and checked, the paper's sets too where they are available."""

import json
import lzma
from pathlib import Path

import pytest

from longways.errors import CorpusError
from longways.evaluation.consistency.sets import find_sets, read_set, read_sets
from longways.experiments.config import read_study
from longways.recipes import RECIPES
from tests.corpus.real import DATA, needs_data

ITEM = {"src": "a _eos b _eos c", "dst": ["x _eos y _eos z", "x _eos y _eos w"], "true_ind": 1}


def write_set(path, items):
    data = json.dumps(items).encode()
    path.write_bytes(lzma.compress(data) if path.suffix == ".xz" else data)
    return path


def test_a_set_says_what_guessing_is_worth_and_how_long_its_items_are(tmp_path):
    three = {**ITEM, "dst": [*ITEM["dst"], "x _eos y _eos v"], "ctx_dist": 2}
    found = read_set(write_set(tmp_path / "ellipsis_vp.json.xz", [ITEM, three]))
    assert (found.name, found.candidates, found.sentences) == ("ellipsis_vp", 5, 3)
    assert found.guessing == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert [item.context_distance for item in found.items] == [0, 2]


def test_a_folder_stands_for_all_sets_in_it(tmp_path):
    for name in ("b.json.xz", "a.json", "notes.txt"):
        write_set(tmp_path / name, [ITEM])
    found = find_sets(Path(tmp_path.name), tmp_path.parent)
    assert [path.name for path in found] == ["a.json", "b.json.xz"]


def test_a_path_in_the_current_folder_comes_before_one_below_the_root(tmp_path):
    here = write_set(tmp_path / "a.json", [ITEM])
    (tmp_path / "root").mkdir()
    assert find_sets(here, tmp_path / "root") == [here]


@pytest.mark.parametrize("sentence", [1, 2])
def test_the_first_sentence_that_should_be_the_same_is_named(tmp_path, sentence):
    other = ["x", "y", "w"]
    other[sentence - 1] = "!"
    path = write_set(
        tmp_path / "a.json", [ITEM, {**ITEM, "dst": [ITEM["dst"][0], " _eos ".join(other)]}]
    )
    with pytest.raises(CorpusError, match=f"item 2: candidate 2 has another sentence {sentence} "):
        read_set(path)


def test_two_sets_of_one_name_are_refused(tmp_path):
    paths = [write_set(tmp_path / name, [ITEM]) for name in ("a.json", "a.json.xz")]
    with pytest.raises(CorpusError, match="are both called a,"):
        read_sets(paths)


@needs_data
def test_guessing_on_the_papers_sets_is_its_random_baseline():
    """And in none of their 5,000 items do candidates differ before the last sentence."""
    study = read_study(RECIPES / "study-consistency.toml")
    sets = read_sets(find_sets(Path(name), DATA)[0] for name in study.consistency)
    assert [round(found.guessing, 3) for found in sets] == [0.5, 0.459, 0.205, 0.097]
    assert sum(len(found.items) for found in sets) == 5000
    assert sum(found.candidates for found in sets) == 16_151
