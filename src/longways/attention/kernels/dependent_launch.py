"""Kernels that start before the one ahead of them has ended, and load what it does not change.

A decoding step is a chain of short kernels, and each would wait for the last program of the one
before it. NVIDIA's GPUs from Hopper on can let it start early (programmatic dependent launch): it
loads what no kernel of the step writes, such as weights, and waits before it touches anything else.

A kernel calls the next one as it begins, so that several stand in line with their weights loaded.
After its wait, all that earlier kernels wrote is there. Those of a step that read what earlier
steps wrote, such as states, before their wait need one ahead of them that calls only after its own
wait: when they start, all that was written before that one is there.

This module needs Triton; nothing else in the package imports it unasked.
"""
# mypy: ignore-errors
# A kernel is written in Triton's language, whose types are not Python's.

from __future__ import annotations

from functools import cache
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

from longways.attention.kernels.features import INTERPRETED

HOPPER = 9
"""The first generation that can."""


LINE_BYTES = 128
"""What comes from memory together."""


def early(like: Tensor) -> dict[str, Any]:
    """What a kernel that calls `wait` is launched with, on the device of a tensor."""
    if INTERPRETED or not like.is_cuda or not _can(like.device):
        return {"EARLY": False}
    return {"EARLY": True, "launch_pdl": True}


def lines(weights: Tensor) -> dict[str, int]:
    """For `fetch`: numbers of a line of memory, and lines of a row."""
    line = LINE_BYTES // weights.itemsize
    return {"LINE": line, "LINES": triton.next_power_of_2(triton.cdiv(weights.shape[1], line))}


@cache
def _can(device: torch.device) -> bool:
    return torch.version.hip is None and torch.cuda.get_device_capability(device)[0] >= HOPPER


@triton.jit
def call_next(EARLY: tl.constexpr):
    """Let the next kernel start, when all programs of this one have come here."""
    if EARLY:
        gdc_launch_dependents()


@triton.jit
def wait(EARLY: tl.constexpr):
    """Go on when all that earlier kernels wrote is there."""
    if EARLY:
        gdc_wait()


@triton.jit
def fetch(
    weight_ptr, n, N, D: tl.constexpr, LINE: tl.constexpr, LINES: tl.constexpr, EARLY: tl.constexpr
):  # fmt: skip
    """Have rows n of weights (N, D) come nearer while there is still something to wait for."""
    if EARLY:
        column = tl.arange(0, LINES)[None, :] * LINE
        row = tl.minimum(n, N - 1)[:, None]
        tl.inline_asm_elementwise(
            "prefetch.global.L2 [$1]; mov.b32 $0, 0;", "=r,l",
            [weight_ptr + row * D + tl.minimum(column, D - 1)],
            dtype=tl.int32, is_pure=False, pack=1,
        )  # fmt: skip
