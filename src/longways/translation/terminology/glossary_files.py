"""Glossary files (`source TAB target` per line) and files of words to keep (one per line).

Blank lines and lines that begin with `#` are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from longways.errors import TextError
from longways.text.charset import split_mark


def read_glossary(path: Path, keep: Sequence[str] = ()) -> dict[str, str]:
    """The target of each source term; a line that is not a pair, or a conflict, is a `TextError`.

    A term that is also a word to `keep` is a conflict.
    """
    found: dict[str, str] = {}
    places: dict[str, int] = {}
    for number, line in _lines(path):
        parts = [part.strip() for part in line.split("\t")]
        if len(parts) != 2 or not all(parts):
            raise TextError(
                f"{path}, line {number}: a glossary has a source, one TAB and a target in each "
                f"line, but this one is {line!r}."
            )
        source, target = parts
        if found.get(source, target) != target:
            raise TextError(
                f"{path}, lines {places[source]} and {number}: {source!r} is {found[source]!r} in "
                f"one and {target!r} in the other. Keep one of them."
            )
        if source in keep and source != target:
            raise TextError(
                f"{path}, line {number}: {source!r} is {target!r} here, but it is also among the "
                "words to keep. Remove it from one of the files."
            )
        found[source] = target
        places.setdefault(source, number)
    return found


def read_keep(path: Path) -> list[str]:
    """The words to keep, each once, in order."""
    return list(dict.fromkeys(line.strip() for _, line in _lines(path)))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The numbers and texts of all lines but blanks and comments."""
    for number, line in enumerate(_text(path).splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line


def _text(path: Path) -> str:
    try:
        mark, encoding = split_mark(data := path.read_bytes())
        return data[len(mark) :].decode(encoding or "utf-8")
    except OSError as error:
        raise TextError(f"{path} cannot be read: {error.strerror}. Check the path.") from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TextError(
            f"{path}, line {line}: this is not UTF-8. Save the file as UTF-8."
        ) from error
