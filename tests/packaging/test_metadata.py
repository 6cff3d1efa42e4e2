"""What a package index, a citation manager and the public CI read agrees with the package."""

import json
import re
import tomllib
from pathlib import Path

from longways import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ["3.11", "3.12", "3.13"]


def test_the_project_names_its_pages_licence_and_readme():
    project = PROJECT["project"]
    home = "https://github.com/longways/longways"
    assert project["urls"]["Homepage"] == home
    assert {"Documentation", "Changelog", "Issues", "Source"} <= set(project["urls"])
    assert all(url.startswith("https://") for url in project["urls"].values())
    assert (project["license"], project["license-files"]) == ("Apache-2.0", ["LICENSE"])
    assert (ROOT / project["readme"]).is_file()
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").lstrip().startswith("Apache License")


def test_classifiers_and_ci_name_the_same_versions_of_python():
    found = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert found == PYTHONS
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"
    workflow = (ROOT / ".github/workflows/ci.yml").read_text(encoding="utf-8")
    assert f"python: {json.dumps(PYTHONS)}" in workflow
    for command in ("make lint", "make test", "python -m build", "make docs"):
        assert command in workflow


def test_the_citation_has_this_version_and_the_paper():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
    own, paper = citation.split("preferred-citation:")
    assert "Longways: document translation in linear time" in own
    assert "Modeling Context With Linear Attention" in paper
    assert re.findall(r"family-names: (\w+)", paper) == ["Wu", "Peng", "Pappas", "Smith"]


def test_the_security_policy_says_where_to_report_and_that_nothing_is_unpickled():
    policy = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "security/advisories/new" in policy
    assert "No file is ever unpickled" in policy


def test_no_module_unpickles():
    load = r"torch\.load\((?!.*weights_only=True)"
    unsafe = rf"^\s*(import|from) (pickle|marshal|shelve)\b|{load}|allow_pickle=True"
    modules = {path: path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")}
    assert not [path for path, code in modules.items() if re.search(unsafe, code, re.MULTILINE)]


def test_markers_are_registered_and_make_test_leaves_out_slow_ones():
    markers = [line.split(":")[0] for line in PROJECT["tool"]["pytest"]["ini_options"]["markers"]]
    assert sorted(markers) == ["first", "gpu", "slow"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    test, test_long = (
        re.search(rf"^{name}:.*\n\t(.*)", makefile, re.MULTILINE) for name in ("test", "test-long")
    )
    assert test is not None
    assert test_long is not None
    assert '-m "not slow"' in test[1]
    assert "-m" not in test_long[1]
