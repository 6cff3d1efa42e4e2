"""The residual stream of the encoder or decoder in exported graphs.

B windows, T tokens, d model size.
"""

from __future__ import annotations

from collections.abc import Sequence

from torch import nn

from longways.export.graph_builder import Graph, Value
from longways.export.weights import Weights, array
from longways.model.sublayer import FeedForward


def _gelu(graph: Graph, x: Value, bias: Value) -> Value:
    return graph.op("BiasGelu", x, bias)


def _relu(graph: Graph, x: Value, bias: Value) -> Value:
    return graph.op("Relu", graph.op("Add", x, bias))


def _swish(graph: Graph, x: Value, bias: Value) -> Value:
    return graph.op("QuickGelu", graph.op("Add", x, bias), alpha=1.0)


_ACTIVATIONS = {"gelu": _gelu, "relu": _relu, "swish": _swish}
"""The operators of an activation after a bias; QuickGelu is x sigmoid(alpha x)."""


class Residuals:
    """The residual stream x, and `entered`, the input of the next sublayer.

    With pre-norm, `entered` is x after the norm of that sublayer. With post-norm, it is x itself,
    which is already normalised.
    """

    def __init__(
        self, graph: Graph, weights: Weights, x: Value, norms: Sequence[nn.Module], final: nn.Module
    ) -> None:
        self.graph, self.weights, self.x, self.entered = graph, weights, x, x
        self.pre = isinstance(final, nn.LayerNorm)
        self._norms = iter([*norms, final] if self.pre else norms)
        if self.pre:
            scale, shift, settings = self._norm()
            self.entered = graph.op("LayerNormalization", x, scale, shift, axis=-1, **settings)

    def add(self, hidden: Value, output: nn.Linear) -> None:
        """Add a sublayer's hidden vectors, after its output projection, to the stream."""
        update = self.weights.multiply(self.graph, hidden, array(output.weight), None)
        total = self.graph.op("Sum", self.x, update, self.graph.constant(array(output.bias)))
        scale, shift, settings = self._norm()
        self.entered = self.graph.op("LayerNormalization", total, scale, shift, axis=-1, **settings)
        self.x = total if self.pre else self.entered

    def feed_forward(self, layer: FeedForward) -> None:
        """Add a feed-forward sublayer."""
        wide = self.weights.multiply(self.graph, self.entered, array(layer.wide.weight), None)
        bias = self.graph.constant(array(layer.wide.bias))
        self.add(_ACTIVATIONS[layer.activation](self.graph, wide, bias), layer.narrow)

    def _norm(self) -> tuple[Value, Value, dict[str, float]]:
        norm = next(self._norms)
        assert isinstance(norm, nn.LayerNorm)
        scale, shift = (self.graph.constant(array(p)) for p in (norm.weight, norm.bias))
        return scale, shift, {"epsilon": norm.eps}
