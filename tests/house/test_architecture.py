"""The package tree: imports follow its order, packages have no cycles, folders stay small."""

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "longways"
LARGEST_FOLDER = 15
ORDER = (
    "errors",
    "config",
    "atomic_folder",
    "folder_lock",
    "manifest",
    "results",
    "plotting",
    "recipes",
    "text",
    "formats",
    "corpus",
    "attention",
    "model",
    "decoding",
    "translation",
    "evaluation",
    "training",
    "export",
    "importing",
    "experiments",
    "benchmark",
    "server",
    "cli",
    "__main__",
)
"""A package may import only from packages before it, also inside functions."""


def imported(code: str) -> set[str]:
    """The packages of `ORDER` that a module imports, eagerly or lazily."""
    names = set[str]()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and node.module == "longways":
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("longways."):
            names.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            names.update(a.name.split(".")[1] for a in node.names if a.name.startswith("longways."))
    return names & set(ORDER)


def wrong_imports(package: str, code: str) -> set[str]:
    """Packages that a module of `package` may not import."""
    return {name for name in imported(code) if ORDER.index(name) > ORDER.index(package)}


def packages() -> list[str]:
    """The packages and modules at the top of the tree."""
    found = (path for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir())
    return sorted({path.stem for path in found} - {"__init__", "__pycache__", "models", "py"})


def test_every_package_has_a_place_in_the_order():
    assert set(packages()) <= set(ORDER)


def test_imports_point_up_the_tree():
    found = {}
    for path in sorted(SOURCE.rglob("*.py")):
        package = path.relative_to(SOURCE).with_suffix("").parts[0]
        if package == "__init__":
            continue  # the public names are loaded on first use, from where they are defined
        if wrong := wrong_imports(package, path.read_text(encoding="utf-8")):
            found[str(path.relative_to(SOURCE))] = wrong
    assert not found


def test_a_planted_wrong_import_is_found():
    code = "def later():\n    from longways.translation.files.job import Job\n"
    assert wrong_imports("decoding", code) == {"translation"}
    assert wrong_imports("cli", code) == set()


def test_no_folder_is_crowded():
    for folder in sorted({path.parent for path in SOURCE.rglob("*.py")}):
        modules = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
        assert len(modules) <= LARGEST_FOLDER, folder.relative_to(SOURCE)
