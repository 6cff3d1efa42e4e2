"""The help page of a command, as plain text that is readable in 80 columns.

Names, values and meanings stand in two columns; text is wrapped once, and examples are not wrapped.
The parameters are click's. Some versions of typer have a click of their own, so they are known by
their attributes.
"""

from __future__ import annotations

import inspect
import shutil
import textwrap
import typing
from collections.abc import Iterable, Iterator
from typing import Any

import typer

MAX_WIDTH = 100
"""Longest line of a page on a wide terminal."""
MIN_WIDTH = 40
"""Shortest line of a page on a narrow terminal."""
NAME_WIDTH = 24
"""Width of the column of names; a longer name has a line of its own."""

_VALUES = {"int": "N", "integer": "N", "float": "X", "Path": "PATH", "path": "PATH"}
"""What stands for a value, by the names of types; TEXT for all others."""


def help_page(command: Any, context: Any) -> str:
    """The usage of a command, its meaning, its arguments and its options."""
    width = max(MIN_WIDTH, min(MAX_WIDTH, shutil.get_terminal_size().columns))
    shown = [one for one in command.get_params(context) if not getattr(one, "hidden", False)]
    arguments = [one for one in shown if one.param_type_name == "argument"]
    options = [one for one in shown if one.param_type_name == "option"]
    path = context.command_path.replace("python -m longways", "longways")
    usage = " ".join([path, "[OPTIONS]", *map(_argument, arguments)])
    parts = [_title("Usage:") + f" {usage}", *_prose(command.help or "", width)]
    parts += _section("Arguments", [(_argument(one), one) for one in arguments], width)
    parts += _section("Options", [(_option(one), one) for one in options], width)
    return "\n\n".join(parts) + "\n"


def _title(text: str) -> str:
    return typer.style(text, bold=True)


def _prose(text: str, width: int) -> Iterator[str]:
    """The paragraphs of a docstring; indented ones are examples."""
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        if paragraph.startswith("  "):
            lines = textwrap.dedent(paragraph.strip("\n")).splitlines()
            yield "\n".join(_example(line, width) for line in lines)
        else:
            yield textwrap.fill(" ".join(paragraph.split()), width, **_WHOLE_WORDS)


def _example(line: str, width: int) -> str:
    """A line of an example; a long one continues in the next line, as a shell allows."""
    parts = textwrap.wrap(line, width - 6, subsequent_indent="    ", **_WHOLE_WORDS)
    return textwrap.indent(" \\\n".join(parts), "    ")


_WHOLE_WORDS: Any = {"break_on_hyphens": False, "break_long_words": False}


def _section(title: str, parameters: Iterable[tuple[str, Any]], width: int) -> Iterator[str]:
    """A heading and the parameters below it, if there are any."""
    lines = [line for name, one in parameters for line in _lines(name, _meaning(one), width)]
    if lines:
        yield "\n".join([_title(f"{title}:"), *lines])


def _lines(name: str, meaning: str, width: int) -> Iterator[str]:
    """A name and its meaning in two columns."""
    wrapped = textwrap.wrap(meaning, width - NAME_WIDTH - 2, **_WHOLE_WORDS) or [""]
    wrapped = [line.replace("\u00a0", " ") for line in wrapped]
    if len(name) > NAME_WIDTH - 2:
        yield f"  {name}"
        name = ""
    for number, line in enumerate(wrapped):
        yield f"  {name if number == 0 else '':{NAME_WIDTH}}{line}".rstrip()


def _argument(one: Any) -> str:
    """An argument as the usage has it."""
    if one.metavar:
        return str(one.metavar)
    name = one.name.upper() + ("..." if one.nargs != 1 else "")
    return name if one.required else f"[{name}]"


def _option(one: Any) -> str:
    """The names of an option and its value; a switch has the name that changes it."""
    names = one.secondary_opts if one.is_flag and one.default and one.secondary_opts else one.opts
    text = ", ".join(sorted(names, key=len))
    return text if one.is_flag else f"{text} {one.metavar or _value(one)}"


def _value(one: Any) -> str:
    """What stands for a value; typer has kept its type in two places over its versions."""
    described = getattr(one, "type_descriptor", None)
    if described is None:
        return _VALUES.get(one.type.name, "TEXT")
    kind = (typing.get_args(described.annotation) or (described.annotation,))[0]
    return _VALUES.get(getattr(kind, "__name__", ""), "TEXT")


def _meaning(one: Any) -> str:
    """The meaning of a parameter with its default and its environment variable."""
    default = one.default
    known = not getattr(one, "is_flag", False) and default not in (None, "", [], ())
    notes = [f"[default:\u00a0{default}]" if known and not callable(default) else ""]
    notes += [f"[env\u00a0var:\u00a0{one.envvar}]" if one.envvar else ""]
    notes += ["[required]" if one.required and one.param_type_name == "option" else ""]
    return " ".join(filter(None, [" ".join((one.help or "").split()), *notes]))
