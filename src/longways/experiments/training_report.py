"""The report of a study without translations: dev losses, and results on contrastive sets.

    OUT/answers/MODEL.json   facts about a model's training, and its results on contrastive sets

Without contrastive sets the study compares dev losses only, as in a search for settings. A model
with stored results is neither trained nor tested again.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from longways.corpus.prepared_data import PreparedData
from longways.errors import CorpusError
from longways.evaluation.test_set import PreparedTestSet
from longways.experiments.config import Study, StudyModel
from longways.experiments.consistency import consistency_results
from longways.experiments.markdown import trained_on
from longways.experiments.plan import is_trained
from longways.experiments.report import Findings, trained_row, write_findings, write_runs
from longways.experiments.seeds import seed_groups
from longways.experiments.stored_results import read_stored
from longways.results import Report, report

RESULTS_FOLDER = "answers"

Row = dict[str, Any]


def write_training_report(study: Study, work: Path, data: PreparedData, out: Path) -> Report:
    """Write the report for all models that are trained or have stored results."""
    for model in study.models:
        is_complete = consistency_results(work, model)["rows"] or not study.consistency
        if is_trained(work, model) and is_complete:
            _store(study, model, work, data, out)
    names = [model.name for model in study.models]
    stored = {path.stem: _read(path) for path in (out / RESULTS_FOLDER).glob("*.json")}
    known = [name for name in names if name in stored]
    if not known:
        done = "tested" if study.consistency else "trained"
        raise CorpusError(f"No model of the study {study.name} has been {done} yet in {work}.")
    rows = [{"model": name, **stored[name]["facts"]} for name in known]
    settings = {"data": data.folder.name, "sets": stored[known[0]]["asked"]["sets"]}
    result = report(study.name, f"Study {study.name}", settings, rows, "cpu")
    result = replace(result, machine=result.machine | {"device": trained_on(rows)})
    consistency = [row for name in known for row in stored[name]["asked"]["rows"]]
    write_findings(Findings(result, seed_groups(study), consistency), out)
    write_runs(work, known, out)
    return result


def stored_training_results(out: Path) -> dict[str, list[str]]:
    """The models with stored results, each with the names of its contrastive sets."""
    return {
        path.stem: _read(path)["asked"]["sets"] for path in (out / RESULTS_FOLDER).glob("*.json")
    }


def _store(study: Study, model: StudyModel, work: Path, data: PreparedData, out: Path) -> None:
    row = trained_row(work, model, PreparedTestSet(data, study.split).split)
    path = out / RESULTS_FOLDER / f"{model.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"facts": row, "asked": consistency_results(work, model)}
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")


def _read(path: Path) -> Row:
    return read_stored(path, ("facts",))
