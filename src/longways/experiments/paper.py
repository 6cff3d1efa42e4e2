"""The scores that the paper reports."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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
