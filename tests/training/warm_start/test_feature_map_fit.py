"""Feature maps that are fitted to softmax attention before training begins."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from longways.errors import ConfigError
from longways.model.checkpoint import load_model, save_model
from longways.text.manifest import TEXT_FOLDER
from longways.text.tokenizers.special_tokens import PAD
from longways.training.config import TrainingConfig
from longways.training.device.distributed import Distributed
from longways.training.loop import Trainer
from longways.training.runs.log import read_log
from longways.training.runs.summary import curve
from longways.training.warm_start.feature_map_error import (
    causal_distance,
    cross_distance,
    queries_and_keys,
)
from longways.training.warm_start.feature_map_fit import FitBatches
from tests.command import longways
from tests.training.runs import ALONE, MODEL, prepare_toy, tiny_run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


@pytest.fixture(scope="module")
def transformer(data, tmp_path_factory) -> Path:
    """A transformer whose decoder attends to few tokens, as a trained one does."""
    folder = tmp_path_factory.mktemp("transformer")
    config = tiny_run(data, {"preset": "transformer", "decoder_layers": 2})
    Trainer(config, data, folder, ALONE).run()
    model = load_model(folder / "best")
    with torch.no_grad():
        for layer in model.decoder.layers:
            layer.causal.q.weight *= 4
            layer.cross.q.weight *= 6
    save_model(model, folder / "sharp")
    shutil.copytree(folder / "best" / TEXT_FOLDER, folder / "sharp" / TEXT_FOLDER)
    return folder / "sharp"


def swapped(data, transformer, feature_map="spiky", preset="rfa-sgate", **training):
    maps = {"feature_map": feature_map, "start": "softmax"}
    model = {
        "preset": preset, "decoder_layers": 2,
        "cross": {"projection": 16, **maps}, "causal": {"projection": 8, **maps},
    }  # fmt: skip
    if preset == "hybrid":
        del model["cross"]
    settings = {"init_from": str(transformer), "fit_maps": 40, "updates": 4, **training}
    return tiny_run(data, model, **settings)


def trainer_of(config, data, folder, ranks=ALONE) -> Trainer:
    folder.mkdir(exist_ok=True)
    return Trainer(config, data, folder, ranks)


def distances(trainer: Trainer, transformer: Path) -> list[float]:
    """Of every attention, on batches that no map was fitted to."""
    softmax, found = load_model(transformer), []
    for number in (101, 102):
        shape, windows = trainer.sampler.stages[-1].at(number)
        batch = trainer.train_split.batch(windows, shape)
        mask, real = batch.source != PAD, batch.target != PAD
        seen = queries_and_keys(softmax, batch.source, batch.target_in)
        pairs = zip(trainer.model.decoder.with_matrices(), seen, strict=True)
        for (layer, W), (causal, cross) in pairs:
            found.append(causal_distance(layer.causal.phi, W.causal, causal, real).item())
            found.append(cross_distance(layer.cross.phi, W.cross, cross, mask, real).item())
    return found


def parameters(trainer: Trainer) -> dict[str, torch.Tensor]:
    return {name: p.detach().clone() for name, p in trainer.model.named_parameters()}


def fits_in(folder: Path) -> list[dict[str, float]]:
    return [entry for entry in read_log(folder / "log.jsonl") if "fit_updates" in entry]


@pytest.mark.parametrize(
    ("feature_map", "share"), [("spiky", 0.8), ("learned", 0.6), ("random", 0.9)]
)
def test_every_feature_map_gets_closer_to_softmax(data, transformer, tmp_path, feature_map, share):
    trainer = trainer_of(swapped(data, transformer, feature_map), data, tmp_path)
    before = distances(trainer, transformer)
    fitted = trainer.fit()
    after = distances(trainer, transformer)
    assert fitted.last < share * fitted.first
    assert sum(after) < share * sum(before)
    assert all(a < b for a, b in zip(after, before, strict=True))


@pytest.mark.parametrize("feature_map", ["spiky", "learned", "random"])
def test_nothing_but_the_maps_changes(data, transformer, tmp_path, feature_map):
    trainer = trainer_of(swapped(data, transformer, feature_map, fit_maps=3), data, tmp_path)
    before = parameters(trainer)
    trainer.fit()
    after = parameters(trainer)
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed == {name for name in before if ".phi." in name}
    assert not any(p.grad.any() for p in trainer.model.parameters())  # training adds to these


def test_softmax_that_stays_is_left_alone(data, transformer, tmp_path):
    trainer = trainer_of(swapped(data, transformer, preset="hybrid"), data, tmp_path)
    before = parameters(trainer)
    fitted = trainer.fit()
    changed = {n for n, p in parameters(trainer).items() if not torch.equal(before[n], p)}
    assert changed == {n for n in before if ".causal.phi." in n}
    assert fitted.last < 0.75 * fitted.first


def test_training_sees_the_batches_it_would_have_seen(data, transformer, tmp_path):
    tokens = {}
    for updates in (0, 5):
        folder = tmp_path / str(updates)
        trainer = trainer_of(swapped(data, transformer, fit_maps=updates), data, folder)
        trainer.fit()
        batches = trainer._batches()
        first = [next(batches) for _ in range(3)]
        trainer.run()
        log = read_log(folder / "log.jsonl")
        tokens[updates] = [entry["tokens"] for entry in log if "loss" in entry], first
    assert tokens[0][0] == tokens[5][0]
    for (number, one), (other_number, other) in zip(tokens[0][1], tokens[5][1], strict=True):
        assert number == other_number
        assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


def test_the_windows_of_a_batch_are_limited(data, transformer, tmp_path):
    trainer = trainer_of(swapped(data, transformer), data, tmp_path)
    sampler = trainer.sampler.stages[-1]
    assert max(shape.rows for shape in sampler.shapes) > 3
    for number, batch in enumerate(FitBatches(sampler, trainer.train_split, 3).first(6)):
        shape, windows = sampler.at(number)
        whole = trainer.train_split.batch(windows, shape)
        assert all(torch.equal(a, b[:3]) for a, b in zip(batch, whole, strict=True))


def test_a_curriculum_is_fitted_to_its_longest_windows(data, transformer, tmp_path):
    config = swapped(data, transformer, fit_maps=3)
    plain = trainer_of(config, data, tmp_path / "plain")
    batches = replace(config.batches, curriculum=(1,))
    staged = trainer_of(replace(config, batches=batches), data, tmp_path / "staged")
    assert staged.fit().first == plain.fit().first


def test_every_rank_ends_with_the_same_maps(data, transformer, tmp_path):
    config = swapped(data, transformer, fit_maps=5, accumulate=2)
    found = []
    for name, ranks in (
        ("alone", ALONE),
        *((str(r), Distributed(r, 2, ALONE.device)) for r in (0, 1)),
    ):
        trainer = trainer_of(config, data, tmp_path / name, ranks)
        trainer.fit()
        found.append(parameters(trainer))
    for other in found[1:]:
        assert all(torch.equal(p, other[name]) for name, p in found[0].items())


class TestRuns:
    def test_a_run_fits_once_and_says_so_in_its_log(self, data, transformer, tmp_path):
        trainer = trainer_of(swapped(data, transformer, fit_maps=5), data, tmp_path)
        trainer.run()
        log = read_log(tmp_path / "log.jsonl")
        assert fits_in(tmp_path) == log[:1]
        entry, fitted = log[0], trainer.fitted
        assert entry["update"] == 0
        assert (entry["fit_updates"], entry["fit_first"]) == (5, fitted.first)
        assert (entry["fit_last"], entry["fit_seconds"]) == (fitted.last, fitted.seconds)
        assert [point["update"] for point in curve(log)] == [4]

    def test_a_resumed_run_does_not_fit_again(self, data, transformer, tmp_path):
        whole = trainer_of(
            swapped(data, transformer, fit_maps=5, updates=6), data, tmp_path / "whole"
        )
        whole.run()
        trainer_of(
            swapped(data, transformer, fit_maps=5, updates=3), data, tmp_path / "parts"
        ).run()
        resumed = trainer_of(
            swapped(data, transformer, fit_maps=5, updates=6), data, tmp_path / "parts"
        )
        assert resumed.fit() is None
        resumed.run()
        theirs = parameters(resumed)
        assert all(torch.equal(p, theirs[name]) for name, p in parameters(whole).items())
        assert len(fits_in(tmp_path / "parts")) == 1

    def test_a_run_killed_before_its_first_checkpoint_begins_anew(
        self, data, transformer, tmp_path
    ):
        trainer_of(swapped(data, transformer, fit_maps=5, updates=1), data, tmp_path).run()
        first = fits_in(tmp_path)
        shutil.rmtree(tmp_path / "last")
        trainer_of(swapped(data, transformer, fit_maps=5, updates=1), data, tmp_path).run()
        (again,) = fits_in(tmp_path)
        assert again["fit_last"] == first[0]["fit_last"]
        assert len(read_log(tmp_path / "log.jsonl")) == 2

    def test_a_run_without_it_fits_nothing(self, data, transformer, tmp_path):
        trainer = trainer_of(swapped(data, transformer, fit_maps=0), data, tmp_path)
        assert trainer.fit() is None
        trainer.run()
        assert not fits_in(tmp_path)

    def test_half_precision_fits_as_well(self, data, transformer, tmp_path):
        config = swapped(data, transformer, precision="bfloat16")
        fitted = trainer_of(config, data, tmp_path).fit()
        assert fitted.last < 0.75 * fitted.first

    def test_the_command_line_says_what_fitting_came_to(self, data, transformer, tmp_path):
        recipe = tmp_path / "recipe.toml"
        recipe.write_text("[model]\npreset = 'rfa-sgate'\n")
        settings = [
            *(f"model.{key}={json.dumps(value)}" for key, value in MODEL.items()
              if key not in ("preset", "cross", "causal")),
            "model.decoder_layers=2", "model.cross.projection=8", "model.causal.projection=4",
            "training.fit_maps=2", "training.updates=1", "batches.tokens=400",
        ]  # fmt: skip
        options = [word for setting in settings for word in ("--set", setting)]
        run, start = tmp_path / "run", ["--prepared", data.folder, "--init-from", transformer]
        done = longways("train", recipe, run, *start, *options)
        assert done.returncode == 0, done.stderr
        said = done.stderr.replace("\n", " ")
        assert "Feature maps fitted to softmax in 2 updates and" in said


class TestBadInput:
    def test_a_negative_number_is_refused(self):
        with pytest.raises(ConfigError, match=r"training.fit_maps is -1, but it must be at least"):
            TrainingConfig(fit_maps=-1)

    def test_a_run_that_starts_from_nothing_is_refused(self, data, transformer, tmp_path):
        with pytest.raises(ConfigError, match=r"init_from names no model .*with --init-from"):
            trainer_of(swapped(data, transformer, init_from=""), data, tmp_path)

    def test_a_model_without_feature_maps_is_refused(self, data, transformer, tmp_path):
        config = tiny_run(data, {"preset": "transformer"}, init_from=str(transformer), fit_maps=3)
        config = replace(config, model=load_model(transformer).config)
        with pytest.raises(ConfigError, match=r"all attention of this model is softmax"):
            trainer_of(config, data, tmp_path)

    @pytest.mark.parametrize(("preset", "side"), [("rfa", "causal"), ("hybrid", "causal")])
    def test_a_start_without_softmax_is_refused(self, data, tmp_path, preset, side):
        trainer_of(tiny_run(data, {"preset": preset}, updates=1), data, tmp_path / "start").run()
        config = tiny_run(data, init_from=str(tmp_path / "start" / "last"), fit_maps=3)
        with pytest.raises(ConfigError, match=f"with softmax {side} attention .* has rfa"):
            trainer_of(config, data, tmp_path / "run")

    @pytest.mark.parametrize(
        "other", [{"dim": 24}, {"heads": 4}, {"decoder_layers": 1}, {"norm": "pre"}]
    )
    def test_another_size_is_refused(self, data, transformer, tmp_path, other):
        config = swapped(data, transformer)
        config = replace(config, model=replace(config.model, **other))
        ((name, value),) = other.items()
        with pytest.raises(ConfigError, match=rf"the same {name} in both .* this one {value}\."):
            trainer_of(config, data, tmp_path)

    def test_another_vocabulary_is_refused(self, transformer, tmp_path):
        other = prepare_toy(tmp_path / "data", seed=5)
        with pytest.raises(ConfigError, match=r"it has another vocabulary\. Use a model"):
            trainer_of(swapped(other, transformer), other, tmp_path / "run")
