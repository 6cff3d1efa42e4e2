"""A study carried out: what is left of it to train and to translate.

    WORK/MODEL/              the run of each model
    WORK/judged/MODEL-...    its translations and losses
    WORK/logs/               what the commands said

A model whose run has ended is not trained again, and one that was judged is not judged again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from longways.study.config import Study, StudyModel
from longways.study.jobs import Job, run_jobs
from longways.training.run import BEST_FOLDER, RUN_FILE
from longways.training.summary import summarise

LOGS, JUDGED = "logs", "judged"


def carry_out(
    study: Study, work: Path, data: Path, device: str, parallel: int, tell: Callable[[str], None]
) -> bool:
    """Train and judge whatever is not yet; False if a signal stopped it."""
    train = [_train(study, m, work, data, device) for m in study.models if not trained(work, m)]
    if not run_jobs(train, parallel, tell):
        return False
    if not all(trained(work, model) for model in study.models):
        return False  # a run was stopped, and saved itself
    left = [m for m in study.models if judged_file(study, m, work) is None]
    return run_jobs([_judge(study, m, work, data, device) for m in left], parallel, tell)


def trained(work: Path, model: StudyModel) -> bool:
    """Whether a model's run has come to its end."""
    folder = work / model.name
    if not (folder / RUN_FILE).exists() or not (folder / BEST_FOLDER).exists():
        return False
    found = summarise(folder)
    settings, looks = found["config"]["training"], found["curve"]
    over = bool(found["update"] >= found["of"])
    since = sum(look["update"] > (found["best update"] or 0) for look in looks)
    return over or bool(settings["patience"] and since >= settings["patience"])


def judged_file(study: Study, model: StudyModel, work: Path) -> Path | None:
    """The translations of a model, if they are there."""
    pattern = f"{model.name}-L[0-9]*-beam{study.beam}-{study.part}.json"
    return next(iter((work / JUDGED).glob(pattern)), None)


def _train(study: Study, model: StudyModel, work: Path, data: Path, device: str) -> Job:
    settings = [word for setting in model.settings for word in ("--set", setting)]
    arguments = ["train", study.recipe, work / model.name, "--prepared", data, *settings]
    if model.init_from:
        arguments += ["--init-from", work / model.init_from / BEST_FOLDER]
    name = f"training {model.name}"
    after = f"training {model.init_from}" if model.init_from else None
    return Job(name, (*map(str, arguments), "--device", device), _log(work, name), after)


def _judge(study: Study, model: StudyModel, work: Path, data: Path, device: str) -> Job:
    best, kept = work / model.name / BEST_FOLDER, work / JUDGED
    options = ["--part", study.part, "--beam", study.beam, "--device", device, "--keep", kept]
    name = f"judging {model.name}"
    return Job(name, tuple(map(str, ["evaluate", best, data, *options])), _log(work, name))


def _log(work: Path, name: str) -> Path:
    return work / LOGS / f"{name.replace(' ', '-')}.log"
