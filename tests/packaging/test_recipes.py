"""Bundled recipes and studies are found by name, and a path that exists always wins."""

from pathlib import Path

import pytest

from longways.errors import ConfigError
from longways.recipes import (
    RECIPES,
    bundled,
    find_recipe,
    find_study,
    recipe_names,
    study_names,
)


def test_every_recipe_and_study_has_a_name():
    assert {"toy", "opendocs-zh-en", "iwslt15-zh-en"} <= set(recipe_names())
    assert {"study-toy", "study-opendocs"} <= set(study_names())


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("toy", "toy"),
        ("recipes/toy", "toy"),  # the path in commands of older runs
        ("study-toy", "study-toy.toml"),
        ("study-toy.toml", "study-toy.toml"),
        ("recipes/study-toy.toml", "study-toy.toml"),
    ],
)
def test_a_name_is_found_also_with_its_former_path(name, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    find = find_study if "study" in name else find_recipe
    assert find(Path(name)) == RECIPES / file


@pytest.mark.parametrize("name", ["toys", "mine/toy", "/toy", "recipes/a/toy", "recipes", "."])
def test_other_paths_are_no_names(name):
    assert bundled(Path(name)) is None


def test_a_path_that_exists_wins(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy").mkdir()
    assert find_recipe(Path("toy")) == Path("toy")


def test_a_wrong_name_lists_the_known_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        ConfigError, match=r"no recipe at toys\. Check the path.*: embedded-zh-en, "
    ):
        find_recipe(Path("toys"))
    with pytest.raises(ConfigError, match=r"no study at toys\. Check the path.*: study-consist"):
        find_study(Path("toys"))
    with pytest.raises(ConfigError, match="no recipe at study-toy"):
        find_recipe(Path("study-toy"))
    with pytest.raises(ConfigError, match="no study at toy"):
        find_study(Path("toy"))
