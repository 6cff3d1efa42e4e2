"""What a report remembers of a model, to compare it again when its run is gone.

    OUT/counts/MODEL.json    what its translations amount to; how it was trained; what it was asked

A study may take several sittings, on machines that are not kept: each brings some models, and the
report is about all of them. Whoever wants a model measured again removes its file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.evaluation.comparison import System
from longways.evaluation.metrics.metric import Metric
from longways.evaluation.metrics.metric_statistics import statistics_to_json, system_from_json
from longways.evaluation.reference import Reference

COUNTS = "counts"

DAY, AGAINST = "as of", "baseline's BLEU"
"""The columns that say when a line was compared, and with what, where not all were together."""

Row = dict[str, Any]


@dataclass(frozen=True)
class StoredResult:
    """A model that was judged."""

    name: str
    system: System
    facts: Row
    """How it was trained, and what it remembers."""
    asked: dict[str, Any]
    """What it said about consistency sets: rows, and the names of the sets."""


def write_standing(standing: StoredResult, reference: Reference, out: Path) -> None:
    """Keep it beside the report."""
    content = {
        **statistics_to_json(standing.system, reference),
        "facts": standing.facts,
        "asked": standing.asked,
    }
    path = _place(out, standing.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")


def read_standing(
    name: str, metrics: Sequence[Metric], reference: Reference, out: Path
) -> StoredResult | None:
    """What was kept of a model, if anything was."""
    path = _place(out, name)
    if not path.exists():
        return None
    content = _read(path)
    return StoredResult(
        name, system_from_json(content, metrics, reference), content["facts"], content["asked"]
    )


def with_earlier(rows: list[Row], path: Path, left: Sequence[str]) -> list[Row]:
    """Rows, and those that an earlier report had of models that are left.

    The day of each is said, and the score of the baseline that it differs from: that may have been
    trained again since.
    """
    if not path.exists():
        return rows
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        baseline = report.get("settings", {}).get("baseline")
        dated = _dated(report["rows"], baseline, report["date"])
        earlier = [row for row in dated if row["model"] in left]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CorpusError(
            f"{path} is no report of a study: {error!r}. Remove it, and it is written anew."
        ) from error
    if not earlier:
        return rows
    today = datetime.now(UTC).date().isoformat()
    together = [*_dated(rows, baseline, today), *earlier]
    names = dict.fromkeys(name for row in together for name in row)
    return [{name: row.get(name) for name in names} for row in together]


def _dated(rows: list[Row], baseline: str | None, day: str) -> list[Row]:
    """Rows of one report: those that do not say when they were compared were, that day."""
    score = next((row.get("document BLEU") for row in rows if row["model"] == baseline), None)
    return [{**row, DAY: row.get(DAY, day), AGAINST: row.get(AGAINST, score)} for row in rows]


def known_models(out: Path) -> dict[str, list[str]]:
    """The models that something was kept of, and the sets that they were asked about."""
    kept = (out / COUNTS).glob("*.json")
    return {path.stem: _read(path)["asked"]["sets"] for path in kept}


def _read(path: Path) -> Row:
    return read_kept(path, ("counts", "reference", "facts"), "measured")


def read_kept(path: Path, parts: Sequence[str], done: str) -> Row:
    """What a study has kept of a model, with all these parts and what it was asked about."""
    try:
        content: Row = json.loads(path.read_text(encoding="utf-8"))
        [content[part] for part in parts], content["asked"]["sets"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CorpusError(
            f"{path} is not what a study keeps of a model: {error!r}. Remove it, and the model is "
            f"{done} again."
        ) from error
    return content


def _place(out: Path, name: str) -> Path:
    return out / COUNTS / f"{name}.json"
