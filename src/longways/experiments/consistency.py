"""The consistency part of a study: which sets each model is asked about, and what it said.

    WORK/consistency/MODEL.json     what `longways consistency` wrote of one model

A model that was asked about the same sets is not asked again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longways.errors import CorpusError
from longways.evaluation.consistency.sets import find_sets, read_sets
from longways.experiments.config import Study, StudyModel

ASKED = "consistency"


def study_sets(study: Study, root: Path) -> list[Path]:
    """The files of the sets that a study names, here or below `root`; each was checked."""
    sets = [found for name in study.consistency for found in find_sets(Path(name), root)]
    return [found.path for found in read_sets(sets)]


def kept_answers(work: Path, model: StudyModel) -> Path:
    """Where the answers of a model are, or will be."""
    return work / ASKED / f"{model.name}.json"


def was_asked(work: Path, model: StudyModel, sets: list[Path]) -> bool:
    """Whether a model has answered about these sets."""
    path = kept_answers(work, model)
    return path.exists() and _read(path)["settings"]["sets"] == [found.name for found in sets]


def answers(work: Path, model: StudyModel) -> dict[str, Any]:
    """What a model has answered, if it was asked: rows, and the sets that they are about."""
    path = kept_answers(work, model)
    if not path.exists():
        return {"sets": [], "rows": []}
    found = _read(path)
    return {"sets": found["settings"]["sets"], "rows": found["rows"]}


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        content["settings"]["sets"], content["rows"]
    except (ValueError, TypeError, KeyError) as error:
        raise CorpusError(
            f"{path} is not what longways consistency writes: {error!r}. Remove it, and the model "
            "is asked again."
        ) from error
    return content
