"""Groups of sentences of similar length, so that little padding is computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from longways.decoding.onnx.io_binding import round_up
from longways.decoding.runtime import Tokens

MAX_PADDING = 32
"""Tokens of padding in a group. The operators of another run of the encoder take as long to start
as this number of tokens takes to compute, a millisecond at d = 320."""

MAX_TOKENS = 1024
"""Tokens of a group, padding included; the activations of more do not fit into caches."""


def length_groups(lengths: Sequence[int]) -> Iterator[Tokens]:
    """The rows of each group, the longest first."""
    group, longest, padding = list[int](), 0, 0
    for row in sorted(range(len(lengths)), key=lambda row: -lengths[row]):
        own = round_up(lengths[row])
        missing = longest - own
        if group and (padding + missing > MAX_PADDING or (len(group) + 1) * longest > MAX_TOKENS):
            yield np.array(group)
            group = []
        if not group:
            longest, padding, missing = own, 0, 0
        group.append(row)
        padding += missing
    if group:
        yield np.array(group)
