"""What cross attention of a stream model keeps of the source.

B windows, H heads, of them d document heads; T target tokens, N source tokens, E head size, D
features.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from longways.attention.softmax import KVMemory
from longways.attention.state import RFAState
from longways.attention.stream.sentences import SourcePlaces


@dataclass(frozen=True)
class SentenceMemory:
    """One source sentence of each document, and the sums over the source up to it."""

    sentence: KVMemory
    sums: RFAState

    def reorder(self, windows: Tensor) -> SentenceMemory:
        """A copy of the memory with these windows, in this order."""
        return SentenceMemory(self.sentence.reorder(windows), self.sums.reorder(windows))

    def size_bytes(self) -> int:
        """Bytes of this memory for the whole batch."""
        return self.sentence.size_bytes() + self.sums.size_bytes()


@dataclass(frozen=True)
class WindowMemory:
    """All source sentences of windows, for the parallel form."""

    keys: Tensor  # (B, H - d, N, E)  of the sentence heads
    values: Tensor  # (B, H, N, E)  of all heads
    phi: Tensor  # (B, d, N, D)  features of the document heads' keys
    fade: Tensor  # (B, d, N)
    write: Tensor  # (B, d, N)
    places: SourcePlaces
    sentences: Tensor | None = None  # (B, T)  the source sentence of each target token

    def for_target(self, separators: Tensor) -> WindowMemory:
        """The memory as the target tokens with these separators (B, T) see it."""
        return replace(self, sentences=self.places.of_target(separators))

    def reorder(self, windows: Tensor) -> WindowMemory:
        """Not supported: search reads sentences, never windows."""
        raise TypeError("the memory of a window cannot be searched; encode sentence by sentence")

    def size_bytes(self) -> int:
        """Bytes of this memory for the whole batch."""
        return sum(x.nbytes for x in (self.keys, self.values, self.phi, self.fade, self.write))
