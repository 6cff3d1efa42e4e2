"""What a study found: one table, the curves, and all the numbers behind them.

OUT/study.json      the table, the settings, the machine
OUT/study.md        the table to read
OUT/runs/MODEL.json each run: its settings and its curve
OUT/curves.png      losses over updates, and .svg
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longways.benchmark.report import Report, report, write
from longways.corpus.store import PreparedData
from longways.errors import CorpusError
from longways.evaluation.material import PreparedPart
from longways.evaluation.models import judge_models, rows, signatures
from longways.model.manifest import read_manifest
from longways.study.config import Study, StudyModel
from longways.study.run import judged_file
from longways.training.plot import plot_runs
from longways.training.run import BEST_FOLDER
from longways.training.summary import summarise


def write_report(study: Study, work: Path, data: PreparedData, out: Path) -> Report:
    """Compare every model that has been judged with the baseline, and write it all down."""
    models = _judged(study, work)
    files = [file for model in models if (file := judged_file(study, model, work))]
    material = PreparedPart(data, study.part)
    judged = judge_models(files, material)
    compared = rows(judged, material)
    table = [{**row, **_facts(work, m)} for m, row in zip(models, compared, strict=True)]
    settings = {
        "data": data.folder.name,
        "part": study.part,
        "beam": study.beam,
        "baseline": study.baseline,
        "signatures": signatures(judged, material),
    }
    result = report(study.name, f"Study {study.name}", settings, table, "cpu")
    _write(result, work, [model.name for model in models], out)
    return result


def _judged(study: Study, work: Path) -> list[StudyModel]:
    """The models that can be compared, the baseline first."""
    models = [model for model in study.models if judged_file(study, model, work)]
    if study.baseline not in [model.name for model in models]:
        raise CorpusError(f"The baseline {study.baseline} has not been judged yet in {work}.")
    return sorted(models, key=lambda model: model.name != study.baseline)


def _facts(work: Path, model: StudyModel) -> dict[str, Any]:
    """What a row says of how a model was trained."""
    found = summarise(work / model.name)
    best = {k.removeprefix("best "): v for k, v in found.items() if k.startswith("best dev")}
    return {
        **{name: round(value, 4) for name, value in best.items() if value is not None},
        "updates": found["update"],
        "best update": found["best update"],
        "training seconds": found["seconds"],
        "trained on": found["machine"].get("device"),
        "seed": found["config"]["training"]["seed"],
        "started from": model.init_from or "nothing",
        "attention": _attention(read_manifest(work / model.name / BEST_FOLDER).model),
    }


def _attention(config: Any) -> str:
    cross, causal = config.cross, config.causal
    sides = [
        f"{name} {side.kind}" + (f" {side.projection}" if side.kind == "rfa" else "")
        for name, side in (("cross", cross), ("causal", causal))
    ]
    return ", ".join(sides) + (f", gate {causal.gate}" if causal.gate != "none" else "")


def _write(result: Report, work: Path, names: list[str], out: Path) -> None:
    write(result, out / "study.json")
    (out / "study.md").write_text(markdown(result), encoding="utf-8")
    (out / "runs").mkdir(exist_ok=True)
    for name in names:
        text = json.dumps({**summarise(work / name), "command": ""}, indent=2) + "\n"
        (out / "runs" / f"{name}.json").write_text(text, encoding="utf-8")
    for suffix in ("png", "svg"):
        plot_runs([work / name for name in names], out / f"curves.{suffix}")


def markdown(result: Report) -> str:
    """The table as Markdown."""
    names = list(result.rows[0])
    lines = [names, ["---"] * len(names), *([str(row[n]) for n in names] for row in result.rows)]
    table = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    where = ", ".join(sorted({str(row["trained on"]) for row in result.rows}))
    settings = json.dumps(result.settings)
    return f"# {result.claim}\n\n{table}\n\nTrained on {where}; {result.date}.\n\n`{settings}`\n"
