"""Write the report of a study: tables, figures, and all numbers as JSON.

OUT/study.json          a row for each model, the settings, the machine
OUT/study.md            all tables as Markdown
OUT/table.json          document BLEU by system and L beside the paper's Table 1
OUT/seeds.json          mean and spread of models that differ only in their seeds
OUT/consistency.json    accuracy by model, set and L; also as .png and .svg
OUT/runs/MODEL.json     the settings and the loss curve of each run
OUT/counts/MODEL.json   metric statistics, enough to compare a model without its translations
OUT/answers/MODEL.json  results of a model in a study that translates nothing
OUT/curves.png          losses over updates; also as .svg
OUT/state.png           document BLEU over the size of the decoder's state; also as .svg

Tables without rows are not written.
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
from longways.experiments.consistency import consistency_results
from longways.experiments.markdown import markdown, trained_on
from longways.experiments.plan import is_trained, output_file
from longways.experiments.run_facts import model_facts
from longways.experiments.seeds import Groups, merge_consistency, seed_groups, seed_rows
from longways.experiments.stored_results import (
    StoredResult,
    read_result,
    training_results,
    with_earlier,
    write_result,
    write_training_result,
)
from longways.experiments.table import read_paper, table_one
from longways.model.state_size import plot_state
from longways.results import Report, report, write
from longways.training.runs.plot import log_curves, plot_curves, summary_curves
from longways.training.runs.run import RUN_FILE
from longways.training.runs.summary import summarise

FIGURE_SUFFIXES = ("png", "svg")

STUDY_FILE, NOT_EVALUATED_FILE = "study.json", "not-judged.json"
"""The tables of evaluated models, and of models that were trained, but not evaluated."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Findings:
    """The contents of a report."""

    study: Report
    groups: Groups
    consistency: list[Row]
    """The rows of `longways consistency` for every model."""
    not_evaluated: list[Row] = field(default_factory=list)
    """Rows for models that were trained, but not evaluated."""


def write_report(study: Study, work: Path, data: PreparedData, out: Path) -> Report:
    """Compare the models of a study and write the report.

    Models whose runs are gone are compared by their stored results in OUT.
    """
    test_set = PreparedTestSet(data, study.split)
    if study.evaluate:
        return _write_evaluation(study, work, test_set, out)
    return _write_training(study, work, test_set, out)


def _write_evaluation(study: Study, work: Path, test_set: PreparedTestSet, out: Path) -> Report:
    """Compare every evaluated model with the baseline.

    A model without stored statistics keeps its row of the earlier report. Models without
    translations have the columns about training only.
    """
    groups = seed_groups(study)
    results, comparison = _compare(study, work, test_set, out)
    table = [{**row, **one.facts} for one, row in zip(results, comparison.rows(), strict=True)]
    settings: dict[str, Any] = {
        "data": test_set.name,
        "part": study.split,
        "beam": study.beam,
        "baseline": study.baseline,
        "signatures": comparison.signatures,
    }
    if same := {name: names for name, names in groups.items() if len(names) > 1}:
        settings["differ in the seed only"] = same
    known = [one.name for one in results]
    others = [m for m in study.models if m.name not in known and is_trained(work, m)]
    only_trained = [trained_row(work, model, test_set.split) for model in others]
    absent = [m.name for m in study.models if m.name not in known and m not in others]
    table = with_earlier(table, out / STUDY_FILE, absent)
    only_trained = with_earlier(only_trained, out / NOT_EVALUATED_FILE, absent)
    result = _report(study, settings, table)
    consistency = [row for one in results for row in one.consistency["rows"]]
    write_findings(Findings(result, groups, consistency, only_trained), out)
    write_runs(work, [*known, *(model.name for model in others)], out, absent)
    return result


def _write_training(study: Study, work: Path, test_set: PreparedTestSet, out: Path) -> Report:
    """Compare dev losses and results on contrastive sets, without any translations."""
    for model in study.models:
        consistency = consistency_results(work, model)
        if is_trained(work, model) and (consistency["rows"] or not study.consistency):
            facts = trained_row(work, model, test_set.split)
            write_training_result(model.name, facts, consistency, out)
    stored = training_results(out)
    names = [model.name for model in study.models if model.name in stored]
    if not names:
        done = "tested" if study.consistency else "trained"
        raise CorpusError(f"No model of the study {study.name} has been {done} yet in {work}.")
    settings = {"data": test_set.name, "sets": stored[names[0]]["asked"]["sets"]}
    result = _report(study, settings, [{"model": n, **stored[n]["facts"]} for n in names])
    rows = [row for name in names for row in stored[name]["asked"]["rows"]]
    write_findings(Findings(result, seed_groups(study), rows), out)
    write_runs(work, names, out)
    return result


def _report(study: Study, settings: Row, rows: list[Row]) -> Report:
    result = report(study.name, f"Study {study.name}", settings, rows, "cpu")
    return replace(result, machine=result.machine | {"device": trained_on(rows)})


def _compare(
    study: Study, work: Path, test_set: PreparedTestSet, out: Path
) -> tuple[list[StoredResult], Comparison]:
    """The models that can be compared, the baseline first; new results are stored in OUT."""
    files = {model: file for model in study.models if (file := output_file(study, model, work))}
    outputs = evaluate_models(files.values(), test_set)
    metrics = open_metrics((), output_language(outputs, test_set))
    systems = score_systems(outputs, test_set, metrics)
    found = {
        model.name: StoredResult(
            model.name,
            system,
            model_facts(work, model, test_set.split),
            consistency_results(work, model),
        )
        for model, system in zip(files, systems, strict=True)
    }
    for result in found.values():
        write_result(result, test_set, out)
    names = [study.baseline, *(model.name for model in study.models)]
    known = (
        found.get(name) or read_result(name, metrics, test_set, out)
        for name in dict.fromkeys(names)
    )
    results = [result for result in known if result]
    if study.baseline not in [one.name for one in results]:
        raise CorpusError(f"The baseline {study.baseline} has not been evaluated yet in {work}.")
    return results, Comparison([one.system for one in results], metrics, test_set)


def trained_row(work: Path, model: StudyModel, split: Split) -> Row:
    """The row of a model without translations."""
    L = summarise(work / model.name)["config"]["batches"]["L"]
    return {"model": model.name, "L": L, **model_facts(work, model, split)}


def write_findings(found: Findings, out: Path) -> None:
    """Write tables as JSON and Markdown, and all figures but the loss curves."""
    result = found.study
    write(result, out / STUDY_FILE)
    evaluated = [row for row in result.rows if "document BLEU" in row]
    tables = {"table": table_one(evaluated, found.groups, read_paper())}
    tables["seeds"] = seed_rows([*result.rows, *found.not_evaluated], found.groups)
    tables["not evaluated"] = found.not_evaluated
    tables["consistency"] = merge_consistency(found.consistency, found.groups)
    for name, lines in tables.items():
        path = out / (NOT_EVALUATED_FILE if name == "not evaluated" else f"{name}.json")
        path.unlink(missing_ok=True)  # an earlier report may have written it
        if lines:
            write(replace(result, name=f"{result.name}, {name}", rows=lines), path)
    (out / "study.md").write_text(markdown(result, tables), encoding="utf-8")
    sized = [row for row in evaluated if "state bytes" in row]
    for suffix in FIGURE_SUFFIXES:
        if tables["consistency"]:
            plot_consistency(tables["consistency"], out / f"consistency.{suffix}")
        if sized:
            plot_state(sized, out / f"state.{suffix}")


def write_runs(work: Path, names: list[str], out: Path, absent: Sequence[str] = ()) -> None:
    """Write each run's settings and curve, without local paths, and plot all curves.

    Curves of runs that are gone are read from the earlier report.
    """
    (out / "runs").mkdir(parents=True, exist_ok=True)
    here = [name for name in names if (work / name / RUN_FILE).exists()]
    for name in here:
        text = json.dumps(_public(summarise(work / name)), indent=2) + "\n"
        (out / "runs" / f"{name}.json").write_text(text, encoding="utf-8")
    drawn = {name: log_curves(work / name) for name in here}
    names = [*names, *absent]
    for name in names:
        if name not in drawn and (stored := out / "runs" / f"{name}.json").exists():
            drawn[name] = summary_curves(json.loads(stored.read_text(encoding="utf-8"))["curve"])
    for suffix in FIGURE_SUFFIXES:
        plot_curves(
            {name: drawn[name] for name in names if name in drawn}, out / f"curves.{suffix}"
        )


def _public(found: Row) -> Row:
    training = found["config"]["training"]
    for key in ("init_from", "teacher"):
        if training.get(key):
            training[key] = "/".join(Path(training[key]).parts[-2:])
    return {**found, "command": ""}
