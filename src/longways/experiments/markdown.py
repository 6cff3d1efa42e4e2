"""A study's tables and figures as one Markdown page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from longways.experiments.paper import read_paper
from longways.results import Report

Row = dict[str, Any]


def markdown(result: Report, tables: Mapping[str, Sequence[Row]]) -> str:
    """The page: what compares with the paper first, then every number.

    `tables` are those of the report by name; one without rows is left out.
    """
    parts = [f"# {result.claim}", *_like_the_paper(result, tables.get("table", ()))]
    parts += ["## All models", markdown_table(result.rows)]
    if others := tables.get("not judged"):
        parts += ["## Trained, not judged", markdown_table(others)]
    if seeds := tables.get("seeds"):
        parts += ["## Seeds", markdown_table(seeds), "Spread: standard deviation of a single run."]
    if asked := tables.get("consistency"):
        note = "Accuracy by L and by distance of the sentence that decides; ties count as wrong."
        parts += ["## Consistency", "![Accuracy over L](consistency.svg)", note]
        parts += [markdown_table([_flat(row) for row in asked])]
    parts += ["## Curves", "![Losses over updates](curves.svg)"]
    if any("state bytes" in row and "document BLEU" in row for row in result.rows):
        parts += ["## Quality and state", "![Document BLEU over state](state.svg)"]
    settings = json.dumps(result.settings)
    end = f"Trained on {trained_on(result.rows)}; {result.date}."
    return "\n\n".join([*parts, end, f"`{settings}`"]) + "\n"


def trained_on(rows: Sequence[Row]) -> str:
    """The machines that all models were trained on."""
    return ", ".join(sorted({str(row["trained on"]) for row in rows}))


def _like_the_paper(result: Report, rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    data, part = result.settings["data"], result.settings["part"]
    note = (
        f"Ours: the {part} part of {data}, beam {result.settings['beam']}; bold is above the "
        f"transformer of the same L. The paper's: {read_paper().source}. The corpora differ, so "
        "compare lines, not columns."
    )
    return ["## Document BLEU by L", markdown_table(rows), note]


def _flat(row: Row) -> Row:
    """A row of the consistency table with a column for each distance."""
    rest = {key: value for key, value in row.items() if key != "by distance"}
    return {**rest, **row["by distance"]}


def markdown_table(rows: Sequence[Row]) -> str:
    """Rows as Markdown, with every column that any of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [["-" if row.get(name) is None else str(row[name]) for name in names] for row in rows]
    return "\n".join(map(_line, [names, ["---"] * len(names), *cells]))


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
