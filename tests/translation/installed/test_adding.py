"""Models are added from folders and wheels, whole or not at all, and removed."""

import shutil
import subprocess
import sys
import zipfile

import pytest

from longways.errors import CheckpointError, ConfigError, LongwaysError
from longways.translation.installed import adding
from longways.translation.installed.adding import add_model, remove_model
from longways.translation.installed.found import installed_models
from longways.translation.installed.wheels import models_in, pack_model
from longways.translation.model_folder import default_model
from tests.translation.installed.models import make_model


@pytest.fixture
def folder(tmp_path):
    return make_model(tmp_path / "de-fr", "de", "fr")


def names():
    return [model.name for model in installed_models()]


def files(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_a_folder_is_copied_and_removed(folder, user):
    (model,) = add_model(str(folder))
    assert (model.name, model.folder, model.languages) == ("de-fr", user / "de-fr", "de to fr")
    assert files(model.folder) == files(folder)
    shutil.rmtree(folder)
    assert names() == ["de-fr", "zh-en-docs"]
    remove_model("de-fr")
    assert list(user.iterdir()) == []


def test_a_model_is_replaced_only_with_force(folder, user):
    add_model(str(folder), "mine")
    with pytest.raises(ConfigError, match="There is a model mine already"):
        add_model(str(folder), "mine")
    add_model(str(folder), "mine", force=True)
    with pytest.raises(ConfigError, match="is installed already, under the name mine"):
        add_model(str(user / "mine"), "mine", force=True)
    assert names() == ["mine", "zh-en-docs"]


@pytest.mark.parametrize(
    ("what", "name", "words"),
    [
        ("{folder}", "zh-en-docs", "is the name of a bundled model"),
        ("{folder}", "../up", "cannot be the name of a model"),
        ("{folder}", ".hidden", "cannot be the name of a model"),
        ("{folder}/text", None, "so it is not a model folder"),
        ("{folder}/config.json", None, "is no model folder, no wheel"),
        ("nowhere/model", None, "is no model folder, no wheel"),
        ("missing.whl", None, "is no model folder, no wheel"),
        ("name", "other", "leave out --name"),
    ],
)
def test_what_is_no_model_is_refused_in_words(folder, user, what, name, words):
    with pytest.raises(LongwaysError, match=words):
        add_model(what.format(folder=folder), name)
    assert not user.exists() or list(user.iterdir()) == []


def test_a_damaged_folder_and_one_of_another_version_are_refused(folder, tmp_path):
    vocabulary = next((folder / "text").glob("*.model"))
    vocabulary.unlink()
    vocabulary.write_bytes(b"damaged")
    newer = make_model(tmp_path / "newer", "de", "fr", format=99)
    for path, words in ((folder, "truncated or changed"), (newer, "reads up to 1")):
        with pytest.raises(LongwaysError, match=words):
            add_model(str(path))
    (newer / "config.json").write_bytes((default_model() / "config.json").read_bytes())
    (newer / "encoder.onnx").unlink()
    with pytest.raises(CheckpointError, match="neither graphs nor weights"):
        add_model(str(newer))
    assert names() == ["zh-en-docs"]


def test_only_added_models_are_removed():
    with pytest.raises(ConfigError, match="is part of Longways"):
        remove_model("zh-en-docs")
    with pytest.raises(
        ConfigError, match=r"No installed model is named nothing\. Installed are: zh-"
    ):
        remove_model("nothing")


class TestWheels:
    def test_a_packed_model_is_unpacked_with_the_same_files(self, folder, tmp_path, user):
        wheel = pack_model(folder, tmp_path / "dist", version="2.0")
        assert wheel.name == "longways_model_de_fr-2.0-py3-none-any.whl"
        (model,) = add_model(str(wheel))
        assert (model.name, model.origin) == ("de-fr", "added")
        assert files(model.folder) == files(folder)

    def test_the_same_folder_gives_the_same_wheel(self, folder, tmp_path):
        first, second = (pack_model(folder, tmp_path / name).read_bytes() for name in "ab")
        assert first == second

    def test_pip_installs_a_packed_model_and_removes_it(self, folder, tmp_path, monkeypatch):
        wheel, site = pack_model(folder, tmp_path / "dist"), tmp_path / "site"
        pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q"]
        subprocess.run([*pip, "--target", str(site), str(wheel)], check=True)
        monkeypatch.setattr(sys, "path", [*sys.path, str(site)])
        (model, *_) = installed_models()
        assert (model.name, model.origin) == ("de-fr", "longways-model-de-fr 1.0")
        with pytest.raises(ConfigError, match="pip uninstall longways-model-de-fr"):
            remove_model("de-fr")

    @pytest.mark.parametrize("name", ["a b", "-a", "", "ö", "a/b"])
    def test_a_name_that_no_package_can_have_is_refused(self, folder, tmp_path, name):
        link = folder.rename(tmp_path / "source")
        with pytest.raises(ConfigError, match="name of a package"):
            pack_model(link, tmp_path, name or ".")

    def test_members_that_leave_the_folder_are_not_written(self, folder, tmp_path, user):
        wheel = pack_model(folder, tmp_path / "dist")
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("longways_model_de_fr/../../../evil.txt", "x")
            archive.writestr("longways_model_de_fr/code.py", "x")
        (model,) = add_model(str(wheel))
        assert not list(tmp_path.rglob("evil.txt"))
        assert not list(model.folder.rglob("*.py"))

    @pytest.mark.parametrize(
        ("members", "words"),
        [
            (None, "is no whole wheel"),
            ({}, "has no model of Longways"),
            ({"x-1.dist-info/entry_points.txt": "[console_scripts]\na = b\n"}, "has no model"),
            ({"x-1.dist-info/entry_points.txt": "a = b\n"}, "is no whole wheel"),
            ({"x-1.dist-info/entry_points.txt": "[longways.models]\na = b\n"}, "no config.json"),
        ],
    )
    def test_other_wheels_are_refused_in_words(self, tmp_path, user, members, words):
        wheel = tmp_path / "x-1-py3-none-any.whl"
        if members is None:
            wheel.write_bytes(b"PK\x03\x04 cut")
        else:
            with zipfile.ZipFile(wheel, "w") as archive:
                for name, text in members.items():
                    archive.writestr(name, text)
        with pytest.raises(CheckpointError, match=words):
            add_model(str(wheel))
        assert not user.exists() or list(user.iterdir()) == []

    def test_the_metadata_names_the_version_that_reads_it(self, folder, tmp_path):
        with zipfile.ZipFile(pack_model(folder, tmp_path)) as archive:
            (metadata,) = (n for n in archive.namelist() if n.endswith("METADATA"))
            text = archive.read(metadata).decode()
        assert "Requires-Dist: longways>=" in text
        assert "Name: longways-model-de-fr\n" in text
        assert (default_model() / "README.md").read_text() in text

    def test_models_in_a_wheel_are_named(self, folder, tmp_path):
        wheel = pack_model(folder, tmp_path, "other-name")
        assert models_in(wheel) == {"other-name": "longways_model_other_name/"}


class TestPackages:
    def test_what_pip_says_is_passed_to_the_user(self, monkeypatch):
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        with pytest.raises(
            ConfigError, match="pip could not install longways-model-none: No match"
        ):
            add_model("longways-model-none")

    def test_without_pip_the_user_is_told_how(self, monkeypatch):
        monkeypatch.setattr(adding, "find_spec", lambda _: None)
        with pytest.raises(ConfigError, match=r"has no pip\. Install longways-model-de"):
            add_model("longways-model-de")
