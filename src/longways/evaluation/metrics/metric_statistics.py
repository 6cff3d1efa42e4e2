"""What a system's translations amount to, document by document, kept without a word of them.

Scores and bootstraps follow from these numbers alone. So systems can be compared whose models and
translations are gone, and by people who may not have the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from longways.errors import CorpusError
from longways.evaluation.comparison import System
from longways.evaluation.metrics.metric import Metric
from longways.evaluation.metrics.score import Counted
from longways.evaluation.reference import Reference
from longways.evaluation.system_output import SystemOutput

FACTS = ("name", "L", "seconds", "beam", "runtime", "model_hash", "language")
"""What is known of a system beside its translations and its losses."""


def counts_of(system: System, reference: Reference) -> dict[str, Any]:
    """The numbers, as JSON holds them."""
    judged = system.judged
    return {
        **{name: getattr(judged, name) for name in FACTS},
        "reference": reference_hash(reference),
        "empty": system.empty,
        "copied": system.copied,
        "losses": None if judged.losses is None else judged.losses.tolist(),
        "counts": {one.metric.name: _numbers(one) for one in system.counted},
    }


def system_of(content: dict[str, Any], metrics: Sequence[Metric], reference: Reference) -> System:
    """The system that `counts_of` counted, if it was held against these references alike."""
    if content["reference"] != reference_hash(reference):
        raise CorpusError(
            f"What was counted of {content['name']} was held against other references. Use the "
            "same data, or another folder for the results."
        )
    losses = content["losses"]
    judged = SystemOutput(
        **{name: content[name] for name in FACTS},
        output=[],
        losses=None if losses is None else np.array(losses, dtype=np.float64),
    )
    counted = [_counted(metric, content) for metric in metrics]
    return System(judged, counted, content["empty"], content["copied"])


def reference_hash(reference: Reference) -> str:
    """The same for the same references, and nothing can be read from it."""
    lines = (f"{sentence}\n" for document in reference.references for sentence in [*document, ""])
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()[:16]


def _numbers(counted: Counted) -> dict[str, Any]:
    """Of sentences the sum is enough; of a single document they are what the bootstrap draws."""
    alone = len(counted.documents) == 1
    sentences = counted.sentences if alone else counted.sentences.sum(0, keepdims=True)
    return {
        "signature": counted.metric.signature,
        "documents": counted.documents.tolist(),
        "sentences": sentences.tolist(),
    }


def _counted(metric: Metric, content: dict[str, Any]) -> Counted:
    found = content["counts"].get(metric.name)
    if found is None or found["signature"] != metric.signature:
        raise CorpusError(
            f"What was counted of {content['name']} is no {metric.name} by {metric.signature}. "
            "Validator it again, or use another folder for the results."
        )
    documents, sentences = (
        np.array(found[name], dtype=np.float64) for name in ("documents", "sentences")
    )
    return Counted(metric, documents, sentences)
