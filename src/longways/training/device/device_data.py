"""Batches gathered on the device of the model.

B rows, N source tokens, T target tokens.

On a GPU the whole corpus is in GPU memory, and only the window offsets of a batch are copied, so
that the host never waits. On a CPU batches are read from the memory-mapped arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from longways.corpus.batching.batch import gather_batch
from longways.corpus.batching.buckets import Shape
from longways.corpus.prepared_data import Split
from longways.corpus.window import Offsets
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD


class TensorBatch(NamedTuple):
    """The tensors of a `Batch`."""

    source: Tensor  # (B, N)
    target_in: Tensor  # (B, T)
    target: Tensor  # (B, T)


class DeviceSplit:
    """A split whose batches are tensors on a device."""

    def __init__(self, split: Split, device: torch.device) -> None:
        self.split, self.device = split, device
        self.ids: tuple[Tensor, Tensor] | None = None
        if device.type == "cuda":
            source, target = (
                torch.from_numpy(np.asarray(side).astype(np.int32)).to(device)
                for side in (split.source, split.target)
            )
            self.ids = source, target

    def batch(self, windows: Offsets, shape: Shape) -> TensorBatch:
        """A batch of this shape with the windows (B', 2)."""
        if self.ids is None:
            batch = gather_batch(self.split, windows, shape)
            return TensorBatch(*(torch.from_numpy(side) for side in batch))
        offsets = self.split.source_offsets, self.split.target_offsets
        source, target = (
            self._gather(ids, side[windows[:, 0]], side[windows[:, 1]], shape.rows, width)
            for ids, side, width in zip(
                self.ids, offsets, (shape.source, shape.target), strict=True
            )
        )
        source[len(windows) :, 0] = EOS
        first = torch.where(target[:, :1] == PAD, PAD, BOS)
        rest = torch.where(target[:, 1:] == PAD, PAD, target[:, :-1])
        return TensorBatch(source, torch.cat([first, rest], 1), target)

    def _gather(self, ids: Tensor, starts: Offsets, ends: Offsets, rows: int, width: int) -> Tensor:
        """The rows of one side, as `corpus.batching.batch` gathers them; extra rows are empty."""
        spans = np.zeros((2, rows, 1), dtype=np.int64)
        spans[0, : len(starts), 0], spans[1, : len(starts), 0] = starts, ends - starts
        start, length = torch.from_numpy(spans).pin_memory().to(self.device, non_blocking=True)
        columns = torch.arange(width, device=self.device)
        tokens = ids[(start + columns).clamp_max(len(ids) - 1)].long()
        tokens = torch.where(columns == length - 1, EOS, tokens)
        return torch.where(columns < length, tokens, PAD)
