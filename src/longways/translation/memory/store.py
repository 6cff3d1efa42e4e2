"""A translation memory in a SQLite file, or in memory for a TMX file that is only read."""

from __future__ import annotations

import sqlite3
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from longways.errors import TextError
from longways.translation.memory.schema import damaged, open_database
from longways.translation.memory.units import Match, Unit, key, normal

MAX_CANDIDATES = 100
"""The most translations of one source that are compared."""
_BATCH = 5_000
"""Units of one transaction."""

Fits = Callable[[str], bool]
"""Whether a translation may be taken."""

_NEW = """
INSERT INTO units (key, whole, context, machine, created, source, target, before)
SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS (
    SELECT 1 FROM units WHERE whole = ?2 AND machine <= ?4 AND (?4 OR created >= ?5)
)
"""
"""A unit is added if its texts are not there yet. A person's is added again with a later time."""

_CANDIDATES = """
SELECT source, target FROM units WHERE key = ? AND machine = ? AND context = ? AND id <= ?
ORDER BY created DESC, id DESC LIMIT ?
"""
_IN_ANY_CONTEXT = """
SELECT source, target FROM units WHERE key = ? AND machine = ? AND id <= ?
ORDER BY created DESC, id DESC LIMIT ?
"""


class Store:
    """Units of one pair of languages, found by their source."""

    def __init__(self, path: Path | None, source: str, target: str) -> None:
        """Open a file, or make a new one; None is a store in memory."""
        self.path = path
        self.database = open_database(path, source, target)
        weakref.finalize(self, self.database.close)
        self.last = self._newest()
        """The last unit that is seen: the snapshot."""

    @property
    def identity(self) -> str:
        """What stays the same while units are added."""
        return str(next(self._all("SELECT value FROM facts WHERE name = 'id'"))[0])

    @property
    def size(self) -> int:
        """The number of units in the snapshot."""
        return self._number("SELECT count(*) FROM units WHERE id <= ?", self.last) or 0

    def counts(self) -> dict[str, int]:
        """The numbers of units and sources, and of sources with several translations."""
        sources = "SELECT count(*) FROM (SELECT 1 FROM units WHERE id <= ? GROUP BY key{})"
        machine = "SELECT count(*) FROM units WHERE id <= ? AND machine"
        several = sources.format(" HAVING count(DISTINCT target) > 1")
        queries = {"sources": sources.format(""), "conflicts": several, "machine": machine}
        found = {name: self._number(query, self.last) or 0 for name, query in queries.items()}
        return {"units": self.size, **found}

    def find(self, source: str, before: str | None, fits: Fits) -> Match | None:
        """The best translation of a source that fits.

        A translation by a person comes first, then one after the same sentence, then the newest. A
        machine has translated in context, so its translation counts only after the same sentence;
        without a sentence before (None), anywhere. There is a conflict if another translation of
        the same rank fits too.
        """
        text = normal(source)
        for machine in (0, 1):
            for query, values in _queries(text, before, machine, self.last):
                found = [
                    (given, target)
                    for given, target in self._all(query, *values, MAX_CANDIDATES)
                    if normal(given) == text and fits(target)
                ]
                if found:
                    targets = {normal(target) for _, target in found}
                    return Match("exact", 100, *found[0], len(targets) > 1, bool(machine))
        return None

    def sources(self) -> Iterator[str]:
        """The sources in the snapshot, in the order in which they were added."""
        query = "SELECT source FROM units WHERE id <= ? ORDER BY id"
        return (source for (source,) in self._all(query, self.last))

    def units(self) -> Iterator[Unit]:
        """All units in the snapshot, in the order in which they were added."""
        query = "SELECT source, target, before, created, machine FROM units WHERE id <= ?"
        found = self._all(f"{query} ORDER BY id", self.last)
        for source, target, before, created, machine in found:
            yield Unit(source, target, before, created, bool(machine))

    def add(self, units: Iterable[Unit]) -> int:
        """Add units that are not there yet; returns how many. They are beyond the snapshot."""
        waiting, added = iter(units), 0
        while batch := list(islice(waiting, _BATCH)):
            rows = [_row(unit) for unit in batch]
            with self._writing():
                before = self.database.total_changes
                self.database.executemany(_NEW, rows)
                added += self.database.total_changes - before
        return added

    def see_all(self) -> None:
        """Move the snapshot to the newest unit."""
        self.last = self._newest()

    def begin(self, job: str, *, resumed: bool) -> None:
        """Take the snapshot of a job; a resumed one gets the snapshot that it had."""
        with self._writing():
            known = self._number("SELECT last FROM snapshots WHERE job = ?", job)
            if resumed and known is not None:
                self.last = known
            else:
                self.last = self._newest()
                new = "INSERT OR REPLACE INTO snapshots VALUES (?, ?)"
                self.database.execute(new, (job, self.last))

    def end(self, job: str) -> None:
        """Forget the snapshot of a finished job."""
        with self._writing():
            self.database.execute("DELETE FROM snapshots WHERE job = ?", (job,))

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def _newest(self) -> int:
        return self._number("SELECT max(id) FROM units") or 0

    def _number(self, query: str, *values: object) -> int | None:
        """The number that a query finds, if any."""
        found: int | None = next(self._all(query, *values), (None,))[0]
        return found

    def _all(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self.database.execute(query, values)
        except sqlite3.Error as error:
            raise TextError(damaged(self.path, error)) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it is written, or nothing."""
        try:
            self.database.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.database.execute("ROLLBACK")
                raise
            self.database.execute("COMMIT")
        except sqlite3.Error as error:
            raise TextError(damaged(self.path, error)) from error


def _queries(
    text: str, before: str | None, machine: int, last: int
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The queries for translations of a normalised text, the highest rank first."""
    if before is not None:
        yield _CANDIDATES, (key(text), machine, key(normal(before)), last)
    if before is None or not machine:
        yield _IN_ANY_CONTEXT, (key(text), machine, last)


def _row(unit: Unit) -> tuple[object, ...]:
    source, before = normal(unit.source), normal(unit.before)
    machine = int(unit.is_machine)
    whole = key(source, normal(unit.target), before)
    texts = map(_storable, (unit.source, unit.target, unit.before))
    return (key(source), whole, key(before), machine, unit.created, *texts)


def _storable(text: str) -> str:
    """A text without halves of characters, which no file of SQLite can hold."""
    return text.encode("utf-8", "replace").decode()
