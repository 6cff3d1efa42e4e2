"""The parts that all attention of a stream model shares: two groups of heads, features, gates.

B windows, H heads, of them the last d are document heads; T tokens, E head size.
"""

from __future__ import annotations

from torch import Tensor, nn

from longways.attention.config import StreamConfig
from longways.attention.features import FEATURE_MAPS
from longways.attention.gate import gate_window
from longways.attention.layers.projections import Projections
from longways.attention.precision import widen
from longways.attention.state import CausalRFAState, GateState, RFAState


class StreamHeads(Projections):
    """Projections, the feature map of the document heads, and their gate."""

    def __init__(self, dim: int, heads: int, config: StreamConfig) -> None:
        super().__init__(dim, heads)
        self.document_heads, self.gate = config.heads, config.gate
        self.sentence_heads = heads - config.heads
        self.phi = FEATURE_MAPS[config.feature_map](
            config.heads, dim // heads, config.projection, 1.0
        )
        self.start_like_softmax()
        if config.gate != "none":
            self.f = nn.Linear(dim, config.heads)  # w_f and b_f, one gate a document head
            nn.init.xavier_uniform_(self.f.weight)
            nn.init.constant_(self.f.bias, config.gate_bias)

    def near(self, x: Tensor) -> Tensor:
        """The sentence heads of x (B, H, T, E)."""
        return x[:, : self.sentence_heads]

    def far(self, x: Tensor) -> Tensor:
        """The document heads of x (B, H, T, E)."""
        return x[:, self.sentence_heads :]

    def features(self, x: Tensor) -> Tensor:
        """phi of the document heads of x (B, H, T, E): (B, d, T, D)."""
        phi: Tensor = self.phi(self.far(x), None)
        return phi

    def gates(self, x: Tensor, separators: Tensor, past: GateState) -> tuple[Tensor, Tensor]:
        """keep and write (B, d, T + 1) of every token of x (B, T, dim) and of the next one."""
        f = self.gate_values(x)
        if f is None:
            ones = past.keep.new_ones(()).expand(*past.keep.shape, x.shape[1] + 1)
            return ones, ones
        return gate_window(self.gate, f, separators, past)

    def gate_values(self, x: Tensor) -> Tensor | None:
        """f (B, d, T) of every token of x (B, T, dim); None without a gate."""
        return None if self.gate == "none" else widen(self.f(x)).sigmoid().transpose(1, 2)

    def open_gate(self, x: Tensor) -> GateState:
        """The gate before the first token of documents x (B, T, dim)."""
        return GateState.open(len(x), self.document_heads, like=x)

    def empty(self, batch: int, like: Tensor) -> CausalRFAState:
        """What the document heads carry before the first sentence."""
        head_dim = self.q.out_features // self.heads
        sums = RFAState.empty(batch, self.document_heads, self.phi.features, head_dim, like)
        return CausalRFAState(sums, GateState.open(batch, self.document_heads, like))
