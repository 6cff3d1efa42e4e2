"""A system's translations of one test set, saved in a file until they are compared.

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
    """One system's translations of a test set, with their provenance and losses where known."""

    name: str
    L: int | None
    output: list[list[str]]
    """The translated documents, as lists of sentences."""
    losses: NDArray[np.float64] | None = None  # (documents, 2)  summed loss and number of tokens
    """The losses of the last sentences of windows."""
    seconds: float | None = None
    beam: int | None = None
    runtime: str | None = None
    """The runtime and its version."""
    model_hash: str | None = None
    """A hash of the model's contents, which does not depend on its path."""
    language: str = ""
    """The target language."""
    length_penalty: float | None = None
    """The exponent of the length penalty, if it is not the default."""
    windows: str | None = None
    """`whole` or `regenerated`; None for sliding windows."""
    context: str | None = None
    """Sentences that a stream model looked back, if that was limited."""
    at_limit: str | None = None
    """`end` if `<eos>` was forced at the length limit."""
    shortlist: bool | None = None
    """Whether search chose among the tokens of a shortlist; None if the model decided."""

    @property
    def loss(self) -> float:
        """The mean loss per token over the last sentences of all windows."""
        assert self.losses is not None, "losses exist only where models share a vocabulary"
        total, tokens = self.losses.sum(0)
        return float(total / tokens)

    @property
    def provenance(self) -> dict[str, Any]:
        """The model and the decoding options behind the translations, as far as known."""
        known = {
            "L": self.L,
            "beam": self.beam,
            "length penalty": self.length_penalty,
            "windows": self.windows,
            "context": self.context,
            "at limit": self.at_limit,
            "shortlist": self.shortlist,
            "runtime": self.runtime,
            "model hash": self.model_hash,
        }
        return {name: value for name, value in known.items() if value is not None}

    def sign(self, signature: str) -> str:
        """A sacreBLEU signature, extended by the provenance of the translations."""
        fields = (f"{name.removesuffix(' hash')}:{v}" for name, v in self.provenance.items())
        return "|".join([signature, *fields])


def write_output(output: SystemOutput, path: Path) -> None:
    """Save a system's output atomically: an interrupted write leaves no partial file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.writing")
    losses = None if output.losses is None else output.losses.tolist()
    content = {**asdict(output), "losses": losses}
    draft.write_text(json.dumps(content, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


def read_output(path: Path) -> SystemOutput:
    """Read a file that `write_output` wrote."""
    if not path.exists():
        raise CorpusError(f"There is no file {path}. Check the path.")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        losses = content.pop("losses")
        found = None if losses is None else np.array(losses, dtype=np.float64)
        output = SystemOutput(**content, losses=found)
        if not all(isinstance(sentence, str) for d in output.output for sentence in d):
            raise TypeError("its output is not documents of sentences")
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CorpusError(
            f"{path} does not hold a model's translations: {error}. Write such files with "
            "longways evaluate --save."
        ) from error
    return output
