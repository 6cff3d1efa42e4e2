"""Models that translate the same documents, or what they translated earlier."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TypeAlias

from longways.errors import CorpusError
from longways.evaluation.losses import Advance
from longways.evaluation.reference import KEPT
from longways.evaluation.system_output import SystemOutput, read_judged, write_judged
from longways.evaluation.test_set import DecodingOptions, Material

Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Advance]]
"""Given what is done and of how many sentences, a block in which each is counted."""


def judge_models(
    models: Iterable[Path],
    material: Material,
    way: DecodingOptions | None = None,
    keep: Path | None = None,
    progress: Progress = lambda *_: nullcontext(lambda: None),
) -> list[SystemOutput]:
    """Translate the same documents with every model.

    In place of a model folder there may be a file that an earlier call has written into `keep`.
    Nothing is translated before all that is named has been found to fit.
    """
    models, way = list(models), way or DecodingOptions()
    kept = {model: read_kept(model, material) for model in models if model.suffix == KEPT}
    for model in models:
        if model not in kept:
            material.window(model, way)
    return [kept.get(model) or _judge(model, material, way, keep, progress) for model in models]


def _judge(
    model: Path, material: Material, way: DecodingOptions, keep: Path | None, progress: Progress
) -> SystemOutput:
    with progress(f"{model}", sum(map(len, material.references))) as advance:
        found = material.judge(model, way, advance)
    if keep:
        part = material.part or material.name
        write_judged(found, keep / f"{found.name}-L{found.L}-beam{way.beams}-{part}{KEPT}")
    return found


def read_kept(path: Path, material: Material) -> SystemOutput:
    """What was kept in a file, if it is of these documents."""
    judged = read_judged(path)
    sizes = [len(document) for document in judged.output]
    if sizes != [len(document) for document in material.references]:
        raise CorpusError(
            f"{path} translates other documents than those of the {material.part or 'given'} part."
        )
    return judged
