"""Stored results of a model, from which it is compared again after its run is gone.

    OUT/counts/MODEL.json    metric statistics, facts about training, results on contrastive sets
    OUT/answers/MODEL.json   the same without statistics, in a study that translates nothing

A study may be run in several parts on different machines. Each run adds the results of some
models, and the report covers all of them. To measure a model again, remove its file.
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
from longways.experiments.config import Study

EVALUATED_FOLDER, TRAINED_FOLDER = "counts", "answers"

DATE_COLUMN, BASELINE_COLUMN = "as of", "baseline's BLEU"
"""Columns with the date of a comparison and its baseline's score, for rows of different dates."""

Row = dict[str, Any]


@dataclass(frozen=True)
class StoredResult:
    """A model that was evaluated."""

    name: str
    system: System
    facts: Row
    """The columns of `model_facts`."""
    consistency: dict[str, Any]
    """Result rows on contrastive sets, and the names of the sets."""


def write_result(result: StoredResult, reference: Reference, out: Path) -> None:
    """Store a result in the folder of the report."""
    content = {
        **statistics_to_json(result.system, reference),
        "facts": result.facts,
        "asked": result.consistency,
    }
    _write(out / EVALUATED_FOLDER / f"{result.name}.json", content)


def write_training_result(name: str, facts: Row, consistency: Row, out: Path) -> None:
    """Store the result of a model that translates nothing."""
    _write(out / TRAINED_FOLDER / f"{name}.json", {"facts": facts, "asked": consistency})


def _write(path: Path, content: Row) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")


def read_result(
    name: str, metrics: Sequence[Metric], reference: Reference, out: Path
) -> StoredResult | None:
    """The stored result of a model, or None."""
    path = out / EVALUATED_FOLDER / f"{name}.json"
    if not path.exists():
        return None
    content = _read(path, ("counts", "reference", "facts"))
    return StoredResult(
        name, system_from_json(content, metrics, reference), content["facts"], content["asked"]
    )


def with_earlier(rows: list[Row], path: Path, absent: Sequence[str]) -> list[Row]:
    """Rows, followed by the rows that an earlier report has for `absent` models.

    If there are such rows, all rows get two columns: the date of the comparison, and the score of
    the baseline, which may have been trained again since.
    """
    if not path.exists():
        return rows
    try:
        report = json.loads(path.read_text(encoding="utf-8"))
        baseline = report.get("settings", {}).get("baseline")
        dated = _dated(report["rows"], baseline, report["date"])
        earlier = [row for row in dated if row["model"] in absent]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CorpusError(
            f"{path} is not a report of a study: {error!r}. Remove it, and it is written again."
        ) from error
    if not earlier:
        return rows
    today = datetime.now(UTC).date().isoformat()
    together = [*_dated(rows, baseline, today), *earlier]
    names = dict.fromkeys(name for row in together for name in row)
    return [{name: row.get(name) for name in names} for row in together]


def _dated(rows: list[Row], baseline: str | None, date: str) -> list[Row]:
    """The rows of one report with both columns; a row without a date has the report's date."""
    score = next((row.get("document BLEU") for row in rows if row["model"] == baseline), None)
    return [
        {
            **row,
            DATE_COLUMN: row.get(DATE_COLUMN, date),
            BASELINE_COLUMN: row.get(BASELINE_COLUMN, score),
        }
        for row in rows
    ]


def stored_models(study: Study, out: Path) -> dict[str, list[str]]:
    """The models with stored results, each with the names of its contrastive sets."""
    folder = out / (EVALUATED_FOLDER if study.evaluate else TRAINED_FOLDER)
    return {path.stem: _read(path)["asked"]["sets"] for path in folder.glob("*.json")}


def training_results(out: Path) -> dict[str, Row]:
    """The stored results of models that translate nothing, by the models' names."""
    return {path.stem: _read(path) for path in (out / TRAINED_FOLDER).glob("*.json")}


def _read(path: Path, keys: Sequence[str] = ("facts",)) -> Row:
    """A stored JSON object, checked for these keys and for its contrastive sets."""
    try:
        content: Row = json.loads(path.read_text(encoding="utf-8"))
        [content[key] for key in keys], content["asked"]["sets"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CorpusError(
            f"{path} is not a stored result of a study: {error!r}. Remove it, and the model is "
            "measured again."
        ) from error
    return content
