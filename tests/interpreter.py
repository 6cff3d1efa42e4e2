"""A process of its own in which Triton's kernels are interpreted on the CPU, as plain Python.

Triton decides when a kernel is defined whether it will be interpreted. Here that is decided for
one other process, so that the kernels of this one stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any

import pytest
import torch


@pytest.fixture(scope="session")
def interpreted() -> Iterator[Callable[..., Any]]:
    """`interpreted(function, *args)`: what a module's function returns over there."""
    if find_spec("triton") is None:
        pytest.skip("needs Triton")
    with ProcessPoolExecutor(1, get_context("spawn"), _prepare) as process:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TRITON_INTERPRET", "1")
            process.submit(torch.get_num_threads).result()  # starts the process
        yield lambda function, *args: process.submit(function, *args).result()


def _prepare() -> None:
    """One thread, and scalars that can be read: int(array of one) is an error since NumPy 2.4."""
    from triton.runtime import interpreter

    torch.set_num_threads(1)
    patch_tensor = interpreter._patch_lang_tensor

    def patch_tensor_and_index(tensor: Any, scope: Any) -> None:
        patch_tensor(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: self.handle.data.item())

    interpreter._patch_lang_tensor = patch_tensor_and_index
