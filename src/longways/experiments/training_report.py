"""A study that translates nothing: models are held against contrastive sets, or only trained.

    OUT/answers/MODEL.json   how a model was trained, and what it said

Without sets it is about losses on the development part, as a search for settings is. As in other
studies, a model whose run is gone is neither trained nor asked again.
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
from longways.experiments.consistency import answers
from longways.experiments.markdown import trained_on
from longways.experiments.plan import trained
from longways.experiments.report import Findings, trained_row, write_findings, write_runs
from longways.experiments.seeds import seed_groups
from longways.experiments.stored_results import read_kept
from longways.results import Report, report

ANSWERS = "answers"

Row = dict[str, Any]


def write_answered(study: Study, work: Path, data: PreparedData, out: Path) -> Report:
    """Write down how every model learned and what it said, those of earlier reports included."""
    for model in study.models:
        asked = answers(work, model)["rows"] or not study.consistency
        if trained(work, model) and asked:
            _keep(study, model, work, data, out)
    names = [model.name for model in study.models]
    kept = {path.stem: _read(path) for path in (out / ANSWERS).glob("*.json")}
    known = [name for name in names if name in kept]
    if not known:
        done = "asked" if study.consistency else "trained"
        raise CorpusError(f"No model of the study {study.name} has been {done} yet in {work}.")
    rows = [{"model": name, **kept[name]["facts"]} for name in known]
    settings = {"data": data.folder.name, "sets": kept[known[0]]["asked"]["sets"]}
    result = report(study.name, f"Study {study.name}", settings, rows, "cpu")
    result = replace(result, machine=result.machine | {"device": trained_on(rows)})
    asked = [row for name in known for row in kept[name]["asked"]["rows"]]
    write_findings(Findings(result, seed_groups(study), asked), out)
    write_runs(work, known, out)
    return result


def answered_models(out: Path) -> dict[str, list[str]]:
    """The models that were asked, and the sets that they were asked about."""
    return {path.stem: _read(path)["asked"]["sets"] for path in (out / ANSWERS).glob("*.json")}


def _keep(study: Study, model: StudyModel, work: Path, data: PreparedData, out: Path) -> None:
    row = trained_row(work, model, PreparedTestSet(data, study.part).split)
    path = out / ANSWERS / f"{model.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"facts": row, "asked": answers(work, model)}
    path.write_text(json.dumps(content) + "\n", encoding="utf-8")


def _read(path: Path) -> Row:
    return read_kept(path, ("facts",), "asked")
