"""What a stream model carries from sentence to sentence.

B documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from longways.attention.state import CausalRFAState, GateState, RFAState

Layers = tuple[CausalRFAState, ...]
"""The sums and gates of the document heads of every layer of one kind of attention."""


@dataclass(frozen=True)
class DocumentState:
    """The sums and gates of all document heads. Its size does not depend on the document."""

    encoder: Layers
    cross: Layers
    causal: Layers

    @property
    def documents(self) -> int:
        """B, the number of documents."""
        return len(self.causal[0].gate.keep)

    def reorder(self, documents: Tensor) -> DocumentState:
        """The states of these documents, in that order."""
        return DocumentState(
            *(tuple(layer.reorder(documents) for layer in layers) for layers in self.kinds)
        )

    def size_bytes(self) -> int:
        """Bytes of this state for the whole batch."""
        return sum(layer.size_bytes() for layers in self.kinds for layer in layers)

    @property
    def kinds(self) -> tuple[Layers, Layers, Layers]:
        """The layers of encoder, cross and causal attention."""
        return self.encoder, self.cross, self.causal

    def split(self) -> list[DocumentState]:
        """The state of each document by itself."""
        device = self.causal[0].gate.keep.device
        return [self.reorder(torch.tensor([i], device=device)) for i in range(self.documents)]

    @staticmethod
    def join(states: Sequence[DocumentState]) -> DocumentState:
        """The states of several documents as one batch."""
        kinds = zip(*(state.kinds for state in states), strict=True)
        return DocumentState(*(_join(kind) for kind in kinds))


def _join(kind: Sequence[Layers]) -> Layers:
    return tuple(_cat(layers) for layers in zip(*kind, strict=True))


def _cat(states: Sequence[CausalRFAState]) -> CausalRFAState:
    S, z = (torch.cat([getattr(one.sums, name) for one in states]) for name in ("S", "z"))
    keep, write = (
        torch.cat([getattr(one.gate, name) for one in states]) for name in ("keep", "write")
    )
    return CausalRFAState(RFAState(S, z), GateState(keep, write))
