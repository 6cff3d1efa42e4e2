"""Readers of the files that translators exchange: TMX, XLIFF and gettext catalogues."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.readers.lines import open_bytes
from longways.corpus.readers.units import Unit, page
from longways.errors import CorpusError, FormatError, TextError
from longways.formats.exchange import tmx, xliff
from longways.text.languages.codes import main_language

Languages = tuple[str, str]

NOT_TRANSLATED, MACHINE = "not translated", "machine translation"
"""Kinds of units that are left out and counted."""


def read_tmx(
    path: Path, languages: Languages, inspector: BadInputPolicy, *, machine: bool = False
) -> Iterator[Unit]:
    """The units of a translation memory; `machine` takes translations that nobody has seen."""
    with open_bytes(path) as file, bad_files(path, inspector):
        for unit in tmx.read_units(file, path, *languages):
            if unit.is_machine and not machine:
                inspector.count(MACHINE)
            else:
                yield Unit(unit.source, unit.target, unit.document, unit.before)


def read_xliff(
    path: Path, languages: Languages, inspector: BadInputPolicy, *, machine: bool = False
) -> Iterator[Unit]:
    """The translated units of an XLIFF file, in either direction; see `read_tmx`."""
    found, others = 0, dict[Languages, None]()
    with open_bytes(path) as file, bad_files(path, inspector):
        for unit in xliff.read_units(file, path):
            pair = _ordered(unit.source, unit.target, unit.languages, languages)
            found += pair is not None
            if pair is None:
                others[unit.languages] = None
            elif unit.is_machine and not machine:
                inspector.count(MACHINE)
            elif not (unit.source and unit.target):
                inspector.count(NOT_TRANSLATED)
            else:
                yield Unit(*pair, page(unit.document))
    if others and not found:
        raise missing_languages(path, languages, [f"{s} to {t}" for s, t in others])


def _ordered(source: str, target: str, found: Languages, wanted: Languages) -> Languages | None:
    """The texts in the order of the wanted languages; None if they are in others."""
    codes, ours = [tuple(map(main_language, pair)) for pair in (found, wanted)]
    if all(mine in (code, "") for mine, code in zip(codes, ours, strict=True)):
        return source, target
    if all(mine in (code, "") for mine, code in zip(codes, ours[::-1], strict=True)):
        return target, source
    return None


def missing_languages(path: Path, wanted: Languages, has: list[str]) -> CorpusError:
    """The error for a file that does not have both languages."""
    shown = ", ".join(has[:8]) + (" and others" if len(has) > 8 else "")
    return CorpusError(
        f"{path} has no pairs of {wanted[0]} and {wanted[1]}: it has {shown}. Name a file with "
        "both languages, or other --languages."
    )


@contextmanager
def bad_files(path: Path, inspector: BadInputPolicy) -> Iterator[None]:
    """Makes a file that cannot be read bad input; the units before the damage stay."""
    try:
        yield
    except FormatError as error:
        message = str(error) if str(path) in str(error) else f"{path}: {error}"
        inspector.bad("damaged file", message)
    except TextError as error:
        raise CorpusError(str(error)) from error
