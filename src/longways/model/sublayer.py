"""The residual connection with its norm, and the feed-forward sublayer."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn.functional import gelu, relu, silu

from longways.model.config import Activation, ModelConfig

ACTIVATIONS: dict[Activation, Callable[[Tensor], Tensor]] = {
    "gelu": gelu,
    "relu": relu,
    "swish": silu,
}
"""The activations by their names in a config."""


class Residual(nn.Module):
    """The residual connection around a sublayer, with a norm before (pre) or after (post) it."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(config.dim)
        self.dropout = nn.Dropout(config.dropout)
        self.pre = config.norm == "pre"

    def enter(self, x: Tensor) -> Tensor:
        """The input of the sublayer for x."""
        return self.norm(x) if self.pre else x

    def leave(self, x: Tensor, update: Tensor) -> Tensor:
        """Add the sublayer's output `update` to x."""
        x = x + self.dropout(update)
        return x if self.pre else self.norm(x)


class FeedForward(nn.Module):
    """Two linear maps with an activation in between, and the residual around them."""

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.residual, self.activation = Residual(config), config.activation
        self.wide = nn.Linear(config.dim, config.feed_forward)
        self.narrow = nn.Linear(config.feed_forward, config.dim)
        for linear in (self.wide, self.narrow):
            nn.init.xavier_uniform_(linear.weight)
            nn.init.zeros_(linear.bias)

    def forward(self, x: Tensor) -> Tensor:
        """The output of the sublayer, residual included."""
        hidden = ACTIVATIONS[self.activation](self.wide(self.residual.enter(x)))
        return self.residual.leave(x, self.narrow(hidden))


def final_norm(config: ModelConfig) -> nn.Module:
    """The norm after the last layer, which only pre-norm models need."""
    return nn.LayerNorm(config.dim) if config.norm == "pre" else nn.Identity()
