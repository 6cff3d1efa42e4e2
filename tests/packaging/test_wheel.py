"""The wheel contains the package, the bundled model and the recipes, and works alone."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from longways.recipes import recipe_names, study_names

ROOT = Path(__file__).parents[2]
TOP = ("longways/", "longways-")

LIGHT = """
import sys
for package in ("torch", "onnx", "matplotlib"):
    sys.modules[package] = None
from longways.cli import main
main()
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from this tree."""
    pytest.importorskip("hatchling")
    out = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    return path


def test_it_has_the_package_the_model_and_the_recipes_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert all(name.startswith(TOP) for name in names)
    assert not [name for name in names if "__pycache__" in name]
    assert "longways/py.typed" in names
    assert "longways/models/zh-en-docs/decoder.onnx" in names
    assert {f"longways/recipes/{name}/recipe.toml" for name in recipe_names()} <= set(names)
    assert {f"longways/recipes/{name}.toml" for name in study_names()} <= set(names)


def test_its_readme_has_no_relative_link(wheel):
    packed = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
    text = packed.read(metadata).decode()
    assert "](http" in text
    assert "](" not in text.replace("](http", "").replace("](#", "")


def test_it_translates_finds_recipes_and_evaluates_without_torch(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")

    def longways(*arguments):
        return subprocess.run(
            [sys.executable, "-c", LIGHT, *arguments], cwd=tmp_path, check=False,
            capture_output=True, text=True, env={**os.environ, "PYTHONPATH": f"{tmp_path}/site"},
        )  # fmt: skip

    page = ROOT / "examples" / "first-cluster.zh.txt"
    done = longways("translate", str(page), "-o", "page.en.txt")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "page.en.txt").read_text().startswith("Setting up your first cluster")
    scored = longways("evaluate", "--hyp", "page.en.txt", "--ref", "page.en.txt")
    assert scored.returncode == 0, scored.stderr
    assert "100.0" in scored.stdout
    prepared = longways("prepare", "toy", "data", "--set", "corpus.train.documents=20")
    assert prepared.returncode == 0, prepared.stderr
    unknown = longways("train", "opendocs")
    assert (unknown.returncode, "opendocs-zh-en" in unknown.stderr) == (2, True)
    missing = longways("train", "toy", "run")
    assert (missing.returncode, "pip install 'longways[train]'" in missing.stderr) == (2, True)
