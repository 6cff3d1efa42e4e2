"""Term consistency as columns of the table that compares systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longways.errors import ConfigError
from longways.evaluation.comparison import Comparison, output_language
from longways.evaluation.terms.consistency import TermConsistency, TermCounter

Row = dict[str, Any]

REFERENCES = "references"
"""The name of the row with the references' own figures."""


def add_terms(rows: Sequence[Row], comparison: Comparison, source: str) -> list[Row]:
    """The rows of all systems with the columns of terms, and a row for the references."""
    reference = comparison.reference
    outputs = [system.output for system in comparison.systems]
    target = output_language(outputs, reference)
    if reference.sources is None or not target:
        raise ConfigError(
            "--terms needs the target language. Name it with --language, as in --language en."
        )
    counter = TermCounter(reference.sources, reference.references, source, target)
    found = [
        {**row, **term_columns(counter.output(output.output))}
        for row, output in zip(rows, outputs, strict=True)
    ]
    own = dict.fromkeys(rows[0]) | {"model": REFERENCES} | term_columns(counter.references())
    return [*found, own]


def term_columns(found: TermConsistency) -> Row:
    """The columns of one system; shares are per cent."""
    return {
        "terms": found.terms,
        "terms the same": round(found.same_share, 1),
        "pairs the same": round(found.pair_share, 1),
    }
