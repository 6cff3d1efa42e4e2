"""The contrastive sets of a study, and the results of its models on them.

WORK/consistency/MODEL.json     the report that `longways consistency` wrote for one model
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.evaluation.consistency.sets import find_sets, read_sets
from longways.experiments.config import Study, StudyModel

CONSISTENCY_FOLDER = "consistency"


def study_sets(study: Study, root: Path) -> list[Path]:
    """The checked files of the sets that a study names, relative to here or to `root`."""
    sets = [found for name in study.consistency for found in find_sets(Path(name), root)]
    return [found.path for found in read_sets(sets)]


def consistency_file(work: Path, model: StudyModel) -> Path:
    """The path of a model's results."""
    return work / CONSISTENCY_FOLDER / f"{model.name}.json"


def is_tested(work: Path, model: StudyModel, sets: list[Path]) -> bool:
    """Whether a model has results on exactly these sets."""
    return bool(consistency_results(work, model)["sets"] == [found.name for found in sets])


def consistency_results(work: Path, model: StudyModel) -> dict[str, Any]:
    """A model's result rows and the names of their sets, both empty if there are none."""
    path = consistency_file(work, model)
    if not path.exists():
        return {"sets": [], "rows": []}
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return {"sets": content["settings"]["sets"], "rows": content["rows"]}
    except (ValueError, TypeError, KeyError) as error:
        raise CorpusError(
            f"{path} is not a report of longways consistency: {error!r}. Remove it, and the model "
            "is tested again."
        ) from error
