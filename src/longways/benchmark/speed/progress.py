"""Progress of the speed benchmark: rows are logged, and a partial report is kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from longways.benchmark.speed.config import SpeedConfig
from longways.benchmark.speed.windows import SENTENCE_TOKENS
from longways.results import Report, Row, report

DERIVED_SETTINGS = ("sizes", "trained", "prepared")
"""Settings that the report describes in other fields."""

CLAIM = "Tokens per second by window length"

Log = Callable[[str], None]
Keep = Callable[[Report], None]


class PartialReport:
    """The rows measured so far; an interrupted benchmark keeps a report of them."""

    def __init__(self, config: SpeedConfig, log: Log, keep: Keep) -> None:
        self.config, self.log, self._keep = config, log, keep
        self.rows, self.notes = list[Row](), dict[str, str]()

    def leave_out(self, name: str, why: str) -> None:
        """Note that a system or device is not measured."""
        self.notes[f"left out {name}"] = why
        self.log(f"{name} is left out: {why}")

    def add(self, rows: list[Row]) -> None:
        """Add rows that are complete."""
        self.rows += rows
        for row in rows:
            self.log(_line(row))
        self.keep_with([])

    def keep_with(self, rows: list[Row]) -> None:
        """Keep a report that also has rows which may still change."""
        self._keep(self.report(rows))

    def report(self, more: list[Row] | None = None) -> Report:
        """All rows with the settings."""
        rows = [*self.rows, *(more or [])]
        config, settings = self.config, asdict(self.config)
        settings = {key: value for key, value in settings.items() if key not in DERIVED_SETTINGS}
        settings |= {
            "batches": _all(rows, "batches"),
            "systems": _all(rows, "system"),
            "weights": config.weights,
            "sources": config.prepared.name if config.prepared else "random",
            "tokens of a sentence": SENTENCE_TOKENS,
            **config.model_sizes,
            **self.notes,
        }
        return report("speed", CLAIM, settings, rows, rows[-1]["device"])


def _all(rows: list[Row], name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))


def _line(row: Row) -> str:
    shown: dict[str, Any] = {key: value for key, value in row.items() if value is not None}
    return ", ".join(f"{key} {value}" for key, value in shown.items() if value != "")
