"""What a sentence of the source adds to the sums of document heads, and the gates between them.

B documents, N source tokens, L layers of encoder and cross attention together, d document heads, D
features, E head size.

The carried gates are stored as 1 - keep and 1 - write, so that the state before the first sentence
is zeros. A sentence ends with its separator, whose gate acts on the sums before the next sentence.
The last sentence of a window ends with `<eos>`, which leaves the gate open.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from longways.export.graph_builder import BOOL, FLOAT, Graph, Value
from longways.export.parts.rows import new_state, past_state
from longways.model.config import ModelConfig

CLOSED, UNWRITTEN = "source_closed", "source_unwritten"
"""The names of the carried gates: 1 - keep and 1 - write."""


_GATES = {"none": (), "decay": (CLOSED,), "average": (CLOSED, UNWRITTEN)}
"""The carried gates of each kind of gate."""


class Sums(NamedTuple):
    """The sums of one layer after a sentence."""

    S: Value  # (B, d, D, E)
    z: Value  # (B, d, 1, D)


class SourceSums:
    """The document heads' sums over the source, and their gates, of all layers."""

    def __init__(self, graph: Graph, config: ModelConfig, source: Value, real: Value) -> None:
        self.graph, self.heads, self.gate = graph, config.stream.heads, config.stream.gate
        self.layers = config.encoder_layers + config.decoder_layers
        ends = graph.op("Equal", source, graph.constant(np.array(config.sep)))  # (B, N)
        self._ends = graph.op("Unsqueeze", ends, graph.constant([2]))
        by_key = graph.op("Unsqueeze", real, graph.constant([1, 3]))  # (B, 1, N, 1)
        self._real = graph.op("Cast", by_key, to=FLOAT)
        self._past = {name: past_state(graph, name, self.width) for name in _GATES[self.gate]}
        self._shares = {name: self._per_layer(past) for name, past in self._past.items()}
        self._raw: list[Value] = []
        """The gate's input at the end of the sentence, (B, d) of each layer that was added."""

    @property
    def width(self) -> int:
        """The number of gates of a document."""
        return self.layers * self.heads

    def add(self, name: str, phi: Value, v: Value, f: list[Value], features: int, dim: int) -> Sums:
        """Add a sentence to the sums of the next layer, which `name` names as in `encoder_{}.0`.

        phi is (B, d, N, D), v (B, d, N, E); f has the gate's input (B, N, d) if there is a gate.
        """
        graph, index, weights = self.graph, len(self._raw), self._real
        self._raw.append(self._at_end(f[0]) if f else "")
        if self.gate == "average":
            weights = graph.op("Mul", weights, self._shares[UNWRITTEN][index])
        as_row = graph.op("Transpose", weights, perm=[0, 1, 3, 2])
        added_S = graph.op("FusedMatMul", phi, graph.op("Mul", v, weights), transA=1)
        added_z = graph.op("MatMul", as_row, phi)
        S = self._fade(name.format("sums"), added_S, index, features, dim)
        return Sums(S, self._fade(name.format("norms"), added_z, index, 1, features))

    def stored(self, value: Value) -> Value:
        """Sums (B, d, ...) as they are carried: (B, 1, d, ...), to be broadcast over tokens."""
        return self.graph.op("Unsqueeze", value, self.graph.constant([1]))

    def finish(self) -> None:
        """Add the outputs of the gates after the sentence."""
        if not self._past:
            return
        graph, axis = self.graph, self.graph.constant([1])
        f = graph.op("Sigmoid", graph.op("Concat", *self._raw, axis=1))  # (B, L d)
        ended = graph.op("ReduceMax", graph.op("Cast", self._ends, to=FLOAT), axis, keepdims=0)
        after = {CLOSED: graph.op("Mul", graph.op("Sub", graph.number(1), f), ended)}
        if UNWRITTEN in self._past:
            has_ended = graph.op("Cast", ended, to=BOOL)
            after[UNWRITTEN] = graph.op("Where", has_ended, f, self._past[UNWRITTEN])
        for name, value in after.items():
            new_state(graph, name, value, self.width)

    def _fade(self, name: str, added: Value, index: int, *sizes: int) -> Value:
        """keep * past + added; the past is an input of the graph."""
        past = past_state(self.graph, name, 1, self.heads, *sizes)
        past = self.graph.reshape(past, 0, self.heads, *sizes)
        if self._past:
            past = self.graph.op("Mul", past, self._shares[CLOSED][index])
        return self.graph.op("Add", past, added)

    def _at_end(self, f: Value) -> Value:
        """f (B, N, d) at the separator, (B, d); 0 without one."""
        there = self.graph.op("Where", self._ends, f, self.graph.number(0))
        return self.graph.op("ReduceSum", there, self.graph.constant([1]), keepdims=0)

    def _per_layer(self, past: Value) -> list[Value]:
        """1 - past as factors (B, d, 1, 1) of each layer."""
        share = self.graph.op("Sub", self.graph.number(1), past)
        parts = self.graph.split(share, [self.heads] * self.layers)
        return [self.graph.reshape(part, 0, self.heads, 1, 1) for part in parts]
