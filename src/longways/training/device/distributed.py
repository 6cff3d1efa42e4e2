"""Distributed training: the processes that train together, and sums over them.

Without `torchrun` there is one process. The processes of `torchrun` find each other through the
environment variables it sets, on one node or several; they use gloo on CPUs and nccl on GPUs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor


@dataclass(frozen=True)
class Distributed:
    """One of the processes that train together."""

    rank: int
    world_size: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and prints messages."""
        return self.rank == 0

    def sum(self, *tensors: Tensor) -> None:
        """Replace each tensor by its sum over all processes."""
        if self.world_size > 1:
            for tensor in tensors:
                dist.all_reduce(tensor)

    def sum_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Sum all gradients over all processes with a single all-reduce."""
        if self.world_size == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        sums = flat.split([gradient.numel() for gradient in gradients])
        for gradient, total in zip(gradients, sums, strict=True):
            gradient.copy_(total.view_as(gradient))

    def from_first(self, value: float) -> float:
        """The value of the first process, so that all agree although GPUs may round differently."""
        if self.world_size == 1:
            return value
        shared = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.broadcast(shared, 0)
        return shared.item()

    def any(self, flag: bool) -> bool:
        """Whether the flag is set in any process."""
        if self.world_size == 1:
            return flag
        total = torch.tensor(int(flag), device=self.device)
        self.sum(total)
        return bool(total.item())

    def wait(self) -> None:
        """Wait until all processes have called this."""
        if self.world_size > 1:
            dist.barrier()


@contextmanager
def join_processes(device: str) -> Iterator[Distributed]:
    """Join the processes that `torchrun` started, if any, and leave them at the end."""
    world_size = int(os.environ.get("WORLD_SIZE", "1"))
    if world_size == 1:
        yield Distributed(0, 1, torch.device(device))
        return
    own = torch.device(device)
    if own.type == "cuda":
        own = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(own)
    dist.init_process_group("nccl" if own.type == "cuda" else "gloo")
    try:
        yield Distributed(dist.get_rank(), dist.get_world_size(), own)
    finally:
        dist.destroy_process_group()
