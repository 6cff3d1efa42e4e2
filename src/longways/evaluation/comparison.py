"""Systems side by side on the same documents: scores, what is wrong with them, what is real."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longways.errors import ConfigError
from longways.evaluation.metrics.bootstrap import Difference, compare_losses, compare_scores
from longways.evaluation.metrics.metric import Metric
from longways.evaluation.metrics.score import Counted, Measured, TextDocuments, open_metrics
from longways.evaluation.reference import Reference
from longways.evaluation.system_output import SystemOutput

Row = dict[str, Any]


@dataclass(frozen=True)
class System:
    """A system's translations, counted."""

    judged: SystemOutput
    counted: list[Counted]
    empty: int
    copied: int | None


def compare(
    judged: Sequence[SystemOutput],
    reference: Reference,
    metrics: Sequence[str] = (),
    language: str = "",
) -> Comparison:
    """Translations of the same documents."""
    opened = open_metrics(metrics, language or judged_language(judged, reference))
    return Comparison(count_systems(judged, reference, opened), opened, reference)


def count_systems(
    judged: Sequence[SystemOutput], reference: Reference, metrics: Sequence[Metric]
) -> list[System]:
    """What each system's translations amount to."""
    measured = Measured(reference.references, metrics)
    return [
        System(
            one,
            measured.count(one.output),
            count_empty(one.output),
            count_copied(one.output, reference),
        )
        for one in judged
    ]


class Comparison:
    """Systems, of which all but the first are compared with the first."""

    def __init__(
        self, systems: Sequence[System], metrics: Sequence[Metric], reference: Reference
    ) -> None:
        self.systems, self.metrics, self.reference = systems, metrics, reference

    @property
    def signatures(self) -> dict[str, str]:
        """How the scores are computed, in sacreBLEU's words."""
        return {metric.name: metric.signature for metric in self.metrics}

    @property
    def drawn(self) -> str:
        """What the bootstrap draws."""
        return "documents" if len(self.reference.names) > 1 else "sentences"

    def rows(self) -> list[Row]:
        """A line for each system, rounded."""
        columns = zip(self.systems, self._differences(), self._losses(), strict=True)
        rows = [_row(*found) for found in columns]
        known = [name for name in rows[0] if any(row[name] is not None for row in rows)]
        return [{name: row[name] for name in known} for row in rows]

    def _differences(self) -> list[Row]:
        """Of each system from the first."""
        columns: list[Row] = [{} for _ in self.systems]
        for i, metric in enumerate(self.metrics):
            found = compare_scores([system.counted[i] for system in self.systems])
            for row, difference in zip(columns, found, strict=True):
                row[f"{metric.name} difference"] = _interval(difference, 2)
                row[f"p of {metric.name}"] = round(difference.p, 3)
        return columns

    def _losses(self) -> list[Row]:
        """Where all systems have them: models that share a vocabulary."""
        first, *others = (system.judged for system in self.systems)
        if any(one.losses is None for one in (first, *others)):
            return [{} for _ in self.systems]
        return [_loss_columns(one, first) for one in (first, *others)]

    def details(self, by_document: bool = False) -> list[Row]:
        """What made each system's translations, its signatures, and the scores of documents."""
        return [self._detail(system, by_document) for system in self.systems]

    def _detail(self, system: System, by_document: bool) -> Row:
        signatures = {
            one.metric.name: system.judged.sign(one.metric.signature) for one in system.counted
        }
        detail: Row = {"model": system.judged.name, **system.judged.maker, "signatures": signatures}
        if by_document:
            detail["documents"] = self._documents(system)
        return detail

    def _documents(self, system: System) -> list[Row]:
        columns = {one.metric.name: one.by_document() for one in system.counted}
        return [
            {
                "document": name,
                "sentences": len(document),
                **{metric: round(values[i], 2) for metric, values in columns.items()},
            }
            for i, (name, document) in enumerate(
                zip(self.reference.names, self.reference.references, strict=True)
            )
        ]


def count_empty(output: TextDocuments) -> int:
    """Sentences that were translated by nothing."""
    return sum(not sentence.strip() for document in output for sentence in document)


def count_copied(output: TextDocuments, reference: Reference) -> int | None:
    """Sentences that were left as they are, but should not have been; None without sources."""
    if reference.sources is None:
        return None
    copied = 0
    sides = (_stripped(texts) for texts in (output, reference.sources, reference.references))
    for one, source, wanted in zip(*sides, strict=True):
        copied += bool(one) and one == source and source != wanted
    return copied


def _stripped(texts: TextDocuments) -> list[str]:
    return [sentence.strip() for document in texts for sentence in document]


def judged_language(judged: Sequence[SystemOutput], reference: Reference) -> str:
    """That of the references, or else the one that all systems say they translate into."""
    found = {one.language for one in judged if one.language}
    if not reference.target_language and len(found) > 1:
        raise ConfigError(
            f"The systems translate into {' and '.join(sorted(found))}. Say which is meant with "
            "--language, or compare those of one language."
        )
    return reference.target_language or next(iter(found), "")


def _row(system: System, differences: Row, losses: Row) -> Row:
    """Scores, and what is known beside them."""
    judged = system.judged
    return {
        "model": judged.name,
        "L": judged.L,
        **_score_columns(system),
        **differences,
        **_length_column(system),
        "empty": system.empty,
        "copied": system.copied,
        **losses,
        "seconds": None if judged.seconds is None else round(judged.seconds, 1),
    }


def _score_columns(system: System) -> Row:
    columns = {}
    for one in system.counted:
        alone = "" if one.metric.name == "chrF" else "sentence "
        columns[f"document {one.metric.name}"] = round(one.score(of_documents=True).value, 2)
        columns[f"{alone}{one.metric.name}"] = round(one.score(of_documents=False).value, 2)
    return columns


def _length_column(system: System) -> Row:
    """Words of the translation for each of the reference, as BLEU cuts them."""
    bleu = next((one for one in system.counted if one.metric.name == "BLEU"), None)
    if bleu is None:
        return {}
    translated, wanted = bleu.documents.sum(0)[:2]
    return {"length ratio": round(float(translated / max(wanted, 1)), 3)}


def _loss_columns(judged: SystemOutput, first: SystemOutput) -> Row:
    assert judged.losses is not None
    assert first.losses is not None
    loss = compare_losses(judged.losses, first.losses)
    return {
        "loss": round(judged.loss, 4),
        "loss difference": _interval(loss, 4),
        "p of loss": round(loss.p, 3),
    }


def _interval(found: Difference, digits: int) -> str:
    numbers = found.value, found.low, found.high
    value, low, high = (f"{number:+.{digits}f}" for number in numbers)
    return f"{value} [{low}, {high}]"
