"""Length limits: defaults, limits from a model folder, and what is refused."""

import json

import pytest

from longways.decoding.config import LengthConfig
from longways.decoding.windows import sliding_window, whole_window
from longways.errors import ConfigError


def test_the_defaults_are_the_limits_of_the_paper_for_zh_en():
    assert LengthConfig().max_tokens(10) == 82
    assert LengthConfig().min_tokens == 1


def test_a_model_without_limits_has_the_defaults():
    assert LengthConfig.from_facts({"L": 4}, "config.json") == LengthConfig()


def test_a_model_can_have_the_limits_of_the_paper_for_en_ru():
    length = LengthConfig.from_facts({"length": {"ratio": 1, "extra": 50}}, "config.json")
    assert [length.max_tokens(n) for n in (1, 7, 100)] == [51, 57, 150]
    assert sliding_window([], [5] * 7, length, 1024).max_tokens == 57
    assert whole_window([[5] * 7, [6] * 3], length, 1024).max_tokens == 10 + 50 + 1


def test_limits_written_as_facts_are_read_again():
    length = LengthConfig(ratio=1.0, extra=50, min_tokens=0)
    facts = json.loads(json.dumps({"L": 4, **length.to_facts()}))
    assert LengthConfig.from_facts(facts, "config.json") == length


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"max": 50},
            "there is no setting 'max'. Known are: ratio, extra, min_tokens.",
        ),
        ({"ratoi": 1}, "there is no setting 'ratoi'. Did you mean 'ratio'?"),
        ({"extra": 1.5}, "extra is 1.5, but it must be a whole number."),
        ({"ratio": -1.0}, "ratio is -1.0, but length limits must not be negative."),
        ({"extra": 2, "min_tokens": 3}, "extra is 2, but it must be at least 3"),
    ],
)
def test_bad_limits_are_refused_with_the_file_and_the_key(values, message):
    with pytest.raises(ConfigError) as error:
        LengthConfig.from_facts({"length": values}, "m/config.json")
    assert str(error.value).startswith(f"m/config.json, facts.length: {message}")


def test_limits_that_are_not_a_table_are_refused():
    with pytest.raises(ConfigError, match=r"facts\.length is 50, but it must be a table"):
        LengthConfig.from_facts({"length": 50}, "m/config.json")
