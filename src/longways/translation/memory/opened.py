"""The files that a user names as translation memories."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from longways.errors import ConfigError, TextError, unreadable
from longways.translation.memory.lookup import TranslationMemory
from longways.translation.memory.store import Store
from longways.translation.memory.tmx_reader import read_tmx

TMX_SUFFIX = ".tmx"
STORE_SUFFIXES = (".sqlite", ".sqlite3", ".db")


def open_memory(paths: Sequence[Path], source: str, target: str) -> TranslationMemory:
    """A memory for two languages; the first SQLite file gets new translations.

    TMX files are read, never written. A SQLite file that does not exist is made.
    """
    stores, identities, written = list[Store](), list[str](), None
    for path in dict.fromkeys(paths):
        if is_tmx(path):
            stores.append(load_tmx(path, source, target))
            identities.append(_digest(path))
        else:
            stores.append(open_store(path, source, target))
            identities.append(stores[-1].identity)
            written = written or stores[-1]
    return TranslationMemory(stores, written, " ".join(identities))


def is_tmx(path: Path) -> bool:
    """Whether a path names a TMX file; one that names no memory is an error."""
    suffix = path.suffix.lower()
    if suffix != TMX_SUFFIX and suffix not in STORE_SUFFIXES:
        raise ConfigError(
            f"{path} has the suffix {suffix or 'of no format'}, but a translation memory is a "
            f"{TMX_SUFFIX} or a {STORE_SUFFIXES[0]} file. Rename it, or name another file."
        )
    return suffix == TMX_SUFFIX


def load_tmx(path: Path, source: str, target: str) -> Store:
    """A TMX file as a store in memory."""
    store = Store(None, source, target)
    store.add(read_tmx(path, source, target))
    store.see_all()
    return store


def open_store(path: Path, source: str, target: str, *, new: bool = True) -> Store:
    """A SQLite file; one that does not exist is made, or an error if it must not be `new`."""
    if path.is_dir() or (not new and not path.exists()):
        raise TextError(f"{path} is not a file. Check the path of the translation memory.")
    return Store(path, source, target)


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise TextError(unreadable(path, error)) from error
