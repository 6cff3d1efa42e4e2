"""The formats that are known, by their names and by the ends of file names. Loaded when used."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import NamedTuple, cast

from longways.errors import ConfigError
from longways.translate.formats.protocol import Format

TEXT = "text"
"""What plain text is called; it has no format."""


class _Known(NamedTuple):
    """Where a format is, and how its files' names end."""

    type: str
    suffixes: tuple[str, ...]


_KNOWN = {
    "markdown": _Known("Markdown", (".md", ".markdown")),
    "html": _Known("Html", (".html", ".htm", ".xhtml")),
    "docx": _Known("Docx", (".docx",)),
    "srt": _Known("Srt", (".srt",)),
    "vtt": _Known("WebVtt", (".vtt",)),
    "po": _Known("Po", (".po", ".pot")),
}
"""By name, which is also the name of the module beside this one."""

NAMES = (TEXT, *_KNOWN)
"""What `--format` may be."""

SUFFIXES = {suffix: name for name, known in _KNOWN.items() for suffix in known.suffixes}
"""The format of each end of a name."""


def format_of(path: Path) -> Format | None:
    """The format of a file, by its name; None is plain text."""
    name = SUFFIXES.get(path.suffix.lower())
    return None if name is None else format_named(name)


def format_named(name: str) -> Format | None:
    """The format with this name, as in `--format NAME`; None is plain text."""
    if name == TEXT:
        return None
    if name not in _KNOWN:
        raise ConfigError(f"There is no format {name!r}. Known are {', '.join(NAMES)}.")
    module = import_module(f"longways.translate.formats.{name}")
    return cast("Format", getattr(module, _KNOWN[name].type)())


def known_formats() -> tuple[Format, ...]:
    """All of them."""
    return tuple(form for name in _KNOWN if (form := format_named(name)))
