"""Key or value cache whose capacity per row grows in buckets of token counts.

R rows, H heads, N tokens of capacity, E head size.

Attention reads a cache fastest when it is not longer than the texts in it. So one buffer is viewed
as few long rows or many short ones, and its content is moved when the capacity changes.
"""

from __future__ import annotations

from torch import Tensor

MIN_CAPACITY_TOKENS = 64
"""Tokens of the smallest bucket."""


def bucket_capacity(tokens: int, limit: int) -> int:
    """Smallest bucket that holds `tokens`: 64, 96, 128, 192, ..., and at most `limit`."""
    capacity = MIN_CAPACITY_TOKENS
    while capacity < tokens:
        is_power_of_two = capacity & (capacity - 1) == 0
        capacity = capacity * 3 // 2 if is_power_of_two else capacity * 4 // 3
    return min(capacity, limit)


class BucketedCache:
    """Keys or values of every row, as a view whose capacity can be changed."""

    def __init__(self, like: Tensor, rows: int, capacity: int) -> None:
        _, self.heads, _, self.head_dim = like.shape
        self.rows = rows
        self._memory = like.new_zeros(self._size(capacity))
        self.tokens = self._view(capacity)  # (R, H, N, E)

    def can_hold(self, capacity: int) -> bool:
        """Whether the buffer is large enough for this capacity in every row."""
        return self._size(capacity) <= len(self._memory)

    def resize(self, capacity: int) -> None:
        """Change the capacity of every row; tokens beyond the new capacity are lost."""
        if capacity == self.tokens.shape[2]:
            return
        kept = self.tokens[:, :, :capacity].clone()
        if not self.can_hold(capacity):
            self._memory = kept.new_zeros(self._size(capacity))
        self.tokens = self._view(capacity)
        self.tokens[:, :, : kept.shape[2]] = kept
        self.tokens[:, :, kept.shape[2] :] = 0  # stale memory may hold NaN

    def _size(self, capacity: int) -> int:
        return self.rows * self.heads * capacity * self.head_dim

    def _view(self, capacity: int) -> Tensor:
        used = self._memory[: self._size(capacity)]
        return used.view(self.rows, self.heads, capacity, self.head_dim)
