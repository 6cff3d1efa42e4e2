"""One process or many: who am I, and how do gradients meet.

Started plainly, there is one rank. Started by `torchrun`, there are several, which find each other
through the environment it sets: gloo on CPUs, nccl on GPUs, one node or many.
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
    """One process among all that train together."""

    rank: int
    count: int
    device: torch.device

    @property
    def first(self) -> bool:
        """Whether this is the one that writes and speaks."""
        return self.rank == 0

    def sum(self, *tensors: Tensor) -> None:
        """Replace each tensor by its sum over all ranks."""
        if self.count > 1:
            for tensor in tensors:
                dist.all_reduce(tensor)

    def sum_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Sum all gradients over all ranks, in one message."""
        if self.count == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        parts = flat.split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def from_first(self, value: float) -> float:
        """The first rank's value, for all: a GPU may round otherwise, and ranks must agree."""
        if self.count == 1:
            return value
        told = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.broadcast(told, 0)
        return told.item()

    def any(self, flag: bool) -> bool:
        """Whether the flag is set on any rank."""
        if self.count == 1:
            return flag
        told = torch.tensor(int(flag), device=self.device)
        self.sum(told)
        return bool(told.item())

    def wait(self) -> None:
        """Go on when all ranks are here."""
        if self.count > 1:
            dist.barrier()


@contextmanager
def join_processes(device: str) -> Iterator[Distributed]:
    """Meet the other ranks, if `torchrun` started any; leave them at the end."""
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield Distributed(0, 1, torch.device(device))
        return
    place = torch.device(device)
    if place.type == "cuda":
        place = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
        torch.cuda.set_device(place)
    dist.init_process_group("nccl" if place.type == "cuda" else "gloo")
    try:
        yield Distributed(dist.get_rank(), dist.get_world_size(), place)
    finally:
        dist.destroy_process_group()
