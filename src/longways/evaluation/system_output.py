"""A model's translations of one part of a corpus, kept in a file until they are compared.

Translating takes minutes, comparing seconds; and the two may happen on different machines.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longways.errors import CorpusError


@dataclass(frozen=True)
class SystemOutput:
    """One system's translations of a part; what made them, and its losses, where they are known."""

    name: str
    L: int | None
    output: list[list[str]]
    losses: NDArray[np.float64] | None = None  # (documents, 2)  of last sentences, summed; tokens
    seconds: float | None = None
    beam: int | None = None
    runtime: str | None = None
    """The engine and its version."""
    model_hash: str | None = None
    """The same for the same model, wherever it lies."""
    language: str = ""
    """That it is translated into."""

    @property
    def loss(self) -> float:
        """Mean loss of a token of the last sentence of a window."""
        assert self.losses is not None, "losses are there where models share a vocabulary"
        total, tokens = self.losses.sum(0)
        return float(total / tokens)

    @property
    def maker(self) -> dict[str, Any]:
        """What made the translations, as far as it is known."""
        made = {
            "L": self.L,
            "beam": self.beam,
            "runtime": self.runtime,
            "model hash": self.model_hash,
        }
        return {name: value for name, value in made.items() if value is not None}

    def sign(self, signature: str) -> str:
        """A signature of sacreBLEU, extended by what made the translations."""
        made = (f"{name.removesuffix(' hash')}:{value}" for name, value in self.maker.items())
        return "|".join([signature, *made])


def write_judged(judged: SystemOutput, path: Path) -> None:
    """Keep it; a kill leaves no half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.writing")
    losses = None if judged.losses is None else judged.losses.tolist()
    content = {**asdict(judged), "losses": losses}
    draft.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


def read_judged(path: Path) -> SystemOutput:
    """What `write_judged` wrote."""
    if not path.exists():
        raise CorpusError(f"There is no file {path}. Check the path.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        losses = content.pop("losses")
        found = None if losses is None else np.array(losses, dtype=np.float64)
        judged = SystemOutput(**content, losses=found)
        if not all(isinstance(sentence, str) for d in judged.output for sentence in d):
            raise TypeError("its output is not documents of sentences")
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CorpusError(
            f"{path} holds no kept translations of a model: {error}. Make it with "
            "longways evaluate --keep."
        ) from error
    return judged
