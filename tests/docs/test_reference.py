"""The references have every command, option and setting, and pages link to what exists."""

import ast
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

from longways.cli import app
from tests.docs.pages import ROOT

REPOSITORY = "https://github.com/longways/longways/blob/main/"
RAW = "https://raw.githubusercontent.com/longways/longways/main/"
PAGES = sorted((ROOT / "docs").rglob("*.md"))
NOT_IN_A_RECIPE = {
    "AttentionConfig": "its fields are those of CausalConfig and CrossConfig",
    "RunConfig": "its fields are tables",
    "ShortlistConfig": "what `longways export --shortlist` lists",
    "SpeedConfig": "the options of `longways bench speed`",
    "ToyConfig": "its fields are tables",
}


def load_tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    return load_tool("reference")


def visible_commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    yield path, command
    for name, child in getattr(command, "commands", {}).items():
        if not child.hidden:
            yield from visible_commands(child, f"{path} {name}")


def section(page: str, title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found is not None, f"the reference has no {title}"
    return found[1]


def test_every_option_of_every_command_is_in_the_reference(reference):
    page = reference.commands_page()
    found = list(visible_commands(typer.main.get_command(app), "longways"))
    assert len(found) > 10
    for path, command in found:
        text = section(page, path)
        for parameter in command.params:
            if getattr(parameter, "hidden", False):
                continue
            option = parameter.param_type_name == "option"
            names = [*parameter.opts, *parameter.secondary_opts]
            for name in names if option else [parameter.metavar or parameter.name]:
                assert f"`{name}`" in text, f"{path} {name}"
            assert " ".join((parameter.help or "").split()[:3]) in text, f"{path} {names}"


def config_classes() -> Iterator[tuple[str, list[str]]]:
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name.endswith("Config"):
                names = [
                    line.target.id
                    for line in node.body
                    if isinstance(line, ast.AnnAssign)
                    and isinstance(line.target, ast.Name)
                    and "ClassVar" not in ast.unparse(line.annotation)
                    and not ast.unparse(line.annotation).endswith("Config")
                ]
                yield node.name, names


def test_every_field_of_every_config_class_is_in_the_reference(reference):
    page = reference.settings_page()
    classes = [pair for pair in config_classes() if pair[0] not in NOT_IN_A_RECIPE]
    assert len(classes) > 5
    for name, fields in classes:
        for field in fields:
            assert re.search(rf"`(\w+\.)*{field}`", page), f"{name}.{field}"


def test_every_setting_has_a_meaning(reference):
    rows = re.findall(r"^\| `([\w.]+)` \|.*\| (.*) \|$", reference.settings_page(), re.MULTILINE)
    assert len(rows) > 60
    assert not [key for key, meaning in rows if len(meaning) < 5]


def slugs(text: str) -> set[str]:
    """The anchors of a page, as the site makes them from its headings."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    plain = [re.sub(r"[^\w\s-]", "", title.lower()).strip() for title in titles]
    return {re.sub(r"[-\s]+", "-", title) for title in plain}


def links(text: str) -> list[str]:
    prose = re.sub(r"```.*?```|`[^`\n]+`", "", text, flags=re.DOTALL)
    return re.findall(r"\]\(([^)\s]+)\)", prose)


def target(link: str, page: Path) -> Path | None:
    """The file that a link leads to, None if it leaves the repository."""
    name = link.partition("#")[0]
    for start in (REPOSITORY, RAW):
        if name.startswith(start):
            return ROOT / name.removeprefix(start)
    if re.match(r"\w+:", name):
        return None
    return page if not name else (page.parent / name).resolve()


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda path: path.name)
def test_every_link_leads_to_a_file_and_a_heading(page, reference):
    generated = {
        ROOT / "docs/reference" / f"{name}.md": make for name, make in reference.PAGES.items()
    }
    for link in links(page.read_text(encoding="utf-8")):
        path = target(link, page)
        if path is None:
            continue
        assert path in generated or path.exists(), f"{page.name}: {link}"
        _, _, anchor = link.partition("#")
        if anchor:
            text = generated[path]() if path in generated else path.read_text(encoding="utf-8")
            assert anchor in slugs(text), f"{page.name}: {link}"


def test_every_page_is_in_the_navigation():
    config = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for page in PAGES:
        assert f": {page.relative_to(ROOT / 'docs').as_posix()}\n" in config, page.name
