"""Model folders are written atomically, and pickles are never loaded."""

import errno
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from longways.atomic_folder import recover_folder
from longways.errors import (
    ConfigError,
    DamagedCheckpoint,
    DiskFull,
    NewerCheckpoint,
    UnsafeCheckpoint,
)
from longways.model.checkpoint import load_model, save_model
from longways.model.config import PRESETS
from longways.model.manifest import FORMAT, WEIGHTS_FILE, read_manifest
from longways.model.translation import TranslationModel
from tests.model.tiny import random_batch, tiny_config, tiny_model


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "model"
    save_model(TranslationModel(tiny_config("rfa-sgate")), path, scores={"BLEU": 31.2})
    return path


def edit(folder: Path, **changes: object) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


@pytest.mark.parametrize("name", PRESETS)
def test_a_loaded_model_computes_the_same_bits(tmp_path, name):
    model = tiny_model(name).float()
    model.redraw(1)
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert not loaded.training
    source, target = random_batch()
    assert torch.equal(loaded(source, target), model(source, target))
    for mine, theirs in zip(model.state_dict().items(), loaded.state_dict().items(), strict=True):
        assert mine[0] == theirs[0]
        assert torch.equal(mine[1], theirs[1])


def test_a_folder_has_its_config_and_facts(folder):
    manifest = read_manifest(folder)
    assert manifest.model == tiny_config("rfa-sgate")
    assert manifest.facts == {"scores": {"BLEU": 31.2}}
    assert sorted(p.name for p in folder.iterdir()) == ["config.json", "weights.safetensors"]


def test_the_random_matrices_and_which_are_drawn_are_saved(folder):
    names = load_file(folder / "weights.safetensors").keys()
    for pool in ("causal", "cross"):
        for part in ("matrices", "drawn"):
            assert f"decoder.pools.{pool}.{part}" in names


def test_the_names_of_the_weights_are_a_promise():
    """Existing folders have these names, so a change needs a new format version."""
    names = TranslationModel(tiny_config("rfa-sgate")).state_dict().keys()
    assert {name for name in names if ".layers.0." in name or ".layers." not in name} == {
        "encoder.embedding.tokens.weight",
        *(f"encoder.layers.0.attention.{x}.{y}" for x in "qkvo" for y in ("weight", "bias")),
        *(f"encoder.layers.0.residual.norm.{y}" for y in ("weight", "bias")),
        *(
            f"{side}.layers.0.feed_forward.{x}.{y}"
            for side in ("encoder", "decoder")
            for x in ("residual.norm", "wide", "narrow")
            for y in ("weight", "bias")
        ),
        "decoder.embedding.tokens.weight",
        *(
            f"decoder.layers.0.{kind}.{x}.{y}"
            for kind in ("causal", "cross")
            for x in "qkvo"
            for y in ("weight", "bias")
        ),
        "decoder.layers.0.causal.phi.tau",
        "decoder.layers.0.cross.phi.tau",
        "decoder.layers.0.causal.f.weight",
        "decoder.layers.0.causal.f.bias",
        *(
            f"decoder.layers.0.{kind}_residual.norm.{y}"
            for kind in ("causal", "cross")
            for y in ("weight", "bias")
        ),
        *(
            f"decoder.pools.{kind}.{x}"
            for kind in ("causal", "cross")
            for x in ("matrices", "drawn")
        ),
    }


def test_an_output_bias_is_saved_under_its_name(tmp_path):
    model = tiny_model("transformer", "output_bias=true", "activation=swish").float()
    torch.nn.init.normal_(model.output_bias)
    save_model(model, tmp_path / "model")
    assert load_file(tmp_path / "model" / WEIGHTS_FILE)["output_bias"].shape == (40,)
    source, target = random_batch()
    loaded = load_model(tmp_path / "model")
    assert torch.equal(loaded(source, target), model(source, target))


def test_shared_embeddings_are_stored_once_and_shared_again(tmp_path):
    model = tiny_model("hybrid", "target_vocabulary=50", "share_embeddings=true").float()
    save_model(model, tmp_path / "model")
    assert "encoder.embedding.tokens.weight" not in load_file(tmp_path / "model" / WEIGHTS_FILE)
    loaded = load_model(tmp_path / "model")
    assert loaded.encoder.embedding.tokens.weight is loaded.decoder.embedding.tokens.weight
    source, target = random_batch()
    assert torch.equal(loaded(source, target), model(source, target))


def test_embeddings_of_two_vocabularies_cannot_be_shared():
    with pytest.raises(ConfigError, match=r"have 50 and 40 entries.*text.joint=true"):
        tiny_config("hybrid", "share_embeddings=true")


def test_saving_over_a_folder_replaces_it(folder):
    other = TranslationModel(tiny_config("transformer"))
    save_model(other, folder)
    assert read_manifest(folder).model.causal.kind == "softmax"
    assert [p.name for p in folder.parent.iterdir()] == ["model"]


def test_a_failed_save_leaves_the_old_folder(folder, monkeypatch):
    def full_disk(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("longways.model.checkpoint.save_file", full_disk)
    with pytest.raises(
        DiskFull, match=r"no space left to write .*model; the folder that was there"
    ):
        save_model(TranslationModel(tiny_config("transformer")), folder)
    assert load_model(folder).config == tiny_config("rfa-sgate")
    assert [p.name for p in folder.parent.iterdir()] == ["model"]


SAVE_FOR_EVER = """
import sys, pathlib
from longways.model.checkpoint import save_model
from longways.model.translation import TranslationModel
from tests.model.tiny import tiny_config
models = [TranslationModel(tiny_config(name)) for name in ("rfa-sgate", "transformer")]
print("ready", flush=True)
while True:
    for model in models:
        save_model(model, pathlib.Path(sys.argv[1]))
"""


def test_a_kill_at_any_moment_leaves_a_whole_folder(folder):
    root = Path(__file__).parents[2]
    for delay in (0.005, 0.013, 0.021, 0.034, 0.055):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVE_FOR_EVER, str(folder)],
            cwd=root,
            stdout=subprocess.PIPE,
        )
        assert process.stdout is not None
        with process.stdout:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
            process.wait()
        if not folder.exists():  # only where a system cannot exchange two folders in one step
            recover_folder(folder)
        assert load_model(folder).config in (tiny_config("rfa-sgate"), tiny_config("transformer"))


class TestBadFolders:
    def test_no_folder(self, tmp_path):
        with pytest.raises(DamagedCheckpoint, match="no model folder at"):
            load_model(tmp_path / "nothing")

    def test_no_config(self, tmp_path):
        with pytest.raises(DamagedCheckpoint, match=r"has no config\.json"):
            load_model(tmp_path)

    @pytest.mark.parametrize("cut", [0, 1, 7, 8, 100, -4, -1])
    def test_weights_cut_anywhere(self, folder, cut):
        path = folder / "weights.safetensors"
        path.write_bytes(path.read_bytes()[:cut])
        with pytest.raises(DamagedCheckpoint, match="cut short or damaged"):
            load_model(folder)

    def test_weights_missing(self, folder):
        (folder / "weights.safetensors").unlink()
        with pytest.raises(DamagedCheckpoint, match="safetensors format only"):
            load_model(folder)

    def test_a_newer_format(self, folder):
        edit(folder, format=FORMAT + 1, longways="9.0")
        with pytest.raises(NewerCheckpoint, match=r"format 2, .* upgrade"):
            load_model(folder)

    @pytest.mark.parametrize("version", [None, "1", 0])
    def test_no_format(self, folder, version):
        edit(folder, format=version)
        with pytest.raises(DamagedCheckpoint, match="no format version"):
            load_model(folder)

    @pytest.mark.parametrize("protocol", [2, 3, 4, 5])
    def test_a_pickle_in_disguise_is_not_opened(self, folder, tmp_path, protocol):
        trap = tmp_path / "trap"
        payload = pickle.dumps(Trap(trap), protocol=protocol)
        (folder / "weights.safetensors").write_bytes(payload)
        with pytest.raises(UnsafeCheckpoint, match="is a Python pickle"):
            load_model(folder)
        assert not trap.exists()

    def test_a_torch_file_in_disguise_is_not_opened(self, folder, tmp_path):
        trap = tmp_path / "trap"
        torch.save(Trap(trap), folder / "weights.safetensors")
        with pytest.raises(UnsafeCheckpoint, match="is a Python pickle"):
            load_model(folder)
        assert not trap.exists()

    def test_a_config_with_an_unknown_key(self, folder):
        model = json.loads((folder / "config.json").read_text())["model"]
        edit(folder, model=model | {"headz": 4})
        with pytest.raises(DamagedCheckpoint, match=r"model\.headz'\. Did you mean 'model\.heads'"):
            load_model(folder)

    @pytest.mark.parametrize("content", ["", "{", "[]", '{"format": 1}', "\xff"])
    def test_an_invalid_config(self, folder, content):
        (folder / "config.json").write_text(content, encoding="latin-1")
        with pytest.raises(DamagedCheckpoint):
            load_model(folder)

    def test_weights_of_another_model(self, folder):
        other = TranslationModel(tiny_config("transformer")).state_dict()
        save_file(other, folder / "weights.safetensors")
        with pytest.raises(DamagedCheckpoint, match=r"lacks .* tensors"):
            load_model(folder)

    def test_weights_of_another_size(self, folder):
        path = folder / "weights.safetensors"
        weights = load_file(path)
        weights["decoder.layers.0.causal.q.weight"] = torch.zeros(16, 16)
        save_file(weights, path)
        with pytest.raises(DamagedCheckpoint, match=r"causal.q.weight has shape \(16, 16\)"):
            load_model(folder)

    def test_more_weights_than_known(self, folder):
        path = folder / "weights.safetensors"
        save_file(load_file(path) | {"extra": torch.zeros(1)}, path)
        with pytest.raises(DamagedCheckpoint, match="has unknown 1 tensors"):
            load_model(folder)


class Trap:
    """An object whose unpickling would create a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.path),)
