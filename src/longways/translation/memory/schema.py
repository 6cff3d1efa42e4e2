"""The tables of a translation memory in SQLite.

Units are only added, never changed: a job that began before sees the same units until its end,
also when it is killed and resumed. Writers wait for each other, and a killed one leaves no half of
its units (write-ahead logging).
"""

from __future__ import annotations

import sqlite3
import uuid
from pathlib import Path

from longways.errors import TextError

VERSION = 1
"""The format version of the tables."""
APPLICATION = 0x4C57544D
"""The number by which SQLite files of this kind are known: LWTM."""
WAIT_SECONDS = 60.0
"""How long a writer waits for another one."""

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE units (
    id INTEGER PRIMARY KEY,
    key INTEGER NOT NULL,
    whole INTEGER NOT NULL,
    context INTEGER NOT NULL,
    machine INTEGER NOT NULL,
    created TEXT NOT NULL,
    source TEXT NOT NULL,
    target TEXT NOT NULL,
    before TEXT NOT NULL
);
CREATE INDEX by_context ON units (key, machine, context, created, id);
CREATE INDEX by_time ON units (key, machine, created, id);
CREATE INDEX by_whole ON units (whole);
CREATE TABLE snapshots (job TEXT PRIMARY KEY, last INTEGER NOT NULL);
"""
"""`key` is the number of a normalised source, `context` of the one before, `whole` of all texts."""


def open_database(path: Path | None, source: str, target: str) -> sqlite3.Connection:
    """The database of a store for two languages, made if it is not there; None is in memory."""
    try:
        database = sqlite3.connect(
            path or ":memory:", timeout=WAIT_SECONDS, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise TextError(f"{path} cannot be opened: {error}. Check the path.") from error
    try:
        _prepare(database, path, source, target)
    except sqlite3.Error as error:
        database.close()
        raise TextError(damaged(path, error)) from error
    except BaseException:
        database.close()
        raise
    return database


def languages_of(path: Path) -> tuple[str, str]:
    """The languages of a store that exists."""
    try:
        database = sqlite3.connect(path, timeout=WAIT_SECONDS)
        try:
            _check_ours(database, path)
            facts = dict(database.execute("SELECT name, value FROM facts"))
        finally:
            database.close()
    except sqlite3.Error as error:
        raise TextError(damaged(path, error)) from error
    return facts["source"], facts["target"]


def damaged(path: Path | None, error: sqlite3.Error) -> str:
    """The message about a file that SQLite cannot use."""
    kind = str(error)
    if "not a database" in kind:
        return (
            f"{path} is not a translation memory: it is no SQLite file. Name a .tmx file, or a "
            "new .sqlite file, which is created."
        )
    if "readonly" in kind or "read-only" in kind:
        return f"{path} cannot be written: {kind}. Copy it to a folder that you may write."
    if "full" in kind:
        return f"{path} cannot be written: the disk is full. Free some space, and try again."
    if "locked" in kind:
        return f"{path} is in use by another program. Close that program, or wait."
    return f"{path} cannot be used: {kind}. Restore it from a copy, or start a new one."


def _prepare(database: sqlite3.Connection, path: Path | None, source: str, target: str) -> None:
    """Make the tables of a new file; check an old one."""
    if not database.execute("SELECT 1 FROM sqlite_schema").fetchone():
        database.execute("PRAGMA journal_mode = WAL")
        _create(database, source, target)
    _check_ours(database, path)
    database.execute("PRAGMA synchronous = NORMAL")
    _check(database, path, source, target)


def _create(database: sqlite3.Connection, source: str, target: str) -> None:
    """Make the tables, unless another process was faster."""
    database.execute("BEGIN IMMEDIATE")
    try:
        if not database.execute("SELECT 1 FROM sqlite_schema").fetchone():
            for statement in _TABLES.split(";"):
                database.execute(statement)
            facts = {"id": uuid.uuid4().hex, "source": source, "target": target}
            database.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
            database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute(f"PRAGMA user_version = {VERSION}")
        database.execute("COMMIT")
    except BaseException:
        database.execute("ROLLBACK")
        raise


def _check_ours(database: sqlite3.Connection, path: Path | None) -> None:
    """Raise if a file was made by another program."""
    (application,) = database.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION:
        raise TextError(
            f"{path} is a SQLite file of another program. Name a .tmx file, or a new .sqlite "
            "file, which is created."
        )


def _check(database: sqlite3.Connection, path: Path | None, source: str, target: str) -> None:
    """Raise if a store is of a later version or has other languages."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version != VERSION:
        raise TextError(
            f"{path} has format version {version}, but this version of Longways reads {VERSION}. "
            "Install a newer Longways, or name another file."
        )
    facts = dict(database.execute("SELECT name, value FROM facts"))
    if (facts["source"], facts["target"]) != (source, target):
        raise TextError(
            f"{path} is a memory from {facts['source']} to {facts['target']}, but the model "
            f"translates from {source} to {target}. Name another file."
        )
