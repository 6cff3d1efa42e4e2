"""Defects of settings: typing errors that were ignored, keys that errors named wrongly."""

import pytest

from longways.config import build
from longways.corpus.recipe import CorpusConfig
from longways.errors import ConfigError
from longways.model.config import ModelConfig
from longways.training.config import build_run, read_tables
from tests.command import longways


def refused(done, words):
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert line.startswith("longways: ")
    assert words in line


class TestF1UnknownSettings:
    """An unknown table, key, override or option is an error that names what was meant."""

    @pytest.mark.parametrize(
        ("override", "words"),
        [
            ("trainin.updates=3", "no setting 'trainin.updates'. Did you mean 'training.updates'?"),
            ("text.vocabulary=3000", "Did you mean 'corpus.text.vocabulary'?"),
            ("updates=3", "Did you mean 'training.updates'?"),
            ("batches.updates=3", "Did you mean 'training.updates'?"),
            ("causal.gate=decay", "Did you mean 'model.causal.gate'?"),
            ("model.cuasal.gate=decay", "Did you mean 'model.causal.gate'?"),
            ("corpus.text.vocabulry=9", "Did you mean 'corpus.text.vocabulary'?"),
            ("zzz.yyy=3", "no table [zzz]. Known are: corpus, model, batches, training, length."),
            ("training=3", "training is 3, but it must be a table"),
            ("training.judged=3", "`training.judged` is now `training.bleu_documents`"),
        ],
    )
    def test_an_override(self, override, words):
        with pytest.raises(ConfigError) as caught:
            read_tables(None, [override])
        assert str(caught.value).startswith(f"--set {override}: ")
        assert words in str(caught.value)

    @pytest.mark.parametrize("command", ["prepare", "train"])
    def test_a_table_of_a_recipe(self, tmp_path, command):
        (tmp_path / "recipe.toml").write_text("[trainin]\n")
        refused(
            longways(command, "recipe.toml", "out", cwd=tmp_path),
            "recipe.toml: there is no table [trainin]. Did you mean [training]?",
        )
        assert not (tmp_path / "out").exists()

    def test_an_override_stops_the_command_before_it_writes(self, tmp_path):
        done = longways("train", "toy", "run", "--set", "trainin.updates=3", cwd=tmp_path)
        refused(done, "Did you mean 'training.updates'?")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        ("kind", "values", "table", "key"),
        [
            (CorpusConfig, {"text": {"vocabulary": 3}}, "corpus.", "corpus.text.vocabulary is 3"),
            (ModelConfig, {"dim": 0}, "model.", "model.dim is 0"),
            (ModelConfig, {"causal": {"projection": 0}}, "model.", "model.causal.projection is 0"),
            (ModelConfig, {"dim": "x"}, "model.", "model.dim is 'x'"),
        ],
    )
    def test_a_value_out_of_range_is_named_by_its_full_key(self, kind, values, table, key):
        sizes = {"source_language": "zh", "target_language": "en"}
        if kind is ModelConfig:
            sizes = {"source_vocabulary": 300, "target_vocabulary": 300}
        with pytest.raises(ConfigError, match=f"^recipe: {key}"):
            build(kind, {**sizes, **values}, "recipe", table)

    def test_the_settings_of_a_run_are_checked_too(self):
        with pytest.raises(ConfigError, match=r"there is no table \[trainin\]"):
            build_run({"trainin": {}}, (300, 300), "recipe")

    def test_an_option_of_the_command_line(self, tmp_path):
        done = longways("translate", "a.txt", "--glosary", "b.tsv", cwd=tmp_path)
        refused(done, "There is no option --glosary. Did you mean --glossary?")
        done = longways("translte", "a.txt", cwd=tmp_path)
        refused(done, "There is no command 'translte'. Did you mean 'translate'?")
