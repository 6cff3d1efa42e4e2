"""What a study found: tables, curves, and all the numbers behind them.

OUT/study.json        a line for each model, the settings, the machine
OUT/study.md          all tables to read
OUT/table.json        document BLEU by system and L, as in the paper's Table 1, with the paper's
OUT/seeds.json        mean and spread of models that differ in nothing but the seed, if there are
OUT/not-judged.json   of models that were trained, but not judged, if there are
OUT/consistency.json  accuracy by model, set and L, if the study names sets; .png, .svg
OUT/runs/MODEL.json   each run: its settings and its curve
OUT/counts/MODEL.json what its translations amount to: enough to compare it again without them
OUT/answers/MODEL.json  of a study that only asks: how it was trained, and what it said
OUT/curves.png        losses over updates, and .svg
OUT/state.png         quality over the size of the decoder's state, and .svg
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longways.corpus.prepared_data import PreparedData, Split
from longways.errors import CorpusError
from longways.evaluation.comparison import Comparison, output_language, score_systems
from longways.evaluation.consistency.plot import plot_consistency
from longways.evaluation.metrics.score import open_metrics
from longways.evaluation.models import evaluate_models
from longways.evaluation.test_set import PreparedTestSet
from longways.experiments.config import Study, StudyModel
from longways.experiments.consistency import answers
from longways.experiments.markdown import markdown, trained_on
from longways.experiments.paper import read_paper
from longways.experiments.plan import judged_file, trained
from longways.experiments.run_facts import model_facts
from longways.experiments.seeds import Groups, merge_consistency, seed_groups, seed_rows
from longways.experiments.stored_results import (
    StoredResult,
    read_standing,
    with_earlier,
    write_standing,
)
from longways.experiments.table import table_one
from longways.model.state_size import plot_state
from longways.results import Report, report, write
from longways.training.runs.plot import curves, curves_of, plot_curves
from longways.training.runs.run import RUN_FILE
from longways.training.runs.summary import summarise

PICTURES = ("png", "svg")

STUDY_FILE, NOT_JUDGED_FILE = "study.json", "not-judged.json"

Row = dict[str, Any]


@dataclass(frozen=True)
class Findings:
    """Everything a report is made of."""

    study: Report
    groups: Groups
    asked: list[Row]
    """Rows of `longways consistency`, of every model."""
    not_judged: list[Row] = field(default_factory=list)
    """What is known of models that were trained, but whose translations have not been judged."""


def write_report(study: Study, work: Path, data: PreparedData, out: Path) -> Report:
    """Compare every model that has been judged with the baseline, and write it all down.

    One whose run is not here, but which an earlier report in OUT was about, is compared too; or, if
    that kept no counts, its line stays as it was. Of those that were only trained, what training
    says.
    """
    material, groups = PreparedTestSet(data, study.part), seed_groups(study)
    standings, comparison = _compared(study, work, material, out)
    table = [{**row, **one.facts} for one, row in zip(standings, comparison.rows(), strict=True)]
    settings: dict[str, Any] = {
        "data": data.folder.name,
        "part": study.part,
        "beam": study.beam,
        "baseline": study.baseline,
        "signatures": comparison.signatures,
    }
    if same := {name: names for name, names in groups.items() if len(names) > 1}:
        settings["differ in the seed only"] = same
    known = [one.name for one in standings]
    others = [model for model in study.models if model.name not in known and trained(work, model)]
    only_trained = [trained_row(work, model, material.split) for model in others]
    left = [m.name for m in study.models if m.name not in known and m not in others]
    table = with_earlier(table, out / STUDY_FILE, left)
    only_trained = with_earlier(only_trained, out / NOT_JUDGED_FILE, left)
    result = report(study.name, f"Study {study.name}", settings, table, "cpu")
    result = replace(result, machine=result.machine | {"device": trained_on(table)})
    asked = [row for one in standings for row in one.asked["rows"]]
    write_findings(Findings(result, groups, asked, only_trained), out)
    write_runs(work, [*known, *(model.name for model in others)], out, left)
    return result


def _compared(
    study: Study, work: Path, material: PreparedTestSet, out: Path
) -> tuple[list[StoredResult], Comparison]:
    """The models that can be compared, the baseline first; what is new is kept in OUT."""
    files = {model: file for model in study.models if (file := judged_file(study, model, work))}
    judged = evaluate_models(files.values(), material)
    metrics = open_metrics((), output_language(judged, material))
    systems = score_systems(judged, material, metrics)
    found = {
        model.name: StoredResult(
            model.name, system, model_facts(work, model, material.split), answers(work, model)
        )
        for model, system in zip(files, systems, strict=True)
    }
    for standing in found.values():
        write_standing(standing, material, out)
    names = [study.baseline, *(model.name for model in study.models)]
    known = (
        found.get(name) or read_standing(name, metrics, material, out)
        for name in dict.fromkeys(names)
    )
    standings = [standing for standing in known if standing]
    if study.baseline not in [one.name for one in standings]:
        raise CorpusError(f"The baseline {study.baseline} has not been judged yet in {work}.")
    return standings, Comparison([one.system for one in standings], metrics, material)


def trained_row(work: Path, model: StudyModel, split: Split) -> Row:
    """What is known of a model without its translations."""
    L = summarise(work / model.name)["config"]["batches"]["L"]
    return {"model": model.name, "L": L, **model_facts(work, model, split)}


def write_findings(found: Findings, out: Path) -> None:
    """Tables as JSON and Markdown, and the figures that need no run."""
    result = found.study
    write(result, out / STUDY_FILE)
    judged = [row for row in result.rows if "document BLEU" in row]
    tables = {"table": table_one(judged, found.groups, read_paper())}
    tables["seeds"] = seed_rows([*result.rows, *found.not_judged], found.groups)
    tables["not judged"] = found.not_judged
    tables["consistency"] = merge_consistency(found.asked, found.groups)
    for name, lines in tables.items():
        path = out / f"{name.replace(' ', '-')}.json"
        path.unlink(missing_ok=True)  # what an earlier report had may be over
        if lines:
            write(replace(result, name=f"{result.name}, {name}", rows=lines), path)
    (out / "study.md").write_text(markdown(result, tables), encoding="utf-8")
    sized = [row for row in judged if "state bytes" in row]
    for suffix in PICTURES:
        if tables["consistency"]:
            plot_consistency(tables["consistency"], out / f"consistency.{suffix}")
        if sized:
            plot_state(sized, out / f"state.{suffix}")


def write_runs(work: Path, names: list[str], out: Path, left: Sequence[str] = ()) -> None:
    """What each run was, without the folders of the machine that it ran on.

    What an earlier report wrote of one that is not here, or is left as it was, is drawn too.
    """
    (out / "runs").mkdir(parents=True, exist_ok=True)
    here = [name for name in names if (work / name / RUN_FILE).exists()]
    for name in here:
        text = json.dumps(_public(summarise(work / name)), indent=2) + "\n"
        (out / "runs" / f"{name}.json").write_text(text, encoding="utf-8")
    drawn = {name: curves(work / name) for name in here}
    names = [*names, *left]
    for name in names:
        if name not in drawn and (kept := out / "runs" / f"{name}.json").exists():
            drawn[name] = curves_of(json.loads(kept.read_text(encoding="utf-8"))["curve"])
    for suffix in PICTURES:
        plot_curves(
            {name: drawn[name] for name in names if name in drawn}, out / f"curves.{suffix}"
        )


def _public(found: Row) -> Row:
    training = found["config"]["training"]
    for key in ("init_from", "teacher"):
        if training.get(key):
            training[key] = "/".join(Path(training[key]).parts[-2:])
    return {**found, "command": ""}
