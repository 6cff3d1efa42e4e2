"""What stands around every sublayer: the residual, its norm, and the feed-forward itself."""

from __future__ import annotations

from torch import Tensor, nn

from longways.model.config import ModelConfig


class Residual(nn.Module):
    """Adds a sublayer's output to its input, normalising before (pre) or after (post)."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.dim)
        self.dropout = nn.Dropout(config.dropout)
        self.pre = config.norm == "pre"

    def enter(self, x: Tensor) -> Tensor:
        """What the sublayer sees of x."""
        return self.norm(x) if self.pre else x

    def leave(self, x: Tensor, update: Tensor) -> Tensor:
        """X with the sublayer's output added."""
        x = x + self.dropout(update)
        return x if self.pre else self.norm(x)


class FeedForward(nn.Module):
    """Two linear maps with a GELU between them."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.residual = Residual(config)
        self.wide = nn.Linear(config.dim, config.feed_forward)
        self.narrow = nn.Linear(config.feed_forward, config.dim)
        for linear in (self.wide, self.narrow):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        """The whole sublayer, residual included."""
        hidden = nn.functional.gelu(self.wide(self.residual.enter(x)))
        return self.residual.leave(x, self.narrow(hidden))


def final_norm(config: ModelConfig) -> nn.Module:
    """Pre-norm stacks end in one more norm; post-norm stacks already have theirs."""
    return nn.LayerNorm(config.dim) if config.norm == "pre" else nn.Identity()
