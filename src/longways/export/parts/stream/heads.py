"""The linear maps of stream attention, divided into sentence heads and document heads.

B windows, N tokens, H heads, of them the last d are document heads; D features, E head size, P
inputs of a head's feature map.
"""

from __future__ import annotations

from torch import nn

from longways.attention.stream.heads import StreamHeads
from longways.export.graph_builder import Graph, Value
from longways.export.parts.features import feature_graph
from longways.export.weights import AnyLinear, Linear


class HeadGroups:
    """The sentence heads and the document heads of one attention layer."""

    def __init__(self, graph: Graph, layer: StreamHeads) -> None:
        self.graph, self.layer = graph, layer
        self.phi = feature_graph(graph, layer.phi, None)
        self.heads, self.near_heads = layer.document_heads, layer.sentence_heads
        self.head_dim = layer.o.in_features // layer.heads
        self.near_dim = self.near_heads * self.head_dim
        self.far_dim = self.heads * self.head_dim

    @property
    def features_count(self) -> int:
        """D, the features of a document head."""
        return self.layer.phi.features

    def near(self, linear: nn.Linear) -> nn.Linear:
        """The linear map of the sentence heads."""
        return _rows(linear, slice(self.near_dim))

    def far(self, linear: nn.Linear) -> nn.Linear:
        """The linear map of the document heads."""
        return _rows(linear, slice(self.near_dim, None))

    def features(self, linear: nn.Linear) -> AnyLinear:
        """The linear map of the document heads' queries or keys, with the projection of phi."""
        return self.phi.fold_into(self.far(linear))

    def of_queries(self) -> list[AnyLinear]:
        """The maps of queries: sentence heads, features."""
        return [self.near(self.layer.q), self.features(self.layer.q)]

    def of_source(self) -> list[AnyLinear]:
        """The maps of keys and values: k and v of sentence heads, features of k, v, the gate."""
        k, v = self.layer.k, self.layer.v
        gate = [] if self.layer.gate == "none" else [Linear(self.layer.f.weight, self.layer.f.bias)]
        return [self.near(k), self.near(v), self.features(k), self.far(v), *gate]

    def split(self, x: Value) -> Value:
        """(B, N, d E) -> (B, d, N, E)."""
        by_head = self.graph.reshape(x, 0, 0, self.heads, self.head_dim)
        return self.graph.op("Transpose", by_head, perm=[0, 2, 1, 3])

    def phi_of(self, x: Value) -> Value:
        """The features of a linear map's result: (B, N, d P) -> (B, d, N, D)."""
        return self.phi.of_windows(x, x)


def read_sums(groups: HeadGroups, phi: Value, S: Value, z: Value) -> Value:
    """phi S / phi . z, with the norm at least at its floor; phi (..., T, D), S (..., D, E)."""
    graph = groups.graph
    norm = graph.op("ReduceSum", graph.op("Mul", phi, z), graph.constant([-1]))
    norm = graph.op("Max", norm, graph.number(groups.phi.floor))
    return graph.op("Div", graph.op("MatMul", phi, S), norm)


def widths(linears: list[AnyLinear]) -> list[int]:
    """The number of outputs of each linear map."""
    return [len(linear.bias) for linear in linears]


def _rows(linear: nn.Linear, rows: slice) -> nn.Linear:
    """Some outputs of a linear map."""
    weight, bias = linear.weight[rows], linear.bias[rows]
    part: nn.Linear = nn.utils.skip_init(nn.Linear, weight.shape[1], weight.shape[0])
    part.weight, part.bias = nn.Parameter(weight), nn.Parameter(bias)
    return part
