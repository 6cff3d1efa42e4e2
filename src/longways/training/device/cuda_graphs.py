"""CUDA graphs: a function recorded once for each shape of its inputs, then replayed.

A training step launches thousands of small kernels; replaying them as one graph costs the host one
call. What the function reads and writes besides its arguments must stay where it is in memory.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Shapes = tuple[torch.Size, ...]


class Graphs:
    """A function of tensors without a result, run as CUDA graphs.

    The first call with new shapes runs the function as it is, which also warms it up, and records
    it for the calls to come. Random numbers follow the generator's seed at the time of each call.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function
        self._recorded: dict[Shapes, tuple[torch.cuda.CUDAGraph, list[Tensor]]] = {}
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, *arguments: Tensor) -> None:
        """Call the function."""
        shapes = tuple(argument.shape for argument in arguments)
        if shapes not in self._recorded:
            self._run(arguments)
            self._recorded[shapes] = self._record(arguments)
            return
        graph, places = self._recorded[shapes]
        for place, argument in zip(places, arguments, strict=True):
            place.copy_(argument)
        graph.replay()

    def _run(self, arguments: tuple[Tensor, ...]) -> None:
        """The function itself, on a stream of its own, as recording asks for."""
        here, aside = torch.cuda.current_stream(), torch.cuda.Stream()
        aside.wait_stream(here)
        with torch.cuda.stream(aside):
            self._function(*arguments)
        here.wait_stream(aside)

    def _record(self, arguments: tuple[Tensor, ...]) -> tuple[torch.cuda.CUDAGraph, list[Tensor]]:
        """The graph, and the tensors that it reads its arguments from; nothing is computed."""
        torch.cuda.synchronize()
        places, graph = [argument.clone() for argument in arguments], torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=self._pool):
            self._function(*places)
        return graph, places
