"""The studies for a GPU: every model is what its name says, and learns in a tiny version here."""

from __future__ import annotations

import pytest

from longways.attention.config import TRAINED
from longways.experiments.config import StudyModel, read_study
from longways.experiments.run_facts import describe_attention
from longways.experiments.seeds import seed_groups
from longways.model.state_size import state_bytes
from longways.recipes import RECIPES
from longways.training.config import read_run_recipe
from longways.training.loop import Trainer
from tests.training.runs import ALONE, prepare_toy

SHRINK = (
    "model.dim=16",
    "model.heads=4",
    "model.feed_forward=32",
    "model.encoder_layers=1",
    "model.decoder_layers=1",
    "model.pool=8",
    "batches.tokens=400",
    "training.precision=float32",
    "training.updates=1",
    "training.warmup=1",
    "training.cooldown=0",
    "training.evaluate_every=1",
)
FIT_LESS = "training.fit_maps=2"

SOFTMAX = "cross softmax, causal softmax"
RFA, HYBRID = "cross rfa 256, causal rfa 32", "cross softmax, causal rfa 32, gate decay"
POOLED = "cross softmax, {}, causal rfa 32{}, gate decay"
SHARED = "cross softmax, {} key heads, causal rfa 32{}, gate decay"
WANTED = {
    "tvsub": {
        "transformer-L4": (4, SOFTMAX),
        "transformer-L1": (1, SOFTMAX),
        "transformer-L4-longer": (4, SOFTMAX),
        "rfa-L1": (1, RFA),
        "rfa-L4": (4, RFA),
        "rfa-sgate-avg-L4": (4, f"{RFA}, gate average"),
        "rfa-sgate-L4": (4, f"{RFA}, gate decay"),
        "hybrid-L4": (4, HYBRID),
    },
    "consistency": {
        "transformer": (4, SOFTMAX),
        "rfa": (4, "cross rfa 128, causal rfa 64"),
        "rfa-sgate": (4, "cross rfa 128, causal rfa 64, gate decay"),
    },
    "features": {
        "transformer-L4": (4, SOFTMAX),
        "random-256-32": (4, f"{RFA}, gate decay"),
        "random-128-64": (4, "cross rfa 128, causal rfa 64, gate decay"),
        "random-64-32": (4, "cross rfa 64, causal rfa 32, gate decay"),
        "positive-64-32": (4, "cross rfa 64 positive, causal rfa 32 positive, gate decay"),
        "learned-64-32": (4, "cross rfa 64 learned, causal rfa 32 learned, gate decay"),
        "hybrid-32": (4, HYBRID),
        "hybrid2-32": (4, SHARED.format(2, "")),
        "hybrid2-32-taught": (4, SHARED.format(2, "")),
        "hybrid4-spiky-32-taught": (4, SHARED.format(4, " spiky")),
        "hybrid-x56-spiky-32-taught": (4, POOLED.format("56 means", " spiky")),
        "hybrid2-x128-32-taught": (4, POOLED.format("2 key heads, 128 means", "")),
        "spiky-64-32": (4, "cross rfa 64 spiky, causal rfa 32 spiky, gate decay"),
        "spiky-64-32-taught": (4, "cross rfa 64 spiky, causal rfa 32 spiky, gate decay"),
        "spiky-112-32-taught": (4, "cross rfa 112 spiky, causal rfa 32 spiky, gate decay"),
    },
}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


def study_called(name):
    return read_study(RECIPES / f"study-{name}.toml")


def config_of(study, model: StudyModel, *more: str, vocabularies=(24_000, 24_000)):
    return read_run_recipe(study.recipe, vocabularies, [*model.settings, *more])


@pytest.mark.parametrize("name", WANTED)
def test_every_model_is_what_its_name_says(name):
    study = study_called(name)
    configs = {model.name: config_of(study, model) for model in study.models}
    found = {name: (c.batches.L, describe_attention(c.model)) for name, c in configs.items()}
    assert found == WANTED[name]
    assert all(len(names) == 1 for names in seed_groups(study).values())


@pytest.mark.parametrize("name", WANTED)
def test_rfa_models_start_from_a_transformer_of_their_l_with_what_helped(name):
    study = study_called(name)
    configs = {model.name: config_of(study, model) for model in study.models}
    for model in study.models:
        config = configs[model.name]
        if model.init_from is None:
            assert config.model.causal.kind == config.model.cross.kind == "softmax"
            continue
        base = configs[model.init_from]
        assert base.batches == config.batches
        assert base.model.causal.kind == base.model.cross.kind == "softmax"
        if config.model.causal.kind == "softmax":
            continue
        assert config.training.redraw_every == 0
        for side, tau in ((config.model.cross, 0.5), (config.model.causal, 0.7)):
            if side.kind == "rfa":
                assert side.start == "softmax"
                wanted = {"random": tau, "positive": 1.0}
                assert side.feature_map in TRAINED or side.tau == wanted[side.feature_map]
        if config.model.causal.gate == "average":
            assert config.model.causal.gate_bias == 0.0


def test_random_64_32_has_a_third_of_the_papers_state_and_learned_a_sixth():
    study = study_called("features")
    sizes = {m.name: state_bytes(config_of(study, m).model, 80, 96) for m in study.models}
    whole = sizes["random-256-32"]
    assert sizes["random-64-32"] / whole == pytest.approx(96 / 288, abs=0.01)
    assert sizes["learned-64-32"] / whole == pytest.approx(48 / 288, abs=0.01)
    assert sizes["spiky-64-32"] == sizes["learned-64-32"]
    assert sizes["spiky-112-32-taught"] / whole == pytest.approx(1 / 4, abs=0.001)
    assert sizes["hybrid2-32"] < sizes["hybrid4-spiky-32-taught"] < whole / 4
    assert sizes["hybrid2-x128-32-taught"] < sizes["hybrid-x56-spiky-32-taught"] < whole / 4
    assert sizes["random-128-64"] > sizes["random-64-32"] == sizes["positive-64-32"]


@pytest.mark.parametrize("name", WANTED)
def test_a_tiny_version_of_every_model_is_trained(name, data, tmp_path):
    study = study_called(name)
    for model in study.models:
        others = {"init_from": model.init_from, "teacher": model.teacher}
        named = [f"training.{k}={str(tmp_path / o / 'best')!r}" for k, o in others.items() if o]
        fewer = [FIT_LESS] if config_of(study, model).training.fit_maps else []
        config = config_of(study, model, *SHRINK, *named, *fewer, vocabularies=data.vocabularies)
        (tmp_path / model.name).mkdir()
        trainer = Trainer(config, data, tmp_path / model.name, ALONE)
        if model.init_from:
            new = {part for n in trainer.warm_start.new for part in n.split(".")[3:5]}
            assert new <= {"causal", "cross", "phi", "f", "pool"}, new
        trainer.run()
        assert (tmp_path / model.name / "best").exists()
