"""The units of TMX files as a translation memory keeps them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from longways.errors import TextError, unreadable
from longways.formats.exchange.tmx import read_units
from longways.translation.memory.units import Unit, normal


def read_tmx(path: Path, source: str, target: str) -> Iterator[Unit]:
    """The units of a file that have both languages; a file without any is an error."""
    found = 0
    try:
        with path.open("rb") as file:
            for unit in read_units(file, path, source, target):
                if normal(unit.source) and normal(unit.target):
                    found += 1
                    yield Unit(*unit[:5])
    except OSError as error:
        raise TextError(unreadable(path, error)) from error
    if not found:
        raise TextError(
            f"{path} has no unit with a text in {source} and one in {target}. Name a translation "
            "memory that has."
        )
