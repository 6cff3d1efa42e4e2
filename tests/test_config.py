"""Settings: TOML and overrides to frozen dataclasses."""

from dataclasses import dataclass, field
from typing import Literal

import pytest

from longways.config import (
    apply_overrides,
    build,
    describe,
    field_docs,
    flatten,
    read_recipe,
)
from longways.errors import ConfigError


@dataclass(frozen=True, kw_only=True)
class Inner:
    size: int = 3
    """How large."""
    rate: float = 0.5
    """How fast."""


@dataclass(frozen=True, kw_only=True)
class Outer:
    name: str
    """What it is called."""
    mode: Literal["a", "b"] = "a"
    """Which way."""
    sizes: tuple[int, ...] = (1, 2)
    """Some sizes."""
    limit: int | None = None
    """The largest number."""
    exact: bool = False
    """Whether to be exact."""
    inner: Inner = field(default_factory=Inner)
    """What is inside."""


@dataclass(frozen=True, kw_only=True)
class Encoder:
    heads: int = 8

    def __post_init__(self) -> None:
        if self.heads < 1:
            raise ConfigError(f"heads is {self.heads}, but it must be at least 1.")


@dataclass(frozen=True, kw_only=True)
class Model:
    encoder: Encoder = field(default_factory=Encoder)


def test_a_recipe_and_its_overrides_make_a_config(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text('name = "x"\nsizes = [4, 5]\n[inner]\nrate = 2\n')
    wanted = Outer(name="x", sizes=(4, 5), limit=7, mode="b", inner=Inner(rate=2.0, size=9))
    overrides = ["inner.size=9", "mode=b", "limit=7"]
    assert read_recipe(path, Outer, overrides) == wanted
    assert read_recipe(tmp_path, Outer, overrides) == wanted  # a folder means its recipe.toml


def test_overrides_do_not_change_what_they_were_given():
    values = {"inner": {"size": 1}}
    assert apply_overrides(values, ["inner.size=2", "inner.rate=0.1"]) == {
        "inner": {"size": 2, "rate": 0.1}
    }
    assert values == {"inner": {"size": 1}}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({}, "recipe: name is not set, and it has no default"),
        ({"name": "x", "nmae": 1}, "no setting 'nmae'. Did you mean 'name'?"),
        ({"name": "x", "zzz": 1}, "Known are: name, mode, sizes, limit, exact, inner"),
        (
            {"name": "x", "inner": {"sise": 1}},
            "no setting 'inner.sise'. Did you mean 'inner.size'?",
        ),
        ({"name": 3}, "name is 3, but it must be a string"),
        ({"name": "x", "inner": {"size": 1.5}}, "inner.size is 1.5, but it must be a whole number"),
        ({"name": "x", "inner": {"size": True}}, "inner.size is True"),
        ({"name": "x", "inner": {"rate": "z"}}, "inner.rate is 'z', but it must be a number"),
        ({"name": "x", "exact": 1}, "exact is 1, but it must be true or false"),
        ({"name": "x", "mode": "c"}, "must be one of 'a', 'b'"),
        ({"name": "x", "sizes": 3}, "must be a list, each item a whole number"),
        ({"name": "x", "sizes": ["y"]}, "sizes is 'y', but it must be a whole number"),
    ],
)
def test_bad_values_are_named_with_the_expected_type(values, words):
    with pytest.raises(ConfigError) as caught:
        build(Outer, values, "recipe")
    assert words in str(caught.value)
    assert str(caught.value).startswith("recipe: ")


@pytest.mark.parametrize(
    ("override", "words"),
    [("size", "not an override"), ("=3", "not an override"), ("name.size=3", "is not a table")],
)
def test_bad_overrides_are_named(override, words):
    with pytest.raises(ConfigError, match=words):
        apply_overrides({"name": "x"}, [override])


def test_bad_files_are_named(tmp_path):
    with pytest.raises(ConfigError, match="no recipe at"):
        read_recipe(tmp_path / "none.toml", Outer)
    with pytest.raises(ConfigError, match=r"no recipe at .*recipe\.toml"):
        read_recipe(tmp_path, Outer)
    (tmp_path / "bad.toml").write_text("name = ")
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_recipe(tmp_path / "bad.toml", Outer)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_recipe(tmp_path / "latin.toml", Outer)


def test_a_value_out_of_range_is_named_with_its_file():
    with pytest.raises(
        ConfigError, match=r"^recipe: encoder.heads is 0, but it must be at least 1"
    ):
        build(Model, {"encoder": {"heads": 0}}, "recipe")


def test_nested_tables_become_one():
    assert flatten({"a": 1, "b": {"c": 2, "d": {"e": 3}}}) == {"a": 1, "b.c": 2, "b.d.e": 3}


def test_the_docstring_under_a_field_is_its_documentation():
    assert field_docs(Inner) == {"size": "How large.", "rate": "How fast."}
    settings = {setting.key: setting for setting in describe(Outer)}
    assert settings["inner.rate"].meaning == "How fast."
    assert settings["inner.rate"].kind == "a number"
    assert settings["mode"].default == "a"
    assert settings["limit"].kind == "a whole number"
