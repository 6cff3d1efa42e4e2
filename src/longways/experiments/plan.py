"""A study carried out: what is left of it to train, to translate and to ask.

    WORK/MODEL/              the run of each model
    WORK/judged/MODEL-...    its translations and losses
    WORK/consistency/        what it prefers in contrastive sets, if the study names any
    WORK/logs/               what the commands said

A model whose run has ended is not trained again, and one that was judged or asked is not again. One
that an earlier report is about is trained only if another needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from longways.corpus.prepared_data import open_data
from longways.errors import ConfigError
from longways.experiments.config import Study, StudyModel
from longways.experiments.consistency import kept_answers, study_sets, was_asked
from longways.experiments.jobs import Job, run_jobs
from longways.training.config import read_run_recipe
from longways.training.runs.run import BEST_FOLDER, RUN_FILE
from longways.training.runs.summary import summarise

LOGS, JUDGED = "logs", "judged"


def carry_out(
    study: Study,
    work: Path,
    data: Path,
    device: str,
    parallel: int,
    tell: Callable[[str], None],
    root: Path = Path(),
    known: Mapping[str, Sequence[str]] | None = None,
    only: Sequence[str] = (),
) -> bool:
    """Train, judge and ask whatever is not yet; False if a signal stopped it.

    Consistency sets lie here or below `root`. Models that are `known` were judged earlier, and
    asked about the sets of these names. If some are named, it is about them `only`.
    """
    sets, known = study_sets(study, root), known or {}
    _check(study, data)
    models = study.named(only) if only else study.models
    new = [model for model in models if model.name not in known]
    left = [m for m in new if study.judge and judged_file(study, m, work) is None]
    silent = [m for m in models if sets and not _was_asked(work, m, sets, known)]
    wanted = _with_needs(study, [*new, *silent])
    train = [_train(study, m, work, data, device) for m in wanted if not trained(work, m)]
    judge = [_judge(study, m, work, data, device) for m in left]
    ask = [_ask(m, work, sets, device) for m in silent]
    # Training first: translating beside it takes many times as long on a GPU, and slows it down.
    trainings = tuple(job.name for job in train)
    later = [replace(job, behind=trainings) for job in (*judge, *ask)]
    return run_jobs([*train, *later], parallel, tell)


def _was_asked(
    work: Path, model: StudyModel, sets: list[Path], known: Mapping[str, Sequence[str]]
) -> bool:
    before = list(known.get(model.name, ()))
    return before == [found.name for found in sets] or was_asked(work, model, sets)


def _with_needs(study: Study, models: Sequence[StudyModel]) -> list[StudyModel]:
    """These and all that they start from or are taught by, in the order of the study."""
    names = {model.name for model in models}
    for model in reversed(study.models):  # what a model needs comes before it
        names |= set(model.needs) if model.name in names else set()
    return [model for model in study.models if model.name in names]


def _check(study: Study, data: Path) -> None:
    """Raise if the settings of any model are wrong: better now than when its turn comes."""
    vocabularies = open_data(data).vocabularies
    for model in study.models:
        try:
            read_run_recipe(study.recipe, vocabularies, model.settings)
        except ConfigError as error:
            raise ConfigError(f"The model {model.name} of the study: {error}") from error


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
    name = re.compile(rf"{re.escape(model.name)}-L\d+-beam{study.beam}-{study.part}\.json")
    found = (path for path in (work / JUDGED).glob("*.json") if name.fullmatch(path.name))
    return next(found, None)


def _train(study: Study, model: StudyModel, work: Path, data: Path, device: str) -> Job:
    settings = [word for setting in model.settings for word in ("--set", setting)]
    arguments = ["train", study.recipe, work / model.name, "--prepared", data, *settings]
    for option, other in (("--init-from", model.init_from), ("--teacher", model.teacher)):
        if other:
            arguments += [option, work / other / BEST_FOLDER]
    name, after = f"training {model.name}", tuple(f"training {other}" for other in model.needs)
    return Job(name, (*map(str, arguments), "--device", device), _log(work, name), after)


def _judge(study: Study, model: StudyModel, work: Path, data: Path, device: str) -> Job:
    best, kept = work / model.name / BEST_FOLDER, work / JUDGED
    options = ["--split", study.part, "--beam", study.beam, "--device", device, "--save", kept]
    return _after_training(work, model, "judging", ["evaluate", best, data, *options])


def _ask(model: StudyModel, work: Path, sets: list[Path], device: str) -> Job:
    options = ["--device", device, "--json", "-o", kept_answers(work, model)]
    arguments = ["consistency", work / model.name / BEST_FOLDER, *sets, *options]
    return _after_training(work, model, "asking", arguments)


def _after_training(work: Path, model: StudyModel, what: str, arguments: list[Any]) -> Job:
    """What is done with a model once its run has come to its end, not if it was stopped."""
    name, after = f"{what} {model.name}", (f"training {model.name}",)
    command = tuple(map(str, arguments))
    return Job(name, command, _log(work, name), after, partial(trained, work, model))


def _log(work: Path, name: str) -> Path:
    return work / LOGS / f"{name.replace(' ', '-')}.log"
