"""Plan the steps of a study: train its models, translate with them, test their consistency.

    WORK/MODEL/                   the training run of each model
    WORK/OUTPUT_FOLDER/MODEL-...  its translations and losses
    WORK/consistency/             its results on contrastive sets, if the study names any
    WORK/logs/                    the output of each step's command

A step whose result exists is skipped. Models with stored results of an earlier report are trained
only if another model needs them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from longways.corpus.prepared_data import open_data
from longways.errors import ConfigError
from longways.evaluation.test_set import DecodingOptions
from longways.experiments.config import Study, StudyModel
from longways.experiments.consistency import consistency_file, is_tested, study_sets
from longways.experiments.steps import Arguments, Step
from longways.training.config import read_run_recipe
from longways.training.runs.run import BEST_FOLDER, RUN_FILE, is_stopped_early
from longways.training.runs.summary import summarise

OUTPUT_FOLDER = "judged"


def plan_steps(
    study: Study,
    work: Path,
    data: Path,
    device: str,
    root: Path = Path(),
    stored: Mapping[str, Sequence[str]] | None = None,
    only: Sequence[str] = (),
) -> list[Step]:
    """The steps of a study: all training first, then evaluation, then consistency.

    Contrastive sets are relative to the current folder or to `root`. `stored` names the models
    with stored results, each with its contrastive sets. With `only`, the plan is limited to these
    models and to the models that they need.
    """
    sets, stored = study_sets(study, root), stored or {}
    _check(study, data)
    models = study.named(only) if only else study.models
    new = [model for model in models if model.name not in stored]
    set_names = [path.name for path in sets]
    untested = [
        model
        for model in models
        if sets and stored.get(model.name) != set_names and not is_tested(work, model, sets)
    ]
    to_train = _with_needs(study, [*new, *untested])
    return [
        *(_training(study, model, work, data, device) for model in to_train),
        *(_evaluation(study, model, work, data, device) for model in new if study.evaluate),
        *(_consistency(model, work, sets, device) for model in untested),
    ]


def _with_needs(study: Study, models: Sequence[StudyModel]) -> list[StudyModel]:
    """These models and the models that they need, in the order of the study."""
    names = {model.name for model in models}
    for model in reversed(study.models):  # a model comes after the models that it needs
        names |= set(model.needs) if model.name in names else set()
    return [model for model in study.models if model.name in names]


def _check(study: Study, data: Path) -> None:
    """Raise an error for wrong settings of any model before the first step runs."""
    vocabularies = open_data(data).vocabularies
    for model in study.models:
        try:
            read_run_recipe(study.recipe, vocabularies, model.settings)
        except ConfigError as error:
            raise ConfigError(f"The model {model.name} of the study: {error}") from error


def is_trained(work: Path, model: StudyModel) -> bool:
    """Whether a model's training run is complete."""
    folder = work / model.name
    if not (folder / RUN_FILE).exists() or not (folder / BEST_FOLDER).exists():
        return False
    found = summarise(folder)
    return bool(found["update"] >= found["of"] or is_stopped_early(folder))


def output_file(study: Study, model: StudyModel, work: Path) -> Path | None:
    """The file with a model's translations, if it exists."""
    label = DecodingOptions(study.beam, windows=study.windows, at_limit=study.at_limit).label
    name = re.compile(rf"{re.escape(model.name)}-L\d+-{label}-{study.split}\.json")
    found = (path for path in (work / OUTPUT_FOLDER).glob("*.json") if name.fullmatch(path.name))
    return next(found, None)


def _training(study: Study, model: StudyModel, work: Path, data: Path, device: str) -> Step:
    arguments: Arguments = ["train", study.recipe, work / model.name, "--prepared", data]
    arguments += ["--device", device]
    for setting in model.settings:
        arguments += ["--set", setting]
    for option, other in (("--init-from", model.init_from), ("--teacher", model.teacher)):
        if other:
            arguments += [option, work / other / BEST_FOLDER]
    needs = tuple(f"training {other}" for other in model.needs)
    return Step(f"training {model.name}", arguments, partial(is_trained, work, model), needs)


def _evaluation(study: Study, model: StudyModel, work: Path, data: Path, device: str) -> Step:
    arguments: Arguments = ["evaluate", work / model.name / BEST_FOLDER, data]
    arguments += ["--split", study.split, "--beam", str(study.beam), "--device", device]
    arguments += ["--windows", study.windows, "--at-limit", study.at_limit]
    arguments += ["--save", work / OUTPUT_FOLDER]
    is_done = partial(output_file, study, model, work)
    return Step(f"evaluating {model.name}", arguments, is_done, (f"training {model.name}",))


def _consistency(model: StudyModel, work: Path, sets: list[Path], device: str) -> Step:
    arguments: Arguments = ["consistency", work / model.name / BEST_FOLDER, *sets]
    arguments += ["--device", device, "--json", "-o", consistency_file(work, model)]
    name, is_done = f"testing consistency of {model.name}", partial(is_tested, work, model, sets)
    return Step(name, arguments, is_done, (f"training {model.name}",))
