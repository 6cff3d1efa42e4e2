"""Causal attention in exported graphs.

B windows, R rows, T tokens of a row, H heads, D features, E head size, d = H E model size, N tokens
in a cache, P inputs of a head's feature map (E, or K if the projection is folded in).
"""

from __future__ import annotations

from typing import Protocol

from torch import Tensor

from longways.attention.layers import CausalRFA, CausalSoftmax
from longways.export.graph_builder import INT32, Graph, Value
from longways.export.parts.features import feature_graph
from longways.export.parts.gates import LOG_ZERO, Gates, linear_attention
from longways.export.parts.rows import Rows, new_state, past_state
from longways.export.parts.softmax import softmax_attention
from longways.export.weights import AnyLinear, Linear, Weights, join


class Causal(Protocol):
    """The causal attention of all decoder layers of a graph."""

    def read(self, x: Value, index: int) -> Value:
        """The attention of a layer for x (B, T', d), before its output projection."""

    def finish(self) -> None:
        """Add the outputs of the state that all layers share."""


class CausalRFAs:
    """Causal RFA: sums of fixed size, which one fused operator updates and reads."""

    def __init__(
        self,
        graph: Graph,
        weights: Weights,
        layers: list[CausalRFA],
        W: Tensor | None,
        tokens: tuple[Value, Value],
        sep: int,
    ) -> None:
        self.graph, self.weights, self.layers = graph, weights, layers
        self.maps = [feature_graph(graph, layer.phi, W) for layer in layers]
        first, count = layers[0], len(layers)
        self.heads, self.dim, self.features = first.heads, first.o.in_features, first.phi.features
        self.head_dim = self.dim // self.heads
        self.S_sizes = self.heads, self.features, self.head_dim
        self.z_sizes = self.heads, self.features, 1
        self.S = [past_state(graph, f"S.{i}", *self.S_sizes) for i in range(count)]
        self.z = [past_state(graph, f"z.{i}", *self.z_sizes) for i in range(count)]
        self.rows = Rows(graph, *tokens, self.S[0])
        self.ones = self.rows.filled(1.0, self.heads)
        reset = self.rows.where(self.rows.positions, 0, LOG_ZERO)
        self.reset = self.rows.expand(reset, self.heads)
        gated = first.gate != "none"
        self.gates = Gates(graph, self.rows, count, self.heads, sep) if gated else None

    def read(self, x: Value, index: int) -> Value:
        """Update the sums, read them, and divide by the norm."""
        graph, layer, log_keep = self.graph, self.layers[index], self.reset
        qk, v, *closing = self._project(x, index)
        phi_q, phi_k = self._features(qk, index)
        if self.gates:
            log_keep = graph.op("Add", log_keep, self.gates.log_keep(closing[0]))
        if self.gates and layer.gate == "average":
            phi_k = self._weigh(phi_k, self.gates.write(closing[0], index))
        out, S = self._attend(phi_q, phi_k, v, self.S[index], log_keep)
        norm, z = self._attend(phi_q, phi_k, self.ones, self.z[index], log_keep)
        new_state(graph, f"S.{index}", S, *self.S_sizes)
        new_state(graph, f"z.{index}", z, *self.z_sizes)
        graph.in_place += [f"S.{index}", f"z.{index}"]
        return self._divide(out, norm, index)

    def finish(self) -> None:
        """Add the output of the gates."""
        if self.gates:
            self.gates.finish()

    def _attend(
        self, q: Value, k: Value, v: Value, before: Value, log_keep: Value
    ) -> tuple[Value, Value]:
        return linear_attention(self.graph, self.heads, q, k, v, before, log_keep)

    def _project(self, x: Value, index: int) -> list[Value]:
        """Inputs of the feature map (R, T, 2 H P), values (R, T, d), and -f (R, T, H) if gated."""
        layer, phi = self.layers[index], self.maps[index]
        linears: list[AnyLinear] = [phi.fold_into(layer.q), phi.fold_into(layer.k), layer.v]
        sizes = [2 * phi.width, self.dim]
        if self.gates:
            linears.append(Linear(-layer.f.weight, -layer.f.bias))
            sizes.append(self.heads)
        joined = self.weights.multiply(self.graph, x, *join(*linears))
        return self.graph.split(self.rows.to_rows(joined, sum(sizes)), sizes)

    def _features(self, qk: Value, index: int) -> list[Value]:
        """phi_q and phi_k, each (R, T, H D)."""
        width = self.heads * self.features
        return self.graph.split(self.maps[index].of_rows(qk, self.rows), [width, width])

    def _weigh(self, phi_k: Value, write: Value) -> Value:
        graph = self.graph
        heads = graph.reshape(phi_k, 0, 0, self.heads, self.features)
        weighed = graph.op("Mul", heads, graph.reshape(write, 0, 0, self.heads, 1))
        return self.rows.to_rows(weighed, self.heads * self.features)

    def _divide(self, out: Value, norm: Value, index: int) -> Value:
        """Out (R, T, d) divided by the norms (R, T, H), which are at least the floor."""
        graph, floor = self.graph, self.graph.number(self.maps[index].floor)
        norm = graph.op("Max", graph.reshape(norm, 0, 0, self.heads, 1), floor)
        heads = graph.reshape(out, 0, 0, self.heads, self.head_dim)
        return self.rows.to_windows(graph.op("Div", heads, norm), self.dim)


class CausalSoftmaxes:
    """Causal softmax attention: a KV cache that grows with each token, and its padding mask."""

    def __init__(
        self,
        graph: Graph,
        weights: Weights,
        layers: list[CausalSoftmax],
        tokens: tuple[Value, Value],
        pad: int,
    ) -> None:
        self.graph, self.weights, self.layers = graph, weights, layers
        self.heads, self.dim = layers[0].heads, layers[0].o.in_features
        before = past_state(graph, "padding", "read")  # (R, N)  1 where a token is padding
        self.rows = Rows(graph, *tokens, before)
        here = graph.reshape(self.rows.where(self.rows.tokens, pad, 1.0), 0, 0)
        self.padding = graph.op("Concat", before, here, axis=1)
        real = graph.op("Sub", graph.number(1), self.padding)
        self.real = graph.op("Cast", real, to=INT32)

    def read(self, x: Value, index: int) -> Value:
        """Append to the cache, then attend to it."""
        graph, layer, sizes = self.graph, self.layers[index], [self.dim] * 3
        joined = self.weights.multiply(graph, x, *join(layer.q, layer.k, layer.v))
        q, k, v = graph.split(self.rows.to_rows(joined, sum(sizes)), sizes)
        cache = self.heads, "read", self.dim // self.heads
        cached = [past_state(graph, f"{name}.{index}", *cache) for name in ("keys", "values")]
        out, *kept = softmax_attention(graph, self.heads, q, k, v, self.real, cached)
        for name, value in zip(("keys", "values"), kept, strict=True):
            new_state(graph, f"{name}.{index}", value, self.heads, "held", self.dim // self.heads)
        return self.rows.to_windows(out, self.dim)

    def finish(self) -> None:
        """Add the output of the padding mask."""
        new_state(self.graph, "padding", self.padding, "held")
