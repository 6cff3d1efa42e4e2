"""How much models use their context: what each makes of the same part after three contexts.

    KEEP/MODEL-L4-beam4-test.true.json     a model's translations and losses after its true context

Each of the three is a system of its own, compared with the true one. What was kept of the same
model is not made again, so that a long comparison that was stopped goes on.
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
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.open import open_runtime
from longways.decoding.runtime import AnyRuntime
from longways.evaluation.comparison import Comparison, compare
from longways.evaluation.context.conditions import (
    KINDS,
    Contexts,
    Kind,
    context_translations,
    make_contexts,
)
from longways.evaluation.losses import Advance, by_document, last_sentence_losses
from longways.evaluation.models import Progress, read_kept
from longways.evaluation.provenance import model_hash
from longways.evaluation.reference import KEPT
from longways.evaluation.system_output import SystemOutput, write_judged
from longways.evaluation.test_set import DecodingOptions, PreparedTestSet, judged_by, model_name
from longways.translation.dataset import detokenise

Row = dict[str, Any]


def use_of_context(
    models: Sequence[Path],
    material: PreparedTestSet,
    way: DecodingOptions,
    keep: Path | None = None,
    progress: Progress = lambda *_: nullcontext(lambda: None),
    metrics: Sequence[str] = (),
) -> list[Comparison]:
    """For each model, its three systems: the true context first, then another's, then none.

    Nothing is translated before all models have been found to fit.
    """
    ways = [replace(way, L=material.window(model, way)) for model in models]
    return [
        compare(_systems(model, material, one, keep, progress), material, metrics)
        for model, one in zip(models, ways, strict=True)
    ]


def context_rows(comparisons: Sequence[Comparison]) -> list[Row]:
    """A line for each model and context; differences are from the model's true context."""
    return [
        {"model": row.pop("model").rpartition(", ")[0], "context": kind, **row}
        for comparison in comparisons
        for kind, row in zip(KINDS, comparison.rows(), strict=True)
    ]


def _systems(
    folder: Path,
    material: PreparedTestSet,
    way: DecodingOptions,
    keep: Path | None,
    progress: Progress,
) -> list[SystemOutput]:
    kept = {kind: _kept(keep, folder, material, way, kind) for kind in KINDS}
    missing = [kind for kind in KINDS if kept[kind] is None]
    if missing:
        asked = _Asked(folder, material, way)
        sentences = 2 * len(asked.found.pairs) * len(missing)  # scored, and translated
        with progress(f"{folder}", sentences) as advance:
            for kind in missing:
                kept[kind] = judged = asked.judge(kind, advance)
                if keep:
                    write_judged(judged, _place(keep, folder, material, way, kind))
    return [judged for judged in kept.values() if judged]


class _Asked:
    """A model that is shown the same sentences after several contexts."""

    def __init__(self, folder: Path, material: PreparedTestSet, way: DecodingOptions) -> None:
        assert way.L, "it was found out"
        self.folder, self.material, self.way, self.L = folder, material, way, way.L
        self.runtime: AnyRuntime = open_runtime(folder, way.device)
        self.split: Split = material.split
        self.found: Contexts = make_contexts(self.split, way.L)
        search = SearchConfig(beams=way.beams)
        self.config = TranslateConfig(L=way.L, search=search, windows=256, tokens=65_536)

    def judge(self, kind: Kind, advance: Advance) -> SystemOutput:
        """Its translations and losses after one kind of context."""
        pairs, contexts = self.found.pairs, self.found.contexts[kind]
        sums = last_sentence_losses(self.runtime, pairs, contexts, advance)
        began = time.perf_counter()
        ids = context_translations(self.runtime, self.found, kind, self.config, advance)
        seconds = time.perf_counter() - began
        documents = [ids[i:j] for i, j in pairwise(self.split.documents.tolist())]
        output = detokenise(documents, self.material.data.text().target)
        losses = by_document(sums, self.split)
        judged = judged_by(self.folder, self.way, self.L, output, seconds, losses)
        which = "no" if kind == "none" else kind
        return replace(judged, name=f"{judged.name}, {which} context")


def _place(
    keep: Path, folder: Path, material: PreparedTestSet, way: DecodingOptions, kind: Kind
) -> Path:
    name = f"{model_name(folder)}-L{way.L}-beam{way.beams}-{material.part}.{kind}{KEPT}"
    return keep / name


def _kept(
    keep: Path | None, folder: Path, material: PreparedTestSet, way: DecodingOptions, kind: Kind
) -> SystemOutput | None:
    """What was kept, if it was this model that made it, of these documents."""
    place = _place(keep, folder, material, way, kind) if keep else None
    if place is None or not place.exists():
        return None
    judged = read_kept(place, material)
    return judged if judged.model_hash == model_hash(folder, way.device) else None
