"""The pool of random matrices: heads draw from it at every training update; evaluation is fixed.

P matrices in the pool, H heads, K projections, E head size.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from longways.errors import ConfigError


class MatrixPool(nn.Module):
    """P standard normal matrices, and the matrix that each layer and head uses at present.

    The draws come from a counter-based generator: the draw of update u depends on the seed and on u
    alone. So a resumed run and every rank draw the same matrices, without any stored state and
    without a transfer from the device.
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
        """Draw the matrices of this update (1, 2, ...), a distinct one for each layer and head."""
        rng = np.random.Generator(np.random.Philox(key=self.seed, counter=[0, 0, 0, update]))
        layers, heads = self.drawn.shape
        chosen = torch.from_numpy(
            rng.choice(len(self.matrices), size=(layers, heads), replace=False)
        )
        if self.drawn.is_cuda:
            chosen = chosen.pin_memory()  # makes the copy asynchronous
        self.drawn.copy_(chosen, non_blocking=True)

    def forward(self, layer: int) -> Tensor:
        """W (H, K, E) for this layer: the last draw in training, matrix h for head h otherwise.

        Before the first `redraw` both are equal, so a model that never redraws is evaluated with
        the matrices of its training.
        """
        heads = self.drawn.shape[1]
        return self.matrices[self.drawn[layer]] if self.training else self.matrices[:heads]


def _independent(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    return rng.standard_normal((rows, columns))


def _orthogonal(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float64]:
    """Rows that are orthogonal in blocks, with the norms of independent normal rows."""
    blocks = [
        np.linalg.qr(rng.standard_normal((columns, columns)))[0].T
        for _ in range(-(-rows // columns))
    ]
    lengths = np.linalg.norm(rng.standard_normal((rows, columns)), axis=1, keepdims=True)
    return np.asarray(np.concatenate(blocks)[:rows] * lengths)
