"""Programmatic dependent launch (PDL): a kernel starts before the kernel ahead of it has ended.

A decoding step is a chain of short kernels. Without PDL each kernel waits for the last program of
the kernel before it. With PDL, which NVIDIA's GPUs have from Hopper on, a kernel starts early,
loads what no kernel of the step writes, such as weights, and waits before it touches anything else.

Usually a kernel launches the next one at its start (early launch), so that several kernels have
their weights loaded. After its `wait`, a kernel sees all writes of earlier kernels. Some kernels
load states, which an earlier step wrote, before their `wait`. They need a kernel ahead of them that
launches the next one after its own `wait` (late launch): then all writes before that kernel are
visible when they start.

This module needs Triton, so other modules import it only where Triton serves.
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

PDL_MIN_CAPABILITY = 9
"""First major compute capability with PDL: Hopper."""


CACHE_LINE_BYTES = 128
"""Bytes that one prefetch loads."""


def pdl_options(like: Tensor) -> dict[str, Any]:
    """Launch options of a kernel that calls `wait`, on the device of a tensor."""
    if INTERPRETED or not like.is_cuda or not _supports_pdl(like.device):
        return {"PDL": False}
    return {"PDL": True, "launch_pdl": True}


def prefetch_options(weights: Tensor) -> dict[str, int]:
    """Constants of `prefetch`: elements of a cache line, and cache lines of a row."""
    line = CACHE_LINE_BYTES // weights.itemsize
    return {"LINE": line, "LINES": triton.next_power_of_2(triton.cdiv(weights.shape[1], line))}


@cache
def _supports_pdl(device: torch.device) -> bool:
    major, _ = torch.cuda.get_device_capability(device)
    return torch.version.hip is None and major >= PDL_MIN_CAPABILITY


@triton.jit
def launch_next(PDL: tl.constexpr):
    """Let the next kernel start when all programs of this one have called this."""
    if PDL:
        gdc_launch_dependents()


@triton.jit
def wait(PDL: tl.constexpr):
    """Wait until all writes of earlier kernels are visible."""
    if PDL:
        gdc_wait()


@triton.jit
def prefetch(
    weight_ptr, n, N, D: tl.constexpr, LINE: tl.constexpr, LINES: tl.constexpr, PDL: tl.constexpr
):  # fmt: skip
    """Prefetch rows n of weights (N, D) into the L2 cache, before the `wait`."""
    if PDL:
        column = tl.arange(0, LINES)[None, :] * LINE
        row = tl.minimum(n, N - 1)[:, None]
        tl.inline_asm_elementwise(
            "prefetch.global.L2 [$1]; mov.b32 $0, 0;", "=r,l",
            [weight_ptr + row * D + tl.minimum(column, D - 1)],
            dtype=tl.int32, is_pure=False, pack=1,
        )  # fmt: skip
