"""The paper's Table 1 with our numbers: a row for each system, a column for each L."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from longways.experiments.seeds import Groups, mean_and_spread

WINDOW_SUFFIX = re.compile(r"-L\d+\b")
"""The L in the name of a model."""

Row = dict[str, Any]
Cells = dict[int, tuple[float, float]]
"""Mean document BLEU and its spread over seeds, by L."""


@dataclass(frozen=True)
class Paper:
    """The paper's Table 1."""

    source: str
    """The citation of the table."""
    corpora: dict[str, dict[str, dict[str, float]]]
    """Document BLEU by corpus, system and L."""

    def bleu(self, corpus: str, system: str, L: int) -> float | None:
        """One cell of the table; None if the paper has no such score."""
        return self.corpora[corpus].get(system, {}).get(str(L))


@cache
def read_paper() -> Paper:
    """Read the table from `paper.toml`."""
    text = files("longways.experiments").joinpath("paper.toml").read_text(encoding="utf-8")
    values = tomllib.loads(text)
    return Paper(values["source"], values["corpora"])


def system(attention: str) -> str:
    """The paper's name of a system, or ours for a new one, given `describe_attention`'s words."""
    cross, causal = (f"{side} rfa" in attention for side in ("cross", "causal"))
    if not causal:
        return "rfa cross" if cross else "transformer"
    if not cross:
        return "hybrid"
    gates = {"gate decay": "rfa-sgate", "gate average": "rfa-sgate-avg"}
    return next((name for gate, name in gates.items() if attention.endswith(gate)), "rfa")


def table_one(rows: Sequence[Row], groups: Groups, paper: Paper) -> list[Row]:
    """Document BLEU by system and L, beside the paper's.

    As in the paper, scores above the transformer's with the same L are bold.
    """
    ours, kinds = _cells(rows, groups)
    lengths = sorted({L for found in ours.values() for L in found})
    bases = [found for label, found in ours.items() if kinds[label] == "transformer"]
    to_beat = {L: max((base[L][0] for base in bases if L in base), default=None) for L in lengths}
    return [
        {
            "model": label,
            **{f"L={L}": _show(found.get(L), to_beat[L]) for L in lengths},
            **_paper_columns(kinds[label], paper),
        }
        for label, found in ours.items()
    ]


def _cells(rows: Sequence[Row], groups: Groups) -> tuple[dict[str, Cells], dict[str, str]]:
    """The scores of each row, and the system of each row."""
    cells: dict[str, Cells] = {}
    kinds: dict[str, str] = {}
    for name, models in groups.items():
        own = [row for row in rows if row["model"] in models]
        if not own:
            continue
        L, label = own[0]["L"], WINDOW_SUFFIX.sub("", name)
        label = name if L in cells.get(label, {}) else label
        cells.setdefault(label, {})[L] = mean_and_spread([row["document BLEU"] for row in own])
        kinds[label] = system(own[0]["attention"])
    return cells, kinds


def _show(cell: tuple[float, float] | None, base: float | None) -> str:
    if cell is None:
        return "-"
    mean, spread = cell
    text = f"{mean:.1f}" + (f" ± {spread:.1f}" if spread else "")
    return f"**{text}**" if base is not None and mean > base else text


def _paper_columns(kind: str, paper: Paper) -> Row:
    return {
        f"{corpus} L={L}": _number(paper.bleu(corpus, kind, L))
        for corpus in paper.corpora
        for L in (1, 4)
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
