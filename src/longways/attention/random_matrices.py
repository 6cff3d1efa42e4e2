"""The pool of random matrices: redrawn at every update in training, fixed in evaluation.

P matrices in the pool, H heads, K projections, E head size.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from longways.errors import ConfigError


class MatrixPool(nn.Module):
    """P standard normal matrices, and which of them each layer and head uses now.

    The draws come from a counter-based generator: what update u draws depends on the seed and on u
    alone. The generator has no other state, so a run that resumes at u, or another rank that is
    there too, draws the very same matrices, and the host need not ask the device for anything.
    """

    matrices: Tensor  # (P, K, E)
    drawn: Tensor  # (layers, H)

    def __init__(
        self,
        *,
        layers: int,
        heads: int,
        projection: int,
        head_dim: int,
        size: int,
        seed: int,
        orthogonal: bool,
    ) -> None:
        super().__init__()
        if size < layers * heads:
            raise ConfigError(
                f"The pool has {size} random matrices, but {layers} layers of {heads} heads draw "
                f"{layers * heads} without replacement. Set pool to that or more; the paper: 500."
            )
        self.seed = seed
        rng = np.random.Generator(np.random.Philox(key=seed))
        draw = _orthogonal if orthogonal else _independent
        matrices = np.stack([draw(rng, projection, head_dim) for _ in range(size)])
        self.register_buffer("matrices", torch.from_numpy(matrices).float())
        self.register_buffer("drawn", torch.arange(heads).repeat(layers, 1))

    def redraw(self, update: int) -> None:
        """Give every layer and head the matrices of this update (1, 2, ...), all different."""
        rng = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, update]))
        layers, heads = self.drawn.shape
        chosen = torch.from_numpy(
            rng.choice(len(self.matrices), size=(layers, heads), replace=False)
        )
        if self.drawn.is_cuda:
            chosen = chosen.pin_memory()  # so that the host need not wait
        self.drawn.copy_(chosen, non_blocking=True)

    def forward(self, layer: int) -> Tensor:
        """W (H, K, E) for this layer: the last drawn in training, matrix h for head h otherwise.

        Before the first `redraw` both are the same, so a model whose matrices are never redrawn
        trains on the ones it is evaluated with.
        """
        heads = self.drawn.shape[1]
        return self.matrices[self.drawn[layer]] if self.training else self.matrices[:heads]


def _independent(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    return rng.standard_normal((rows, columns))


def _orthogonal(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    """Rows that are orthogonal in blocks and as long as independent normal rows would be."""
    blocks = [
        np.linalg.qr(rng.standard_normal((columns, columns)))[0].T
        for _ in range(-(-rows // columns))
    ]
    lengths = np.linalg.norm(rng.standard_normal((rows, columns)), axis=1, keepdims=True)
    return np.asarray(np.concatenate(blocks)[:rows] * lengths)
