"""Confidence: how good a translation will be, predicted from what the model knows about it.

The prediction is the chrF of the translation divided by 100, a logistic function of two numbers:
the mean log-probability of its tokens, and the source characters in a token. Text unlike the
training text falls into many short tokens. The coefficients are fitted to the validation split of
the model's corpus and saved in its `config.json` as `facts.confidence`.

A document is unfamiliar if the mean confidence of its sentences is low. The limit is lower for a
few sentences, whose mean says less.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from longways.config import build
from longways.decoding.hypothesis import Hypothesis
from longways.errors import ConfigError

CONFIDENCE_FACT = "confidence"
"""The key of the coefficients among the facts in a model's `config.json`."""

EARLY_SENTENCES = 50
"""A document is checked after this many sentences, and again at its end."""


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The coefficients of a model's confidence."""

    bias: float
    """The log-odds where both features are zero."""
    log_probability: float
    """The weight of the mean log-probability of a token, at least 0."""
    log_density: float
    """The weight of the logarithm of source characters in a token, at least 0."""
    limit: float = 0.0
    """The lowest mean confidence of a long document that the model knows. With 0 no document is
    unfamiliar."""
    margin: float = 0.0
    """The limit for n sentences is `limit - margin / sqrt(n)`."""

    @classmethod
    def from_facts(cls, facts: Mapping[str, Any], source: str) -> Calibration | None:
        """The coefficients among a model's facts; None where there are none."""
        values = facts.get(CONFIDENCE_FACT)
        if values is None:
            return None
        where = f"{source}, facts.{CONFIDENCE_FACT}"
        if not isinstance(values, Mapping):
            raise ConfigError(f"{where}: it is {values!r}, but it must be a table.")
        return build(cls, values, where)

    def of(self, source: str, tokens: int, found: Hypothesis) -> float:
        """The confidence of a translation; the source has this number of tokens."""
        mean = found.score / (len(found.tokens) + (found.stop is not None) or 1)
        density = math.log(max(1, len(source)) / max(1, tokens))
        odds = self.bias + self.log_probability * mean + self.log_density * density
        return round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), 3)

    def limit_of(self, sentences: int) -> float:
        """The lowest mean confidence of a familiar document of this many sentences."""
        return self.limit - self.margin / math.sqrt(sentences)


class Familiarity:
    """The mean confidence of a document so far, and whether the model knows such text."""

    def __init__(self, config: Calibration | None) -> None:
        self.config = config
        self.sentences, self.total = 0, 0.0

    def add(self, confidence: float | None) -> None:
        """Count a sentence; one that was copied has no confidence."""
        if confidence is not None:
            self.sentences, self.total = self.sentences + 1, self.total + confidence

    @property
    def mean(self) -> float:
        """The mean confidence of the sentences."""
        return self.total / max(1, self.sentences)

    @property
    def is_low(self) -> bool:
        """Whether the mean is below the limit for this number of sentences."""
        if self.config is None or not self.sentences:
            return False
        return self.mean < self.config.limit_of(self.sentences)

    def warning(self, name: str) -> str | None:
        """One sentence for the user if the text is unfamiliar."""
        if not self.is_low:
            return None
        assert self.config is not None, "without coefficients no mean is low"
        return (
            f"{name} is unlike the text that this model knows (mean confidence {self.mean:.2f}, "
            f"usually above {self.config.limit_of(self.sentences):.2f}), and much of its "
            "translation is probably wrong: check it before you use it."
        )


def mean_confidence(parts: Iterable[tuple[str, float | None]]) -> float | None:
    """The confidence of a sentence in several segments, each with its source."""
    known = [(max(1, len(source)), one) for source, one in parts if one is not None]
    if not known:
        return None
    total = sum(length for length, _ in known)
    return round(sum(length * one for length, one in known) / total, 3)
