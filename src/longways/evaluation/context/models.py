"""How much models use their context: each model translates one split with three contexts.

    KEEP/MODEL-L4-beam4-test.true.json     a model's translations and losses with its true context

The three contexts are compared as three systems, with the true context as the baseline. Saved
results of the same model are read instead of computed again, so that a long comparison can be
resumed after an interruption.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from longways.corpus.prepared_data import Split
from longways.decoding.config import TranslateConfig
from longways.decoding.open import open_runtime
from longways.decoding.runtime import AnyRuntime
from longways.evaluation.comparison import Comparison, compare
from longways.evaluation.context.conditions import (
    CONTEXT_KINDS,
    ContextKind,
    Contexts,
    context_translations,
    make_contexts,
)
from longways.evaluation.losses import Advance, by_document, last_sentence_losses
from longways.evaluation.models import Progress, read_saved_output
from longways.evaluation.provenance import model_hash
from longways.evaluation.reference import OUTPUT_SUFFIX
from longways.evaluation.system_output import SystemOutput, write_output
from longways.evaluation.test_set import DecodingOptions, PreparedTestSet, model_name, model_output
from longways.translation.dataset import detokenise
from longways.translation.model_folder import ModelFolder

Row = dict[str, Any]


def compare_contexts(
    models: Sequence[Path],
    test_set: PreparedTestSet,
    options: DecodingOptions,
    keep: Path | None = None,
    progress: Progress = lambda *_: nullcontext(lambda: None),
    metrics: Sequence[str] = (),
) -> list[Comparison]:
    """For each model, a comparison of its true context with another document's and with none.

    All models are checked before the first translation starts.
    """
    checked = [replace(options, L=test_set.window(model, options)) for model in models]
    return [
        compare(_systems(model, test_set, one, keep, progress), test_set, metrics)
        for model, one in zip(models, checked, strict=True)
    ]


def context_rows(comparisons: Sequence[Comparison]) -> list[Row]:
    """A table row for each model and context; differences are from the model's true context."""
    return [
        {"model": row.pop("model").rpartition(", ")[0], "context": kind, **row}
        for comparison in comparisons
        for kind, row in zip(CONTEXT_KINDS, comparison.rows(), strict=True)
    ]


def _systems(
    folder: Path,
    test_set: PreparedTestSet,
    options: DecodingOptions,
    keep: Path | None,
    progress: Progress,
) -> list[SystemOutput]:
    found = {kind: _read_saved(keep, folder, test_set, options, kind) for kind in CONTEXT_KINDS}
    missing = [kind for kind in CONTEXT_KINDS if found[kind] is None]
    if missing:
        evaluator = _ContextEvaluator(folder, test_set, options)
        sentences = 2 * len(evaluator.found.pairs) * len(missing)  # scored, then translated
        with progress(f"{folder}", sentences) as advance:
            for kind in missing:
                found[kind] = output = evaluator.evaluate(kind, advance)
                if keep:
                    write_output(output, _path(keep, folder, test_set, options, kind))
    return [output for output in found.values() if output]


class _ContextEvaluator:
    """Scores and translates the same sentences with several contexts."""

    def __init__(self, folder: Path, test_set: PreparedTestSet, options: DecodingOptions) -> None:
        assert options.L, "the window was checked"
        self.folder, self.test_set, self.options, self.L = folder, test_set, options, options.L
        self.runtime: AnyRuntime = open_runtime(folder, options.device, shortlist=options.searched)
        self.split: Split = test_set.split
        self.found: Contexts = make_contexts(self.split, options.L)
        self.config = TranslateConfig(
            L=options.L,
            search=options.search,
            length=ModelFolder.read(folder).length,
            windows=256,
            tokens=65_536,
        )

    def evaluate(self, kind: ContextKind, advance: Advance) -> SystemOutput:
        """The model's translations and losses with one kind of context."""
        pairs, contexts = self.found.pairs, self.found.contexts[kind]
        sums = last_sentence_losses(self.runtime, pairs, contexts, advance)
        began = time.perf_counter()
        ids = context_translations(self.runtime, self.found, kind, self.config, advance)
        seconds = time.perf_counter() - began
        documents = [ids[i:j] for i, j in pairwise(self.split.documents.tolist())]
        texts = detokenise(documents, self.test_set.data.text().target)
        losses = by_document(sums, self.split)
        output = model_output(self.folder, self.options, self.L, texts, seconds, losses)
        which = "no" if kind == "none" else kind
        return replace(output, name=f"{output.name}, {which} context")


def _path(
    keep: Path,
    folder: Path,
    test_set: PreparedTestSet,
    options: DecodingOptions,
    kind: ContextKind,
) -> Path:
    decoding = f"L{options.L}-{options.label}"
    name = f"{model_name(folder)}-{decoding}-{test_set.split_name}.{kind}{OUTPUT_SUFFIX}"
    return keep / name


def _read_saved(
    keep: Path | None,
    folder: Path,
    test_set: PreparedTestSet,
    options: DecodingOptions,
    kind: ContextKind,
) -> SystemOutput | None:
    """The saved output, if this model made it from this test set."""
    path = _path(keep, folder, test_set, options, kind) if keep else None
    if path is None or not path.exists():
        return None
    output = read_saved_output(path, test_set)
    return output if output.model_hash == model_hash(folder, options.device) else None
