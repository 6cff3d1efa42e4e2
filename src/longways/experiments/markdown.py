"""The Markdown page of a study, with its tables and figures."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longways.experiments.table import read_paper
from longways.results import Report

Row = dict[str, Any]


def markdown(result: Report, tables: Mapping[str, Sequence[Row]]) -> str:
    """The page: the comparison with the paper first, then all tables.

    `tables` has the tables of the report by name; tables without rows are left out.
    """
    parts = [f"# {result.claim}", *_paper_table(result, tables.get("table", ()))]
    parts += ["## All models", markdown_table(result.rows)]
    if others := tables.get("not evaluated"):
        parts += ["## Trained, not evaluated", markdown_table(others)]
    if seeds := tables.get("seeds"):
        parts += ["## Seeds", markdown_table(seeds), "Spread: standard deviation over seeds."]
    if consistency := tables.get("consistency"):
        note = "Accuracy by L and by distance of the deciding sentence; ties count as wrong."
        parts += ["## Consistency", "![Accuracy over L](consistency.svg)", note]
        parts += [markdown_table([_flat(row) for row in consistency])]
    parts += ["## Curves", "![Losses over updates](curves.svg)"]
    if any("state bytes" in row and "document BLEU" in row for row in result.rows):
        parts += ["## Quality and state", "![Document BLEU over state](state.svg)"]
    settings = json.dumps(result.settings)
    end = f"Trained on {trained_on(result.rows)}; {result.date}."
    return "\n\n".join([*parts, end, f"`{settings}`"]) + "\n"


def trained_on(rows: Sequence[Row]) -> str:
    """The devices on which the models were trained."""
    return ", ".join(sorted({str(row["trained on"]) for row in rows}))


def _paper_table(result: Report, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    data, split = result.settings["data"], result.settings["part"]
    note = (
        f"Ours: the {split} split of {data}, beam {result.settings['beam']}; bold is above the "
        f"transformer of the same L. The paper's: {read_paper().source}. The corpora differ, so "
        "compare rows, not columns."
    )
    return ["## Document BLEU by L", markdown_table(rows), note]


def _flat(row: Row) -> Row:
    """A row of the consistency table with a column for each distance."""
    rest = {key: value for key, value in row.items() if key != "by distance"}
    return {**rest, **row["by distance"]}


def markdown_table(rows: Sequence[Row]) -> str:
    """Rows as a Markdown table with all their columns."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [["-" if row.get(name) is None else str(row[name]) for name in names] for row in rows]
    return "\n".join(map(_line, [names, ["---"] * len(names), *cells]))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
