"""What a study found: tables, curves, and all the numbers behind them.

OUT/study.json        a line for each model, the settings, the machine
OUT/study.md          all tables to read
OUT/table.json        document BLEU by system and L, as in the paper's Table 1, with the paper's
OUT/seeds.json        mean and spread of models that differ in nothing but the seed, if there are
OUT/not-judged.json   of models that were trained, but not judged, if there are
OUT/consistency.json  accuracy by model, set and L, if the study names sets; .png, .svg
OUT/runs/MODEL.json   each run: its settings and its curve
OUT/curves.png        losses over updates, and .svg
OUT/state.png         quality over the size of the decoder's state, and .svg
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from longways.attention.config import AttentionConfig, CrossConfig
from longways.benchmark.report import Report, report, write
from longways.corpus.store import PreparedData, Split
from longways.errors import CorpusError
from longways.evaluation.consistency_plot import plot_consistency
from longways.evaluation.material import PreparedPart
from longways.evaluation.models import judge_models, rows, signatures
from longways.model.config import ModelConfig
from longways.model.manifest import read_manifest
from longways.study.asking import answers
from longways.study.config import Study, StudyModel
from longways.study.markdown import markdown, trained_on
from longways.study.paper import read_paper
from longways.study.run import judged_file, trained
from longways.study.seeds import Groups, merge_consistency, seed_groups, seed_rows
from longways.study.state import plot_state, state_bytes, window_tokens
from longways.study.table import table_one
from longways.training.plot import plot_runs
from longways.training.run import BEST_FOLDER
from longways.training.summary import summarise

NEAR = 0.01
"""A curve is flat once it is within this share of its best."""

PICTURES = ("png", "svg")

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

    Of those that were only trained, what training says.
    """
    models = _judged(study, work)
    files = [file for model in models if (file := judged_file(study, model, work))]
    material = PreparedPart(data, study.part)
    judged = judge_models(files, material)
    table = [
        {**row, **_facts(work, model, material.split)}
        for model, row in zip(models, rows(judged, material), strict=True)
    ]
    groups = seed_groups(study)
    settings: dict[str, Any] = {
        "data": data.folder.name,
        "part": study.part,
        "beam": study.beam,
        "baseline": study.baseline,
        "signatures": signatures(judged, material),
    }
    if same := {name: names for name, names in groups.items() if len(names) > 1}:
        settings["differ in the seed only"] = same
    result = report(study.name, f"Study {study.name}", settings, table, "cpu")
    result = replace(result, machine=result.machine | {"device": trained_on(table)})
    others = [model for model in study.models if model not in models and trained(work, model)]
    only_trained = [_only_trained(work, model, material.split) for model in others]
    write_findings(Findings(result, groups, answers(work, models), only_trained), out)
    _write_runs(work, [model.name for model in (*models, *others)], out)
    return result


def _only_trained(work: Path, model: StudyModel, split: Split) -> Row:
    L = summarise(work / model.name)["config"]["batches"]["L"]
    return {"model": model.name, "L": L, **_facts(work, model, split)}


def _judged(study: Study, work: Path) -> list[StudyModel]:
    """The models that can be compared, the baseline first."""
    models = [model for model in study.models if judged_file(study, model, work)]
    if study.baseline not in [model.name for model in models]:
        raise CorpusError(f"The baseline {study.baseline} has not been judged yet in {work}.")
    return sorted(models, key=lambda model: model.name != study.baseline)


def _facts(work: Path, model: StudyModel, split: Split) -> Row:
    """What a row says of how a model was trained, and of what it remembers."""
    found = summarise(work / model.name)
    config = read_manifest(work / model.name / BEST_FOLDER).model
    best = {k.removeprefix("best "): v for k, v in found.items() if k.startswith("best dev")}
    tokens = window_tokens(split, found["config"]["batches"]["L"])
    return {
        **{name: round(value, 4) for name, value in best.items() if value is not None},
        "updates": found["update"],
        "best update": found["best update"],
        "flat from": flat_from(found["curve"]),
        "training seconds": found["seconds"],
        "trained on": found["machine"].get("device"),
        "seed": found["config"]["training"]["seed"],
        "started from": model.init_from or "nothing",
        "taught by": model.teacher or "nobody",
        "attention": describe_attention(config),
        "state bytes": state_bytes(config, *tokens),
    }


def flat_from(curve: list[dict[str, float]]) -> int | None:
    """The update from which on the development loss is always within a hundredth of its best."""
    looks = [(int(point["update"]), point["dev_loss"]) for point in curve]
    best = min((loss for _, loss in looks), default=0.0)
    far = max((update for update, loss in looks if loss > best * (1 + NEAR)), default=-1)
    return next((update for update, _ in looks if update > far), None)


def describe_attention(config: ModelConfig) -> str:
    """Both attentions of a decoder in a few words: kind, projection, feature map, gate."""
    sides = [f"cross {_side(config.cross)}", f"causal {_side(config.causal)}"]
    gate = config.causal.gate
    return ", ".join([*sides, *([f"gate {gate}"] if gate != "none" else [])])


def _side(side: AttentionConfig) -> str:
    if side.kind == "softmax":
        return "softmax" + (_smaller(side) if isinstance(side, CrossConfig) else "")
    features = "" if side.feature_map == "random" else f" {side.feature_map}"
    return f"rfa {side.projection}{features}"


def _smaller(side: CrossConfig) -> str:
    """What makes a memory smaller than the keys and values of all heads and tokens."""
    heads = f", {side.key_heads} key heads" if side.key_heads else ""
    return heads + (f", {side.slots} slots" if side.slots else "")


def write_findings(found: Findings, out: Path) -> None:
    """Tables as JSON and Markdown, and the figures that need no run."""
    result = found.study
    write(result, out / "study.json")
    tables = {"table": table_one(result.rows, found.groups, read_paper())}
    tables["seeds"] = seed_rows([*result.rows, *found.not_judged], found.groups)
    tables["not judged"] = found.not_judged
    tables["consistency"] = merge_consistency(found.asked, found.groups)
    for name, lines in tables.items():
        if lines:
            write(
                replace(result, name=f"{result.name}, {name}", rows=lines),
                out / f"{name.replace(' ', '-')}.json",
            )
    (out / "study.md").write_text(markdown(result, tables), encoding="utf-8")
    sized = [row for row in result.rows if "state bytes" in row]
    for suffix in PICTURES:
        if tables["consistency"]:
            plot_consistency(tables["consistency"], out / f"consistency.{suffix}")
        if sized:
            plot_state(sized, out / f"state.{suffix}")


def _write_runs(work: Path, names: list[str], out: Path) -> None:
    """What each run was, without the folders of the machine that it ran on."""
    (out / "runs").mkdir(exist_ok=True)
    for name in names:
        found = {**summarise(work / name), "command": ""}
        training = found["config"]["training"]
        for key in ("init_from", "teacher"):
            if training.get(key):
                training[key] = "/".join(Path(training[key]).parts[-2:])
        text = json.dumps(found, indent=2) + "\n"
        (out / "runs" / f"{name}.json").write_text(text, encoding="utf-8")
    for suffix in PICTURES:
        plot_runs([work / name for name in names], out / f"curves.{suffix}")
