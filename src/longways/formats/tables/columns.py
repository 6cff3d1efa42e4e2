"""Which cells of a table are translated: the columns that the user chooses, or those with words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from longways.errors import ConfigError, FormatError
from longways.text.scripts import is_of_script, knows_language

MIN_WORDS, MIN_TEXT_SHARE = 3, 0.1
"""In a language in Latin letters, a column is text if this share of its cells has so much words."""
MIN_LANGUAGES = 2
"""Columns whose names are codes of this number of languages hold texts in these languages."""
NAMED_COLUMNS = 30
"""A message names at most this number of columns."""
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_](?:[A-Za-z]{2,4}|\d{3})){0,2}")
_CODE = re.compile(r"\s*(?:=\s*(?:[A-Z][A-Z0-9.]*\(|\")|[\[{]\s*['\"])")
"""A formula, or a list of a program."""
_FILE = re.compile(
    r"\S+[/\\]\S*\.[A-Za-z0-9]{1,5}|\S+\.(?:png|jpe?g|gif|svg|webp|mp[34]|wav|pdf|docx?|xlsx?|pptx?"
    r"|txt|csv|md|json|xml|html?|zip|exe|dll)"
)


@dataclass(frozen=True)
class Columns:
    """The choice of the user."""

    names: tuple[str | int, ...] = ()
    """Names or numbers, from 1, of the columns to translate; empty: all with words."""
    header: bool = False
    """Whether the names of the columns are translated, too."""

    @classmethod
    def of(cls, names: Sequence[str | int], *, header: bool) -> Columns:
        """A choice, checked: names and numbers from 1."""
        if isinstance(names, str) or not all(_is_choice(name) for name in names):
            raise ConfigError(
                f"columns is {names!r:.80}, but it must be a list of names and of numbers from 1."
            )
        return cls(tuple(names), header)

    def __bool__(self) -> bool:
        """Whether the user chooses anything."""
        return bool(self.names) or self.header

    def described(self) -> list[str]:
        """The choice as it is compared with the one of an earlier job."""
        return [*map(str, self.names), *(["with header"] if self.header else [])]

    @property
    def words(self) -> list[str]:
        """The names, or numbers, one by one; a name may have a comma itself."""
        given = [str(name) for name in self.names]
        return [*given, *(part for name in given for part in name.split(","))]


def _is_choice(name: object) -> bool:
    return bool(name.strip()) if isinstance(name, str) else type(name) is int and name > 0


ALL_COLUMNS = Columns()


def chosen(columns: Columns, header: Sequence[str], width: int) -> set[int]:
    """The places of the columns that the user chooses. Raises `FormatError` for an unknown one."""
    known = [name.strip() for name in header]
    places = set[int]()
    for name in map(str, columns.names):
        parts = [name] if name.strip() in known else name.split(",")
        for part in filter(str.strip, parts):
            places |= _places(part.strip(), known, width)
    return places


def _places(name: str, known: Sequence[str], width: int) -> set[int]:
    """The columns with a name, or with one that differs in capitals only, or with a number."""
    if found := {n for n, other in enumerate(known) if other == name}:
        return found
    if name.isascii() and name.isdigit() and 0 < int(name) <= width:
        return {int(name) - 1}
    if found := {n for n, other in enumerate(known) if other.casefold() == name.casefold()}:
        return found
    raise FormatError(
        f"There is no column {name!r}. The columns are: {_listed(known, width)}. Choose columns by "
        "name or number, as in --columns 1,3."
    )


def _listed(known: Sequence[str], width: int) -> str:
    names = [f"{n + 1} {known[n]!r}" if n < len(known) else f"{n + 1}" for n in range(width)]
    more = f" and {width - NAMED_COLUMNS} more" if width > NAMED_COLUMNS else ""
    return ", ".join(names[:NAMED_COLUMNS]) + more


def left_out(header: Sequence[str], rows: Sequence[Sequence[str]], language: str) -> set[int]:
    """The places of columns that are not for translation, if the user chooses none."""
    places = _other_languages([name.strip() for name in header], language)
    if is_of_script("a", language):
        width = max(map(len, rows), default=0)
        columns = (
            [row[n] for row in rows if len(row) > n and row[n].strip()] for n in range(width)
        )
        places |= {n for n, column in enumerate(columns) if not _is_text(column)}
    return places


def _other_languages(header: Sequence[str], language: str) -> set[int]:
    """The columns of other languages, in a table with a column for each."""
    codes = [_code(name) for name in header]
    own = re.split("[-_]", language)[0].lower()
    if len({code for code in codes if knows_language(code)}) < MIN_LANGUAGES:
        return set()
    return {n for n, code in enumerate(codes) if code != own and knows_language(code)}


def _code(name: str) -> str:
    found = _LANGUAGE.fullmatch(name)
    return found[1].lower() if found else ""


def _is_text(column: Sequence[str]) -> bool:
    """Whether enough cells have several words."""
    return sum(len(cell.split()) >= MIN_WORDS for cell in column) > MIN_TEXT_SHARE * len(column)


def is_code(value: str) -> bool:
    """Whether a cell is for programs as a whole: a formula, the name of a file, JSON."""
    if _CODE.match(value) or _FILE.fullmatch(value.strip()):
        return True
    if not value.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True
