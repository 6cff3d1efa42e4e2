"""Where kept pairs lie: in `.longways` beside a translation, one file for each.

    docs-en/page.en.md
    docs-en/.longways/page.en.md.pairs.gz       the pairs of this translation
    docs-en/.longways/page.en.md.next.gz        pairs of the one that is about to appear
    docs-en/.longways/page.en.1f3a9c0d.md       an edited version that could not be kept whole

The pairs of a new translation lie beside the old ones until it has appeared, so that a job that is
killed in between still knows what people have changed in the old one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from longways.errors import LongwaysError
from longways.translation.files.output import (
    MAX_NAME_BYTES,
    draft_path,
    open_draft,
    partial_path,
    write_all,
)
from longways.translation.files.updates.kept import Head, Kept, dump, load, load_head

FOLDER = ".longways"

_END, _NEXT = ".pairs.gz", ".next.gz"
_WHY = "Check its permissions, or name another folder with -o."


def kept_path(target: Path, end: str = _END) -> Path:
    """The file with the pairs of a translation."""
    name = target.name + end
    if len(os.fsencode(name)) > MAX_NAME_BYTES:
        name = hashlib.sha256(os.fsencode(target.name)).hexdigest()[:32] + end
    return target.parent / FOLDER / name


def check_folder(folder: Path) -> None:
    """Raise if pairs cannot be kept in a folder, so that no work is done in vain."""
    path = folder / FOLDER
    if path.is_symlink() or (path.exists() and not path.is_dir()):
        raise LongwaysError(
            f"{path} is not a folder of Longways, so it is not touched. Rename it, or name another "
            "folder with -o."
        )
    if path.exists() and not os.access(path, os.W_OK | os.X_OK):
        raise LongwaysError(f"{path} cannot be written: Permission denied. {_WHY}")


def read_kept(target: Path) -> Kept | None:
    """The pairs of a translation; None if there are none that can be read."""
    path = kept_path(target)
    if path.is_symlink() or not path.is_file():
        return None
    return load(path.read_bytes())


def all_heads(folder: Path, *, below: bool = True) -> Iterator[tuple[Path, Head]]:
    """The heads of all pairs in a folder, and below it, with their translations."""
    pattern = f"{FOLDER}/*{_END}"
    for path in sorted(folder.rglob(pattern) if below else folder.glob(pattern)):
        with path.open("rb") as file:
            head = load_head(file)
        if head:
            yield path.parent.parent / Path(head.file).name, head


def write_next(target: Path, kept: Kept, mode: int) -> None:
    """Write the pairs of a translation that is about to appear."""
    _write(kept_path(target, _NEXT), dump(kept), mode)


def take_next(target: Path) -> None:
    """Let the pairs of a translation that has appeared take the place of the old ones."""
    path = kept_path(target, _NEXT)
    if path.is_file():
        path.replace(kept_path(target))


def settle(target: Path) -> None:
    """Finish what a job has left that was killed while a translation appeared.

    They are its pairs unless the partial file is still there, or the translation is the one from
    before.
    """
    path = kept_path(target, _NEXT)
    if not path.is_file() or path.is_symlink():
        return
    with path.open("rb") as file:
        head = load_head(file)
    has_appeared = target.is_file() and not partial_path(target).exists()
    if head and has_appeared and file_hash(target) != head.before:
        take_next(target)
    else:
        path.unlink()


def back_up(target: Path) -> Path:
    """Keep a version that somebody has edited; returns where it is."""
    data = target.read_bytes()
    short = hashlib.sha256(data).hexdigest()[:8]
    path = target.parent / FOLDER / f"{target.stem[:150]}.{short}{target.suffix}"
    if not path.is_file() or path.read_bytes() != data:
        _write(path, data, target.stat().st_mode & 0o777)
    return path


def file_hash(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, data: bytes, mode: int) -> None:
    """Write a file in one step."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_draft(path, mode | 0o600) as draft:
            write_all(draft, data)
            os.fsync(draft.fileno())
            draft_path(path).replace(path)
    except OSError as error:
        raise LongwaysError(f"{path} cannot be written: {error.strerror}. {_WHY}") from error
