"""Settings: a TOML recipe and `key=value` overrides become frozen, checked dataclasses.

A config class is a frozen dataclass. Its fields are numbers, strings, booleans, `Literal` choices,
tuples of these, or other config classes (tables in TOML). The meaning of a field is documented only
in the docstring under it; `describe` reads it from there.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from longways.errors import ConfigError

T = TypeVar("T")


def read_recipe(path: Path, kind: type[T], overrides: Iterable[str] = ()) -> T:
    """The config in a TOML file, with `table.key=value` overrides applied in order."""
    return build(kind, apply_overrides(read_toml(path), overrides), str(path))


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file, or of `recipe.toml` in a folder."""
    path = path / "recipe.toml" if path.is_dir() else path
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"There is no recipe at {path}. Check the path.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}.") from error


def apply_overrides(values: Mapping[str, Any], overrides: Iterable[str]) -> dict[str, Any]:
    """The values with each override `table.key=value` applied; a value is TOML or a bare word."""
    result = _copy_tables(values)
    for override in overrides:
        key, equals, text = override.partition("=")
        if not equals or not key.strip():
            raise ConfigError(
                f"{override!r} is not an override; write key=value, as in model.dim=256."
            )
        *tables, name = key.strip().split(".")
        table = result
        for step in tables:
            table = table.setdefault(step, {})
            if not isinstance(table, dict):
                raise ConfigError(f"{override!r} sets a key of {step!r}, which is not a table.")
        table[name] = _parse(text.strip())
    return result


def _copy_tables(values: Mapping[str, Any]) -> dict[str, Any]:
    return {k: _copy_tables(v) if isinstance(v, Mapping) else v for k, v in values.items()}


def _parse(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def build(kind: type[T], values: Mapping[str, Any], source: str, table: str = "") -> T:
    """Build a config of class `kind` from plain values; errors name their file, `source`."""
    assert is_dataclass(kind), f"{kind} is not a config class"
    types, known = get_type_hints(kind), {field.name: field for field in fields(kind)}
    for name in values:
        if name not in known:
            full = [table + key for key in known]
            raise _unknown(table + name, _similar(table + name, full), full, source)
    made = {
        name: _convert(types[name], value, source, table + name) for name, value in values.items()
    }
    for name, field in known.items():
        missing = field.default is MISSING and field.default_factory is MISSING
        if missing and name not in made:
            raise ConfigError(f"{source}: {table}{name} is not set, and it has no default.")
    try:
        return kind(**made)
    except ConfigError as error:  # a value out of range: the class does not know the file
        raise ConfigError(f"{source}: {_with_table(str(error), known, table)}") from error


def _with_table(message: str, known: Iterable[str], table: str) -> str:
    """A message that begins with the name of a field, with the full key in place of the name."""
    first = re.split(r"[\s.]", message, maxsplit=1)[0]
    outer, _, own = table.rstrip(".").rpartition(".")
    if first in known:
        return f"{table}{message}"
    return f"{outer}.{message}" if outer and first == own else message


def _unknown(key: str, close: str | None, known: Iterable[str], source: str) -> ConfigError:
    hint = f"Did you mean {close!r}?" if close else f"Known are: {', '.join(known)}."
    return ConfigError(f"{source}: there is no setting {key!r}. {hint}")


def _similar(key: str, known: Sequence[str]) -> str | None:
    """The known key, or table in a table, that is spelled most like a key."""
    tables = {full.rpartition(".")[0] for full in known if full.count(".") > 1}
    others = [table for table in sorted(tables) if not key.startswith(f"{table}.")]
    close = difflib.get_close_matches(key, [*known, *others], n=1, cutoff=0.7)
    return close[0] if close else None


def _same_end(key: str, known: Sequence[str]) -> str | None:
    """The only known key with this end, if the table of a key is wrong or incomplete.

    `text.vocabulary` gives `corpus.text.vocabulary`, and so does `batches.vocabulary`.
    """
    for end in (key, key.rpartition(".")[2]):
        same = [full for full in known if full.endswith(f".{end}")]
        if len(same) == 1:
            return same[0]
    return None


def check_keys(values: Mapping[str, Any], kinds: Mapping[str, Sequence[str]], source: str) -> None:
    """Raise if a table or a key in the tables of a recipe is unknown.

    `kinds` has the keys of every table, as `setting_keys` lists them; `source` is a file or an
    option.
    """
    known = [key for keys in kinds.values() for key in keys]
    for table, inner in values.items():
        if table not in kinds:
            raise _unknown_table(table, inner, kinds, source)
        if not isinstance(inner, Mapping):
            raise ConfigError(f"{source}: {table} is {inner!r}, but it must be a table.")
        for key in flatten(inner, f"{table}."):
            is_table = any(full.startswith(f"{key}.") for full in kinds[table])
            if key not in kinds[table] and not is_table:
                close = _same_end(key, known) or _similar(key, kinds[table])
                raise _unknown(key, close, kinds[table], source)


def _unknown_table(
    table: str, values: Any, kinds: Mapping[str, Sequence[str]], source: str
) -> ConfigError:
    """The error for an unknown table; it names the right key if the first key is recognised."""
    known = [key for keys in kinds.values() for key in keys]
    keys = flatten(values, f"{table}.") if isinstance(values, Mapping) else [table]
    for key in keys:
        close = _same_end(key, known) or _similar(key, known)
        if close:
            return _unknown(key, close, known, source)
    similar = difflib.get_close_matches(table, [*kinds], n=1)
    hint = f"Did you mean [{similar[0]}]?" if similar else f"Known are: {', '.join(kinds)}."
    return ConfigError(f"{source}: there is no table [{table}]. {hint}")


def setting_keys(kind: type, table: str) -> Iterator[str]:
    """The full keys of all settings of a config class, such as `corpus.text.vocabulary`."""
    types = get_type_hints(kind)
    for field in fields(kind):
        inner, key = types[field.name], f"{table}.{field.name}"
        if is_dataclass(inner) and isinstance(inner, type):
            yield from setting_keys(inner, key)
        else:
            yield key


def _convert(kind: Any, value: Any, source: str, key: str) -> Any:
    """The value converted to `kind`, or an error that names the expected type."""
    if is_dataclass(kind) and isinstance(kind, type):
        if isinstance(value, Mapping):
            return build(kind, value, source, key + ".")
        raise ConfigError(f"{source}: {key} is {value!r}, but it must be a table.")
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal and value in inner:
        return value
    if origin is tuple and isinstance(value, list | tuple):
        return tuple(_convert(inner[0], item, source, key) for item in value)
    if origin is UnionType:
        if value is None:
            return None
        return _convert(next(k for k in inner if k is not NoneType), value, source, key)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is kind:
        return value
    raise ConfigError(f"{source}: {key} is {value!r}, but it must be {_wanted(kind)}.")


def _wanted(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(repr(choice) for choice in get_args(kind))
    if get_origin(kind) is tuple:
        return f"a list, each item {_wanted(get_args(kind)[0])}"
    names = {int: "a whole number", float: "a number", str: "a string", bool: "true or false"}
    return names[kind]


def flatten(values: Mapping[str, Any], table: str = "") -> dict[str, Any]:
    """Nested tables as one table, with keys like `model.causal.gate`."""
    flat: dict[str, Any] = {}
    for key, value in values.items():
        inner = isinstance(value, Mapping)
        flat |= flatten(value, f"{table}{key}.") if inner else {table + key: value}
    return flat


@dataclass(frozen=True)
class Setting:
    """The documentation of one setting."""

    key: str
    kind: str
    default: Any
    meaning: str


def describe(kind: type, table: str = "") -> list[Setting]:
    """The documentation of every setting of a config class, including nested tables."""
    settings: list[Setting] = []
    types, meanings = get_type_hints(kind), field_docs(kind)
    for field in fields(kind):
        inner, key = types[field.name], table + field.name
        if is_dataclass(inner) and isinstance(inner, type):
            settings += describe(inner, key + ".")
            continue
        default = None if field.default is MISSING else field.default
        shown = inner if get_origin(inner) is not UnionType else get_args(inner)[0]
        settings.append(Setting(key, _wanted(shown), default, meanings.get(field.name, "")))
    return settings


def field_docs(kind: type) -> dict[str, str]:
    """The docstring under each field of a class, including inherited fields."""
    docs: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not is_dataclass(base):
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(tree, ast.ClassDef)
        for line, after in zip(tree.body, tree.body[1:], strict=False):
            if (
                isinstance(line, ast.AnnAssign)
                and isinstance(line.target, ast.Name)
                and isinstance(after, ast.Expr)
                and isinstance(after.value, ast.Constant)
            ):
                docs[line.target.id] = str(after.value.value)
    return docs
