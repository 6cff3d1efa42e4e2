"""A system's metric statistics as JSON, document by document and without any text.

Scores and bootstraps are computed from these numbers alone. Systems can therefore be compared
after their models and translations are gone, and by people who may not have the text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from longways.errors import CorpusError
from longways.evaluation.comparison import System
from longways.evaluation.metrics.metric import Metric
from longways.evaluation.metrics.score import MetricStatistics
from longways.evaluation.reference import Reference
from longways.evaluation.system_output import SystemOutput

FACTS = ("name", "L", "seconds", "beam", "runtime", "model_hash", "language")
"""The fields of a system's output that are saved beside its statistics and losses."""


def statistics_to_json(system: System, reference: Reference) -> dict[str, Any]:
    """The statistics of a system as values that JSON can hold."""
    output = system.output
    return {
        **{name: getattr(output, name) for name in FACTS},
        "reference": reference_hash(reference),
        "empty": system.empty,
        "copied": system.copied,
        "losses": None if output.losses is None else output.losses.tolist(),
        "counts": {one.metric.name: _to_json(one) for one in system.statistics},
    }


def system_from_json(
    content: dict[str, Any], metrics: Sequence[Metric], reference: Reference
) -> System:
    """The system that `statistics_to_json` saved, if its references and metrics are these."""
    if content["reference"] != reference_hash(reference):
        raise CorpusError(
            f"The saved statistics of {content['name']} were counted against other references. Use "
            "the same data, or another folder for the results."
        )
    losses = content["losses"]
    output = SystemOutput(
        **{name: content[name] for name in FACTS},
        output=[],
        losses=None if losses is None else np.array(losses, dtype=np.float64),
    )
    statistics = [_from_json(metric, content) for metric in metrics]
    return System(output, statistics, content["empty"], content["copied"])


def reference_hash(reference: Reference) -> str:
    """A hash of the references, from which their text cannot be recovered."""
    lines = (f"{sentence}\n" for document in reference.references for sentence in [*document, ""])
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()[:16]


def _to_json(statistics: MetricStatistics) -> dict[str, Any]:
    """Sentences are saved as their sum, unless the bootstrap draws them from a single document."""
    is_single = len(statistics.documents) == 1
    sentences = statistics.sentences if is_single else statistics.sentences.sum(0, keepdims=True)
    return {
        "signature": statistics.metric.signature,
        "documents": statistics.documents.tolist(),
        "sentences": sentences.tolist(),
    }


def _from_json(metric: Metric, content: dict[str, Any]) -> MetricStatistics:
    found = content["counts"].get(metric.name)
    if found is None or found["signature"] != metric.signature:
        raise CorpusError(
            f"The saved statistics of {content['name']} are not for {metric.name} with the "
            f"signature {metric.signature}. Evaluate the model again, or use another folder for "
            "the results."
        )
    documents, sentences = (
        np.array(found[name], dtype=np.float64) for name in ("documents", "sentences")
    )
    return MetricStatistics(metric, documents, sentences)
