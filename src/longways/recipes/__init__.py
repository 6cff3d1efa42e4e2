"""Bundled recipes and studies, found by name: `toy`, `opendocs-zh-en`, `study-toy`.

A recipe is a folder with `recipe.toml`; a study is one TOML file. They are package data, so a name
means the same file in a clone and after `pip install`.
"""

from __future__ import annotations

from pathlib import Path

from longways.errors import ConfigError

RECIPES = Path(__file__).parent
"""The folder of the bundled recipes and studies."""


def recipe_names() -> list[str]:
    """Names of the bundled recipes."""
    return sorted(path.parent.name for path in RECIPES.glob("*/recipe.toml"))


def study_names() -> list[str]:
    """Names of the bundled studies."""
    return sorted(path.stem for path in RECIPES.glob("study-*.toml"))


def bundled(path: Path) -> Path | None:
    """The bundled recipe or study of this name. `recipes/NAME`, its former path, is a name too."""
    name = path.relative_to("recipes") if path.parts[:1] == ("recipes",) else path
    if len(name.parts) != 1:
        return None
    if name.stem in study_names() and name.suffix in ("", ".toml"):
        return RECIPES / f"{name.stem}.toml"
    return RECIPES / name if str(name) in recipe_names() else None


def find_recipe(path: Path) -> Path:
    """The recipe at a path or, if there is none, the bundled recipe of this name."""
    return _find(path, "recipe", recipe_names())


def find_study(path: Path) -> Path:
    """The study at a path or, if there is none, the bundled study of this name."""
    return _find(path, "study", study_names())


def _find(path: Path, kind: str, names: list[str]) -> Path:
    found = path if path.exists() else bundled(path)
    if found is None or (found is not path and found.stem not in names):
        raise ConfigError(
            f"There is no {kind} at {path}. Check the path, or use the name of a bundled {kind}: "
            f"{', '.join(names)}."
        )
    return found
