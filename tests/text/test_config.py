import pytest

from longways.config import build, describe
from longways.errors import ConfigError
from longways.text.config import TextConfig


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("vocabulary", 261),
        ("merges", 0),
        ("sample", 0),
        ("character_coverage", 0.5),
        ("character_coverage", 1.1),
    ],
)
def test_a_value_out_of_range_is_named_with_its_setting(setting, value):
    with pytest.raises(ConfigError, match=rf"^{setting} is {value}"):
        TextConfig(**{setting: value})


def test_an_unknown_kind_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match="'sentencepiece', 'moses-bpe'"):
        build(TextConfig, {"kind": "wordpiece"}, "recipe.toml", "text.")


def test_every_setting_has_a_meaning():
    assert all(setting.meaning for setting in describe(TextConfig))
