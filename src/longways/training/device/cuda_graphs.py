"""CUDA graphs: a function is captured once for each shape of its inputs, then replayed.

A training step launches thousands of small kernels; replaying them as one graph is a single call.
All other tensors that the function reads or writes must keep their memory addresses.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Shapes = tuple[torch.Size, ...]


class CapturedFunction:
    """A function of tensors without a result, run as CUDA graphs.

    The first call with new shapes runs the function eagerly, which also warms it up, and captures
    it for later calls. Random numbers depend on the generator's seed at the time of each call.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function
        self._captured: dict[Shapes, tuple[torch.cuda.CUDAGraph, list[Tensor]]] = {}
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, *arguments: Tensor) -> None:
        """Call the function."""
        shapes = tuple(argument.shape for argument in arguments)
        if shapes not in self._captured:
            self._run(arguments)
            self._captured[shapes] = self._capture(arguments)
            return
        graph, inputs = self._captured[shapes]
        for buffer, argument in zip(inputs, arguments, strict=True):
            buffer.copy_(argument)
        graph.replay()

    def _run(self, arguments: tuple[Tensor, ...]) -> None:
        """Run the function eagerly on a side stream, which capturing requires."""
        main, side = torch.cuda.current_stream(), torch.cuda.Stream()
        side.wait_stream(main)
        with torch.cuda.stream(side):
            self._function(*arguments)
        main.wait_stream(side)

    def _capture(self, arguments: tuple[Tensor, ...]) -> tuple[torch.cuda.CUDAGraph, list[Tensor]]:
        """Capture the graph and its input buffers, without computing anything."""
        torch.cuda.synchronize()
        inputs, graph = [argument.clone() for argument in arguments], torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self._function(*inputs)
        return graph, inputs
