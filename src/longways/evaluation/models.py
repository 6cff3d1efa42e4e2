"""Translate the same test set with several models, or read translations that were saved earlier."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TypeAlias

from longways.errors import CorpusError
from longways.evaluation.losses import Advance
from longways.evaluation.reference import OUTPUT_SUFFIX
from longways.evaluation.system_output import SystemOutput, read_output, write_output
from longways.evaluation.test_set import DecodingOptions, TestSet

Progress: TypeAlias = Callable[[str, int], AbstractContextManager[Advance]]
"""Opens a progress bar with a title and a number of sentences."""


def evaluate_models(
    models: Iterable[Path],
    test_set: TestSet,
    options: DecodingOptions | None = None,
    keep: Path | None = None,
    progress: Progress = lambda *_: nullcontext(lambda: None),
) -> list[SystemOutput]:
    """Translate the test set with every model.

    A model folder may be replaced by a file that an earlier call wrote into `keep`. All models and
    files are checked before the first translation starts.
    """
    models, options = list(models), options or DecodingOptions()
    saved = {
        model: read_saved_output(model, test_set)
        for model in models
        if model.suffix == OUTPUT_SUFFIX
    }
    for model in models:
        if model not in saved:
            test_set.window(model, options)
    return [
        saved.get(model) or _evaluate(model, test_set, options, keep, progress) for model in models
    ]


def _evaluate(
    model: Path,
    test_set: TestSet,
    options: DecodingOptions,
    keep: Path | None,
    progress: Progress,
) -> SystemOutput:
    with progress(f"{model}", sum(map(len, test_set.references))) as advance:
        output = test_set.translate(model, options, advance)
    if keep:
        split = test_set.split_name or test_set.name
        name = f"{output.name}-L{output.L}-{options.label}-{split}{OUTPUT_SUFFIX}"
        write_output(output, keep / name)
    return output


def read_saved_output(path: Path, test_set: TestSet) -> SystemOutput:
    """Read a saved output and check that it has the documents of a test set."""
    output = read_output(path)
    sizes = [len(document) for document in output.output]
    if sizes != [len(document) for document in test_set.references]:
        data = f"{test_set.split_name} split" if test_set.split_name else "given data"
        raise CorpusError(f"{path} translates other documents than the {data} has.")
    return output
