"""The provenance of translations, from the contents of a model's files."""

import shutil

import pytest

from longways.evaluation.provenance import model_hash, runtime_name
from longways.translation.model_folder import default_model


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(default_model(), tmp_path / "other name")


def test_a_copy_under_another_name_is_the_same_model(copy):
    wanted = model_hash(default_model(), "cpu")
    (copy / "README.md").write_text("another card")
    assert model_hash(copy, "cpu") == wanted
    assert len(wanted) == 12


@pytest.mark.parametrize("name", ["graphs.bin", "decoder.onnx", "text/text.json"])
def test_another_byte_is_another_model(copy, name):
    with (copy / name).open("ab") as file:
        file.write(b" ")
    assert model_hash(copy, "cpu") != model_hash(default_model(), "cpu")


def test_graphs_are_for_the_cpu_and_weights_for_torch(copy):
    assert runtime_name(copy, "cpu").startswith("onnxruntime-")
    assert runtime_name(copy, "cuda").endswith("-cuda")
    (copy / "encoder.onnx").rename(copy / "weights.safetensors")
    assert runtime_name(copy, "cpu").startswith("torch-")
    assert model_hash(copy, "cpu") != model_hash(default_model(), "cpu")
