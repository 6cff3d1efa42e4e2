"""The checks of targets before any translation: nothing is overwritten, and all can be written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from longways.errors import LongwaysError
from longways.translation.files.folders.copies import Copy
from longways.translation.files.output import MAX_NAME_BYTES, is_stream, journal_path, partial_path
from longways.translation.files.record import FinishedFiles

Pair = tuple[Path | None, Path | None]
"""A source and its target; None is standard input or output."""


def check_targets(
    pairs: Sequence[Pair], force: bool, record: FinishedFiles | None, *, update: bool = False
) -> None:
    """Raise if a translation would overwrite something, or cannot be written."""
    if record:
        record.check(target.parent for _, target in pairs if target and not is_stream(target))
    read = {source.resolve() for source, _ in pairs if source is not None}
    seen: dict[Path, Path | None] = {}
    for source, target in pairs:
        if target is None:
            continue
        _check_name(target)
        if is_stream(target):
            continue
        own = [target, partial_path(target), journal_path(target)]
        if clash := next((path for path in own if path.resolve() in read), None):
            raise LongwaysError(f"{clash} would overwrite a source. Name another place with -o.")
        if target.resolve() in seen:
            raise LongwaysError(_same(seen[target.resolve()], source, target))
        seen[target.resolve()] = source
        _check_free(target, force, record, source, update=update)
        _check_beside(own[1], own[2], force)
        _check_writable(target)


def check_copies(copies: Iterable[Copy], force: bool, record: FinishedFiles | None) -> None:
    """Raise if a copy would overwrite a file that no job wrote, or another copy."""
    copies, seen = list(copies), dict[Path, Path]()
    if record:
        record.check(copy.target.parent for copy in copies)
    for copy in copies:
        if copy.target in seen:
            raise LongwaysError(
                f"{seen[copy.target]} and {copy.source} would both be copied to {copy.target}. "
                "Translate one folder at a time."
            )
        seen[copy.target] = copy.source
        _check_free(copy.target, force, record, copy.source)
        _check_writable(copy.target)


def _same(first: Path | None, second: Path | None, target: Path) -> str:
    if first == second:
        what = f"{first} is" if first else "Standard input is"
        return f"{what} named twice. Name it once, by itself or with its folder."
    plain = min((path.name for path in (first, second) if path), key=len, default="")
    return (
        f"{first} and {second} would have the same translation, {target}. Translate one at a time; "
        f"in a folder, leave one out, for example with --exclude {plain}."
    )


def _check_free(
    target: Path,
    force: bool,
    record: FinishedFiles | None,
    source: Path | None,
    *,
    update: bool = False,
) -> None:
    if target.is_dir():
        raise LongwaysError(f"{target} is a folder, so no file can have that name.")
    is_ours = record is not None and record.knows(target)
    if target.exists() and not (force or update or is_ours):
        raise LongwaysError(f"{target} exists. Overwrite it with --force, or use -o.")
    other = record.other_source(target, source) if record and target.exists() else None
    if other and not force:
        raise LongwaysError(
            f"{target} was made from {other}, not from {source}. Overwrite it with --force, or "
            "name another folder with -o."
        )


def _check_name(target: Path) -> None:
    """Raise if the name of a translation is too long for a file."""
    size = len(os.fsencode(target.name))
    if size > MAX_NAME_BYTES:
        raise LongwaysError(
            f"The translation {target} would have a name of {size} bytes, but a file has at most "
            f"{MAX_NAME_BYTES}. Rename the source, or name a file with -o."
        )


def _check_beside(partial: Path, journal: Path, force: bool) -> None:
    """Raise if a file that a user made has the name of a partial translation or of a journal."""
    for path in (partial, journal):
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise LongwaysError(
                f"{path} is not a file of Longways, so it is not touched. Rename it, or use -o."
            )
    if partial.exists() and not journal.exists() and not force:
        raise LongwaysError(
            f"{partial} exists, and no journal says that an interrupted job wrote it. Overwrite it "
            "with --force, or use -o."
        )


def _check_writable(target: Path) -> None:
    """Raise if the nearest existing folder above a target cannot be written."""
    above = next(parent for parent in target.absolute().parents if parent.exists())
    if not above.is_dir():
        raise LongwaysError(f"{target} cannot be written: {above} is not a folder.")
    if not os.access(above, os.W_OK | os.X_OK):
        raise LongwaysError(
            f"{target} cannot be written: there is no permission to write into {above}. "
            "Name another place with -o."
        )
