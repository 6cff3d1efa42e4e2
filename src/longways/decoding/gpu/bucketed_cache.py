"""Memory for keys and values that may be cut into few long rows or many short ones.

R rows, H heads, N tokens of room, E head size.

What attention looks at should lie close together, whatever the longest text could need. So room is
given in buckets: a view of the same memory for each, and what it holds is moved when it changes.
"""

from __future__ import annotations

from torch import Tensor

BUCKET = 64
"""The least room, in tokens."""


def bucket(tokens: int, most: int) -> int:
    """The room for so many tokens: a power of two or one and a half of it, and at most `most`."""
    room = BUCKET
    while room < tokens:
        room = room * 3 // 2 if room & (room - 1) == 0 else room * 4 // 3
    return min(room, most)


class BucketedCache:
    """Keys or values of every row, with the room they have now."""

    def __init__(self, like: Tensor, rows: int, room: int) -> None:
        _, self.heads, _, self.head_dim = like.shape
        self.rows = rows
        self._memory = like.new_zeros(self._size(room))
        self.tokens = self._view(room)  # (R, H, N, E)

    def holds(self, room: int) -> bool:
        """Whether every row could have so much room without other memory."""
        return self._size(room) <= len(self._memory)

    def fit(self, room: int) -> None:
        """Let every row have so much room; what does not fit any more is lost."""
        if room == self.tokens.shape[2]:
            return
        kept = self.tokens[:, :, :room].clone()
        if not self.holds(room):
            self._memory = kept.new_zeros(self._size(room))
        self.tokens = self._view(room)
        self.tokens[:, :, : kept.shape[2]] = kept
        self.tokens[:, :, kept.shape[2] :] = 0  # finite, whatever lay there

    def _size(self, room: int) -> int:
        return self.rows * self.heads * room * self.head_dim

    def _view(self, room: int) -> Tensor:
        return self._memory[: self._size(room)].view(self.rows, self.heads, room, self.head_dim)
