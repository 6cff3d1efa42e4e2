"""Markdown pages of all commands and of all settings, generated from the code.

The site generates both pages when it is built (tools/mkdocs_hooks.py). They are not in the
repository, so they cannot be out of date. `python tools/reference.py commands` prints a page.
"""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from longways.cli import app
from longways.config import Setting, describe
from longways.corpus.batching.sampler import SamplerConfig
from longways.corpus.filter.config import FilterConfig
from longways.corpus.recipe import CorpusConfig, FilesConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.model.config import PRESETS, ModelConfig
from longways.text.config import TextConfig
from longways.training.config import TrainingConfig

COMMANDS_HEAD = """# Commands

Every command and every option, generated from the code. `longways COMMAND --help` prints the same
in a terminal.
"""
SETTINGS_HEAD = """# Settings

Every setting of a recipe, generated from the code. A recipe is a TOML file with the tables
`corpus`, `model`, `batches` and `training`. `--set TABLE.NAME=VALUE` overrides one setting on the
command line, as in `--set training.updates=2000`.
"""

KINDS: dict[Any, str] = {Path: "path", str: "text", int: "integer", float: "number"}
"""How the reference calls a type."""

SHORT = {
    "a list, each item ": "list of ",
    "a whole number": "integer",
    "a number": "number",
    "a string": "text",
    "true or false": "boolean",
}
"""Short forms of the types that `describe` writes out."""


def commands_page() -> str:
    """The reference of all commands."""
    root: Any = typer.main.get_command(app)
    root.name = "longways"
    return COMMANDS_HEAD + "".join(_command(command, path) for path, command in walk(root))


def walk(command: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    """A command and all visible commands below it, with the words that call each of them."""
    path = f"{above} {command.name}".strip()
    yield path, command
    for child in getattr(command, "commands", {}).values():
        if not child.hidden:
            yield from walk(child, path)


def _command(command: Any, path: str) -> str:
    groups = [("Arguments", []), ("Options", [])]  # type: list[tuple[str, list[Any]]]
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            groups[parameter.param_type_name == "option"][1].append(parameter)
    usage = " ".join([path, *command.collect_usage_pieces(_context(command, path))])
    lines = [f"\n## {path}\n\n", _prose(command.help or ""), f"\n```\n{usage}\n```\n"]
    for title, parameters in groups:
        if parameters:
            lines.append(
                f"\n| {title.lower()} | type | default | meaning |\n| --- | --- | --- | --- |\n"
            )
            lines += [_parameter(parameter) for parameter in parameters]
    return "".join(lines)


def _context(command: Any, path: str) -> Any:
    return command.make_context(path, [], resilient_parsing=True)


def _parameter(parameter: Any) -> str:
    if parameter.param_type_name == "option":
        names = ", ".join(f"`{name}`" for name in (*parameter.opts, *parameter.secondary_opts))
    else:
        names = f"`{parameter.metavar or parameter.name}`"
    meaning = parameter.help or ""
    if parameter.envvar:
        meaning += f" Environment variable: `{parameter.envvar}`."
    if getattr(parameter, "multiple", False) and "epeatable" not in meaning:
        meaning += " Repeatable."
    default = "required" if parameter.required else _default(parameter)
    return f"| {names} | {_kind(parameter)} | {default} | {_cell(meaning)} |\n"


def _kind(parameter: Any) -> str:
    """The type of a value in words; typer has kept it in two places over its versions."""
    if getattr(parameter, "is_flag", False):
        return "flag"
    described = getattr(parameter, "type_descriptor", None)
    if described is None:
        return str(parameter.type.name)
    kind = described.annotation
    inner = (typing.get_args(kind) or (kind,))[0]
    return KINDS.get(inner, getattr(inner, "__name__", str(inner)))


def _default(parameter: Any) -> str:
    value = parameter.default
    if getattr(parameter, "is_flag", False):
        if not parameter.secondary_opts:
            return ""
        return f"`{(parameter.opts if value else parameter.secondary_opts)[0]}`"
    if value is None or callable(value) or value in ((), [], ""):
        return ""
    return f"`{value}`"


def _prose(text: str) -> str:
    """Help as Markdown: indented lines become code, `[...]` stays text."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(text.replace("\b", ""))):
        if paragraph.startswith("    "):
            paragraphs.append(f"```\n{inspect.cleandoc(paragraph)}\n```")
        else:
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs) + "\n"


def settings_page() -> str:
    """The reference of all settings, table by table."""
    sections = [
        ("corpus", "The corpus and its languages.", _own(CorpusConfig, "corpus.")),
        (
            "corpus.train, corpus.dev, corpus.test",
            "The files of one split.",
            describe(FilesConfig, "corpus.train."),
        ),
        ("corpus.filter", "The filter step.", describe(FilterConfig, "corpus.filter.")),
        ("corpus.text", "The text pipeline.", describe(TextConfig, "corpus.text.")),
        ("model", _presets(), _own(ModelConfig, "model.")),
        (
            "model.causal",
            "Attention to the target so far.",
            _table(ModelConfig, "model.", "causal"),
        ),
        ("model.cross", "Attention to the source.", _table(ModelConfig, "model.", "cross")),
        ("batches", "Windows and batches.", describe(SamplerConfig, "batches.")),
        ("training", "Optimiser, schedule and validation.", describe(TrainingConfig, "training.")),
        (
            "length",
            "Length limits of translations. They are saved with the model.",
            describe(LengthConfig, "length."),
        ),
        (
            "Decoding",
            "Settings of `longways.decoding.config.TranslateConfig` in Python. They belong to no "
            "recipe.",
            describe(TranslateConfig),
        ),
    ]
    return SETTINGS_HEAD + "".join(_section(*section) for section in sections)


def _presets() -> str:
    names = ", ".join(f"`{name}`" for name in PRESETS)
    return (
        f"The architecture. `model.preset` sets the attention of a known model ({names}); other "
        "settings override it. The vocabulary sizes come from the prepared data."
    )


def _own(kind: type, table: str) -> list[Setting]:
    """The settings of a table without the tables inside it."""
    return [setting for setting in describe(kind, table) if "." not in setting.key[len(table) :]]


def _table(kind: type, table: str, name: str) -> list[Setting]:
    return [
        setting for setting in describe(kind, table) if setting.key.startswith(f"{table}{name}.")
    ]


def _section(title: str, text: str, settings: list[Setting]) -> str:
    lines = [f"\n## {title}\n\n{text}\n\n| setting | type | default | meaning |\n"]
    lines.append("| --- | --- | --- | --- |\n")
    for setting in settings:
        default = "" if setting.default in (None, "", ()) else f"`{_toml(setting.default)}`"
        lines.append(
            f"| `{setting.key}` | {_short(setting.kind)} | {default} | {_cell(setting.meaning)} |\n"
        )
    return "".join(lines)


def _short(kind: str) -> str:
    """The type of a setting in a word or two, for a narrow column."""
    for words, short in SHORT.items():
        kind = kind.replace(words, short)
    return _cell(kind)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str(list(value))
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


PAGES = {"commands": commands_page, "settings": settings_page}
"""The generated pages by name."""

if __name__ == "__main__":
    print(PAGES[sys.argv[1]]())
