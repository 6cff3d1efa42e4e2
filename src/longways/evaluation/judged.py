"""A model's translations of one part of a corpus, kept in a file until they are compared.

Translating takes minutes, comparing seconds; and the two may happen on different machines.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from longways.errors import CorpusError


@dataclass(frozen=True)
class Judged:
    """One model's translations of a part, and its losses."""

    name: str
    L: int
    output: list[list[str]]
    losses: NDArray[np.float64] | None  # (documents, 2)  summed over last sentences; tokens
    seconds: float

    @property
    def loss(self) -> float:
        """Mean loss of a token of the last sentence of a window."""
        assert self.losses is not None, "losses are there where models share a vocabulary"
        total, tokens = self.losses.sum(0)
        return float(total / tokens)


def write_judged(judged: Judged, path: Path) -> None:
    """Keep it; a kill leaves no half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.writing")
    losses = None if judged.losses is None else judged.losses.tolist()
    content = {**asdict(judged), "losses": losses}
    draft.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


def read_judged(path: Path) -> Judged:
    """What `write_judged` wrote."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        losses = content.pop("losses")
        found = None if losses is None else np.array(losses, dtype=np.float64)
        return Judged(**content, losses=found)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise CorpusError(f"{path} holds no kept translations of a model: {error}.") from error
