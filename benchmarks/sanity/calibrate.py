"""Fit the coefficients of confidence to the chrF of a model's translations of a corpus."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longways.evaluation.metrics.metric import Chrf
from longways.evaluation.test_set import RawTestSet, open_test_set
from longways.results import Report, report
from longways.text.sentences.splitter import split_item
from longways.translation.segments import TranslatedSegment
from longways.translation.translator import Translator, load

Numbers = NDArray[np.float64]

COEFFICIENTS = ("bias", "log_probability", "log_density")
"""The fields of `Calibration` that are fitted."""


def measure(model: Path | None, documents: Path, part: str, root: Path, beam: int) -> Report:
    """Translate the split, and fit confidence to the chrF of its sentences."""
    translator, material = load(model), open_test_set(documents, part, root)
    assert isinstance(material, RawTestSet), "a recipe or a TSV file is raw text"
    given = ((s for text in one.source for s in split_item(text)) for one in material.documents)
    found, references = list[TranslatedSegment](), list[str]()
    places = [0] * len(material.documents)
    for ready in translator.segments(given, beam=beam):
        if ready.score is not None and ready.segment.ends:
            found.append(ready)
            references.append(material.documents[ready.document].target[places[ready.document]])
        places[ready.document] += ready.segment.ends
    metric = Chrf()
    texts = metric.tokens([one.translation for one in found])
    chrf = np.asarray(metric.score(metric.statistics(texts, metric.tokens(references)))) / 100
    weights = fit(np.array([_features(translator, one) for one in found]), chrf)
    saved = translator.model.confidence
    rows = [
        {
            "coefficient": name,
            "fitted": round(float(weight), 4),
            "saved": getattr(saved, name) if saved else None,
        }
        for name, weight in zip(COEFFICIENTS, weights, strict=True)
    ]
    settings = {"data": material.name, "part": part, "beam": beam, "sentences": len(found)}
    return report("calibrate", "The coefficients of confidence", settings, rows, "cpu")


def _features(translator: Translator, ready: TranslatedSegment) -> tuple[float, float, float]:
    """1, the mean log-probability, and the logarithm of source characters in a token."""
    text, source = translator.model.text, ready.segment.text
    tokens = len(text.source.encode([text.normalise(source)])[0])
    written = len(text.target.encode([ready.translation])[0]) + 1
    density = math.log(max(1, len(source)) / max(1, tokens))
    return 1.0, (ready.score or 0.0) / written, density


def fit(features: Numbers, chrf: Numbers, rounds: int = 50) -> Numbers:
    """Coefficients of a logistic function of features (sentences, F) by Newton's method.

    The features are 1, the mean log-probability and the logarithm of characters per token.
    """
    weights = np.zeros(features.shape[1])
    for _ in range(rounds):
        predicted = 1 / (1 + np.exp(-features @ weights))
        gradient = features.T @ (chrf - predicted)
        curvature = (features * (predicted * (1 - predicted))[:, None]).T @ features
        weights += np.linalg.solve(curvature, gradient)
    return weights
