"""Kernels compiled for a GPU that is not here.

The interpreter says whether a kernel is right, but not whether Triton can compile it: that depends
on its sizes. Its compiler needs no GPU, so whatever a call would launch is compiled instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.jit import JITFunction

HOPPER = GPUTarget("cuda", 90, 32)

TYPES = {
    torch.bfloat16: "*bf16",
    torch.float16: "*fp16",
    torch.float32: "*fp32",
    torch.float64: "*fp64",
    torch.int32: "*i32",
    torch.int64: "*i64",
    torch.bool: "*i1",
}

PDL_OPTIONS = {"PDL": True, "launch_pdl": True}
"""Launch options on Hopper; `pdl_options` returns others for tensors on a CPU."""


@contextmanager
def compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Compile every kernel instead of launching it; their names come one by one."""
    names: list[str] = []

    def run(kernel: Any, *args: Any, **kwargs: Any) -> None:
        kwargs = {name: one for name, one in kwargs.items() if name not in ("grid", "warmup")}
        options = PDL_OPTIONS if "PDL" in kernel.arg_names else {}
        compile_kernel(kernel, args, kwargs | options)
        names.append(kernel.__name__)

    with monkeypatch.context() as patch:
        patch.setattr(JITFunction, "run", run)
        yield names


def compile_kernel(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The kernel for arguments like these, as a launch would specialise it."""
    given = dict(zip(kernel.arg_names, args, strict=False))
    given |= {name: kwargs.pop(name) for name in kernel.arg_names if name in kwargs}
    signature, constants, attributes = {}, {}, {}
    for place, parameter in enumerate(kernel.params):
        value = given[parameter.name]
        kind = _kind(value) if not parameter.is_constexpr else "constexpr"
        special = not parameter.do_not_specialize
        if kind != "constexpr" and isinstance(value, int) and value == 1 and special:
            kind = "constexpr"
        signature[parameter.name] = kind
        if kind == "constexpr":
            constants[(place,)] = value
        elif special and (isinstance(value, torch.Tensor) or value % 16 == 0):
            attributes[(place,)] = [["tt.divisibility", 16]]
    source = ASTSource(kernel, signature, constants, attributes)
    return triton.compile(source, target=HOPPER, options=kwargs)


def _kind(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return TYPES[value.dtype]
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if abs(value) < 2**31 else "i64"
    return "fp32" if isinstance(value, float) else "constexpr"
