"""Compare systems on the same documents: scores, differences with p-values, faults, losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from longways.errors import ConfigError
from longways.evaluation.metrics.bootstrap import Difference, compare_losses, compare_scores
from longways.evaluation.metrics.metric import Metric
from longways.evaluation.metrics.score import MetricStatistics, Scorer, TextDocuments, open_metrics
from longways.evaluation.reference import Reference
from longways.evaluation.system_output import SystemOutput

Row = dict[str, Any]


@dataclass(frozen=True)
class System:
    """A system's output with its metric statistics."""

    output: SystemOutput
    statistics: list[MetricStatistics]
    empty: int
    """The number of empty translations."""
    copied: int | None
    """The number of sentences that were copied from the source; None without sources."""


def compare(
    outputs: Sequence[SystemOutput],
    reference: Reference,
    metrics: Sequence[str] = (),
    language: str = "",
) -> Comparison:
    """Compare translations of the same documents with the first of them."""
    opened = open_metrics(metrics, language or output_language(outputs, reference))
    return Comparison(score_systems(outputs, reference, opened), opened, reference)


def score_systems(
    outputs: Sequence[SystemOutput], reference: Reference, metrics: Sequence[Metric]
) -> list[System]:
    """The metric statistics of each system's translations."""
    scorer = Scorer(reference.references, metrics)
    return [
        System(
            one,
            scorer.statistics(one.output),
            count_empty(one.output),
            count_copied(one.output, reference),
        )
        for one in outputs
    ]


class Comparison:
    """Systems on the same documents; all others are compared with the first."""

    def __init__(
        self, systems: Sequence[System], metrics: Sequence[Metric], reference: Reference
    ) -> None:
        self.systems, self.metrics, self.reference = systems, metrics, reference

    @property
    def signatures(self) -> dict[str, str]:
        """The sacreBLEU signature of each metric."""
        return {metric.name: metric.signature for metric in self.metrics}

    @property
    def drawn(self) -> str:
        """The unit that the bootstrap draws: documents or sentences."""
        return "documents" if len(self.reference.names) > 1 else "sentences"

    def rows(self) -> list[Row]:
        """A table row for each system, with rounded numbers."""
        columns = zip(self.systems, self._differences(), self._losses(), strict=True)
        rows = [_row(*found) for found in columns]
        known = [name for name in rows[0] if any(row[name] is not None for row in rows)]
        return [{name: row[name] for name in known} for row in rows]

    def _differences(self) -> list[Row]:
        """The columns for the difference of each other system from the first.

        The bootstrap draws documents. Of one document it draws the sentences, and the columns are
        named so: there is no p-value for a difference of document scores.
        """
        columns: list[Row] = [{} for _ in self.systems]
        if not self.systems[1:]:
            return columns
        for i, metric in enumerate(self.metrics):
            found = compare_scores([system.statistics[i] for system in self.systems])
            name = metric.name if self.drawn == "documents" else f"sentence {metric.name}"
            for row, difference in zip(columns, found, strict=True):
                row[f"{name} difference"] = _interval(difference, 2)
                row[f"p of {name}"] = round(difference.p, 3)
        return columns

    def _losses(self) -> list[Row]:
        """The loss columns, which exist only if all systems have losses (a shared vocabulary)."""
        first, *others = (system.output for system in self.systems)
        if any(one.losses is None for one in (first, *others)):
            return [{} for _ in self.systems]
        if not others:
            return [{"loss": round(first.loss, 4)}]
        return [_loss_columns(one, first) for one in (first, *others)]

    def details(self, by_document: bool = False) -> list[Row]:
        """Each system's decoding options, model and signatures; if asked, scores by document."""
        return [self._detail(system, by_document) for system in self.systems]

    def _detail(self, system: System, by_document: bool) -> Row:
        signatures = {
            one.metric.name: system.output.sign(one.metric.signature) for one in system.statistics
        }
        detail: Row = {
            "model": system.output.name,
            **system.output.provenance,
            "signatures": signatures,
        }
        if by_document:
            detail["documents"] = self._documents(system)
        return detail

    def _documents(self, system: System) -> list[Row]:
        columns = {one.metric.name: one.by_document() for one in system.statistics}
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
    """The number of sentences whose translation is empty."""
    return sum(not sentence.strip() for document in output for sentence in document)


def count_copied(output: TextDocuments, reference: Reference) -> int | None:
    """The number of sentences copied from the source, unless the reference is a copy as well.

    None without sources.
    """
    if reference.sources is None:
        return None
    copied = 0
    sides = (_stripped(texts) for texts in (output, reference.sources, reference.references))
    for one, source, expected in zip(*sides, strict=True):
        copied += bool(one) and one == source and source != expected
    return copied


def _stripped(texts: TextDocuments) -> list[str]:
    return [sentence.strip() for document in texts for sentence in document]


def output_language(outputs: Sequence[SystemOutput], reference: Reference) -> str:
    """The language of the references, or else the one into which all systems translate."""
    found = {one.language for one in outputs if one.language}
    if not reference.target_language and len(found) > 1:
        raise ConfigError(
            f"The systems translate into {' and '.join(sorted(found))}. Say which is meant with "
            "--language, or compare systems with the same target language."
        )
    return reference.target_language or next(iter(found), "")


def _row(system: System, differences: Row, losses: Row) -> Row:
    output = system.output
    return {
        "model": output.name,
        "context": output.context,
        "L": output.L,
        **_score_columns(system),
        **differences,
        **_length_column(system),
        "empty": system.empty,
        "copied": system.copied,
        **losses,
        "seconds": None if output.seconds is None else round(output.seconds, 1),
    }


def _score_columns(system: System) -> Row:
    columns = {}
    for one in system.statistics:
        prefix = "" if one.metric.name == "chrF" else "sentence "
        columns[f"document {one.metric.name}"] = round(one.score(of_documents=True).value, 2)
        columns[f"{prefix}{one.metric.name}"] = round(one.score(of_documents=False).value, 2)
    return columns


def _length_column(system: System) -> Row:
    """Words of the translation per word of the reference, as BLEU tokenizes them."""
    bleu = next((one for one in system.statistics if one.metric.name == "BLEU"), None)
    if bleu is None:
        return {}
    translated, expected = bleu.documents.sum(0)[:2]
    return {"length ratio": round(float(translated / max(expected, 1)), 3)}


def _loss_columns(output: SystemOutput, first: SystemOutput) -> Row:
    assert output.losses is not None
    assert first.losses is not None
    loss = compare_losses(output.losses, first.losses)
    return {
        "loss": round(output.loss, 4),
        "loss difference": _interval(loss, 4),
        "p of loss": round(loss.p, 3),
    }


def _interval(found: Difference, digits: int) -> str:
    numbers = found.value, found.low, found.high
    value, low, high = (f"{number:+.{digits}f}" for number in numbers)
    return f"{value} [{low}, {high}]"
