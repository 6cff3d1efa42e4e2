"""What the speed benchmark has measured so far: told line by line, and kept as a whole report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from longways.benchmark.speed.config import SpeedConfig
from longways.benchmark.speed.windows import SENTENCE
from longways.results import Report, Row, report

UNSAID = ("sizes", "trained", "prepared")
"""Settings that are said in other words."""

CLAIM = "Tokens a second by the length of the window"

Tell = Callable[[str], None]
Keep = Callable[[Report], None]


class SoFar:
    """Rows as they come. Whoever is cut off still has a report of all before."""

    def __init__(self, config: SpeedConfig, tell: Tell, keep: Keep) -> None:
        self.config, self.tell, self._keep = config, tell, keep
        self.rows, self.notes = list[Row](), dict[str, str]()

    def leave_out(self, name: str, why: str) -> None:
        """Say what is not measured."""
        self.notes[f"left out {name}"] = why
        self.tell(f"{name} is left out: {why}")

    def add(self, rows: list[Row]) -> None:
        """Rows that will not change any more."""
        self.rows += rows
        for row in rows:
            self.tell(_line(row))
        self.glimpse([])

    def glimpse(self, rows: list[Row]) -> None:
        """Keep a report with rows that may still change."""
        self._keep(self.report(rows))

    def report(self, more: list[Row] | None = None) -> Report:
        """All rows, and how they came about."""
        rows = [*self.rows, *(more or [])]
        config, settings = self.config, asdict(self.config)
        settings = {key: value for key, value in settings.items() if key not in UNSAID}
        settings |= {
            "batches": _all(rows, "batches"),
            "systems": _all(rows, "system"),
            "weights": config.weights,
            "sources": config.prepared.name if config.prepared else "random",
            "tokens of a sentence": SENTENCE,
            **config.model_sizes,
            **self.notes,
        }
        return report("speed", CLAIM, settings, rows, rows[-1]["device"])


def _all(rows: list[Row], name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))


def _line(row: Row) -> str:
    shown: dict[str, Any] = {key: value for key, value in row.items() if value is not None}
    return ", ".join(f"{key} {value}" for key, value in shown.items() if value != "")
