"""Model configs: presets, and settings that are refused."""

import pytest

from longways.attention.config import CrossConfig
from longways.errors import ConfigError
from longways.model.config import ModelConfig, expand_preset, preset

SMALL = {"source_vocabulary": 50, "target_vocabulary": 40}


def test_presets_are_the_models_of_the_paper():
    transformer, rfa = preset("transformer"), preset("rfa")
    assert transformer.causal.kind == transformer.cross.kind == "softmax"
    assert (rfa.cross.projection, rfa.causal.projection, rfa.causal.gate) == (256, 32, "none")
    assert (rfa.dim, rfa.heads, rfa.feed_forward, rfa.encoder_layers) == (512, 8, 1024, 6)
    assert (rfa.norm, rfa.dropout, rfa.pool) == ("post", 0.3, 500)
    assert (preset("rfa-sgate").causal.gate, preset("rfa-sgate").causal.gate_bias) == ("decay", 2)
    assert preset("rfa-sgate-avg").causal.gate == "average"


def test_a_hybrid_is_one_line():
    assert preset("rfa-sgate", "cross.kind=softmax") == preset("hybrid")


def test_a_recipe_table_wins_over_the_preset_it_names_key_by_key():
    table = expand_preset({"preset": "rfa-sgate", "dim": 64, "causal": {"projection": 8}})
    assert table == {
        "dim": 64,
        "causal": {"gate": "decay", "gate_bias": 2.0, "projection": 8},
    }
    assert expand_preset({"dim": 64}) == {"dim": 64}


KEYS_OF_THREE = CrossConfig(kind="softmax", key_heads=3)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"dim": 100, "heads": 8}, "heads must divide dim: the nearest that does is 10"),
        ({"dim": 15, "heads": 5}, "an even number"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"token_dropout": -0.1}, "token_dropout is -0.1"),
        ({"heads": 0}, "heads is 0"),
        ({"sep": 2}, "four different ids"),
        ({"sep": 40}, "between 0 and 39"),
        ({"cross": KEYS_OF_THREE}, "key_heads must divide heads: the nearest is [24]"),
    ],
)
def test_impossible_models_are_refused(settings, words):
    with pytest.raises(ConfigError, match=words):
        ModelConfig(**SMALL, **settings)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("causal.gaet=decay", "no setting 'causal.gaet'. Did you mean 'causal.gate'?"),
        ("causal.gate=decoy", "must be one of 'none', 'decay', 'average'"),
        ("cross.projection=0", "cross.projection is 0, but it must be at least 1"),
        ("cross.tau=-1.0", "cross.tau is -1.0"),
        ("cross.key_heads=2", "cross.key_heads is 2, but cross.kind is 'rfa'"),
        ("cross.means=9", "cross.means is 9, but cross.kind is 'rfa'"),
        ("cross.key_heads=-1", "cross.key_heads is -1, but it must be at least 0"),
        ("causal.kind=softmax", "no state to gate"),
        ("cross=3", "cross is 3, but it must be a table"),
    ],
)
def test_bad_settings_are_named_with_the_expected_type(override, words):
    with pytest.raises(ConfigError, match=words):
        preset("rfa-sgate", override)


def test_an_unknown_preset_lists_the_known_ones():
    with pytest.raises(ConfigError, match="Known are: transformer, rfa, "):
        preset("rfa-gate")
