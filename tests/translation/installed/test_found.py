"""Models are found in the user folder, in packages, and in Longways itself."""

import sys
from pathlib import Path

import pytest

import longways
from longways.errors import CheckpointError, NewerCheckpoint
from longways.translation.installed.choice import chosen
from longways.translation.installed.found import check_usable, installed_models, user_folder
from longways.translation.installed.lookup import find_model
from longways.translation.model_folder import default_model
from tests.translation.installed.models import make_model


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Install a package with models beside the code, which must not be run."""

    def package(name: str, **models: tuple[str, str]) -> Path:
        site = tmp_path / "site"
        folder = site / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("raise SystemExit('the package was run')\n")
        info = site / f"{name}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
        lines = [f"{model.replace('_', '-')} = {name}.{model}" for model in models]
        (info / "entry_points.txt").write_text("\n".join(["[longways.models]", *lines, ""]))
        for model, languages in models.items():
            make_model(folder / model, *languages)
        monkeypatch.setattr(sys, "path", [str(site), *sys.path])
        return folder

    return package


def test_the_bundled_model_is_there_without_any_folder(user):
    assert not user.exists()
    assert [(m.name, m.origin, m.languages) for m in installed_models()] == [
        ("zh-en-docs", "bundled", "zh to en")
    ]


def test_added_models_come_first_then_packages_then_bundled_ones(user, package):
    package("some_models", de_fr=("de", "fr"), ja_en=("ja", "en"))
    make_model(user / "mine", "ru", "en")
    (user / ".hidden").mkdir()
    (user / "file").write_text("x")
    assert [(m.name, m.origin, m.languages) for m in installed_models()] == [
        ("mine", "added", "ru to en"),
        ("de-fr", "some_models 1.2", "de to fr"),
        ("ja-en", "some_models 1.2", "ja to en"),
        ("zh-en-docs", "bundled", "zh to en"),
    ]
    assert longways.load("ja-en").source_language == "ja"


def test_an_added_model_hides_one_of_the_same_name(user, package):
    package("some_models", ja_en=("ja", "en"))
    make_model(user / "ja-en", "ja", "de")
    assert [m.origin for m in installed_models() if m.name == "ja-en"] == ["added"]


def test_a_package_without_its_folder_is_said(package):
    folder = package("broken", de_fr=("de", "fr"))
    (folder / "de_fr").rename(folder / "gone")
    (model, *_) = installed_models()
    with pytest.raises(CheckpointError, match=r"de-fr .*broken 1\.2 has no folder broken\.de_fr"):
        check_usable(model)


@pytest.mark.parametrize("changes", [{"format": 99, "longways": "9.0"}, {"model": "?"}])
def test_a_model_of_another_version_is_listed_and_refused(user, changes):
    make_model(user / "future", "de", "fr", **changes)
    (model, *_) = installed_models()
    assert model.languages == "de to fr"
    error = NewerCheckpoint if "format" in changes else CheckpointError
    for use in (lambda: check_usable(model), lambda: find_model("future"),
                lambda: chosen(installed_models(), "de", "fr")):  # fmt: skip
        with pytest.raises(
            error, match=r"The model future \(added\) cannot be used: .*config\.json"
        ):
            use()


def test_a_usable_model_is_taken_before_one_of_another_version(user):
    make_model(user / "a-future", "de", "fr", format=99)
    make_model(user / "b-now", "de", "fr")
    assert chosen(installed_models(), "de", "fr").model.name == "b-now"


def test_damaged_folders_do_not_stop_the_list(user):
    (user / "empty").mkdir(parents=True)
    (user / "strange").mkdir()
    (user / "strange" / "config.json").write_text("[" * 100_000)
    assert [(m.name, m.languages, m.error is None) for m in installed_models()] == [
        ("empty", "unknown", False), ("strange", "unknown", False),
        ("zh-en-docs", "zh to en", True),
    ]  # fmt: skip


def test_the_user_folder_is_the_one_of_the_system(monkeypatch, tmp_path):
    monkeypatch.delenv("LONGWAYS_MODELS")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert user_folder() == tmp_path / "longways" / "models"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert user_folder().parts[-4:] == ("Library", "Application Support", "longways", "models")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setattr(sys, "platform", "win32")
    assert user_folder() == tmp_path / "local" / "longways" / "models"


def test_without_languages_the_bundled_model_stays_the_default(user):
    make_model(user / "mine", "ru", "en")
    assert find_model() == default_model()


def test_without_a_bundled_model_the_first_installed_one_is_the_default(
    user, monkeypatch, tmp_path
):
    mine = make_model(user / "mine", "ru", "en")
    monkeypatch.setattr("longways.translation.model_folder.MODELS", tmp_path / "none")
    assert find_model() == mine
