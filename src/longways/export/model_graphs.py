"""The graphs of a model: one encodes, one decodes (prefix, step and score alike), one aligns.

B windows, N source tokens, R rows of the state, T target tokens, C candidates, V words, d model
size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
import onnx
from torch import Tensor, nn

from longways.attention.layers import CausalRFA, CausalSoftmax, CrossRFA, CrossSoftmax
from longways.decoding.runtime import FORBIDDEN
from longways.export.constants import Constants
from longways.export.graph_builder import BOOL, INT32, Graph, Value
from longways.export.parts.causal import Causal, CausalRFAs, CausalSoftmaxes
from longways.export.parts.cross import Cross, CrossRFAs, CrossSoftmaxes
from longways.export.parts.embedding import embed, places
from longways.export.parts.residual import Residuals
from longways.export.parts.softmax import softmax_attention
from longways.export.weights import Weights, array, join
from longways.model.decoder import Decoder, DecoderLayer
from longways.model.encoder import EncoderLayer
from longways.model.translation import TranslationModel


def encoder_graph(
    model: TranslationModel, weights: Weights, constants: Constants
) -> onnx.ModelProto:
    """source (B, N), padded at the end -> what every decoder layer remembers of it."""
    graph = Graph("encoder", constants)
    cross = _cross(graph, weights, model.decoder)
    _encode(graph, weights, model, cross)
    cross.give()
    return graph.model()


def decoder_graph(
    model: TranslationModel, weights: Weights, constants: Constants
) -> onnx.ModelProto:
    """Tokens (B, T) at positions (B, T), read into the state; candidates for what comes after.

    The state has a row for each window, or for each token: then every token is a beam. Logits are
    made from the `first` token on. `scores` and `ids` (B, T - first, C) are the likeliest next
    tokens, `given` (B, T - first, W) the log-probabilities of those in `wanted`.
    """
    graph = Graph("decoder", constants)
    cross = _cross(graph, weights, model.decoder)
    cross.take()
    hidden = _decode(graph, weights, model, cross)
    _choose(graph, weights, model.decoder, hidden)
    return graph.model()


def alignment_graph(
    model: TranslationModel, weights: Weights, constants: Constants
) -> onnx.ModelProto:
    """Source (B, N) and tokens (B, T) at positions (B, T), from no state -> shares (B, T, N).

    As `longways.model.alignment` has them: the mean over all heads of all layers.
    """
    graph, looks = Graph("alignment", constants), list[Value]()
    cross = _cross(graph, weights, model.decoder)
    _encode(graph, weights, model, cross)

    def look(x: Value, index: int) -> None:
        looks.append(
            graph.op("ReduceMean", cross.shares(x, index), graph.constant([1]), keepdims=0)
        )

    _decode(graph, weights, model, cross, look)
    positive = graph.op("Relu", graph.op("Mean", *looks))
    total = graph.op("ReduceSum", positive, graph.constant([-1]))
    least = graph.number(float(np.finfo(np.float32).tiny))
    shares = graph.op("Div", positive, graph.op("Max", total, least))
    graph.output("shares", shares, np.float32, ["windows", "tokens", "source"])
    return graph.model()


def _encode(graph: Graph, weights: Weights, model: TranslationModel, cross: Cross) -> None:
    """Read the source into the memory of cross attention."""
    encoder, config, weights = model.encoder, model.config, weights.for_many_rows()
    source = graph.input("source", np.int64, ["windows", "source"])
    real = graph.op("Cast", graph.op("Sub", source, graph.constant(np.array(config.pad))), to=BOOL)
    real = graph.op("Cast", real, to=INT32)
    lengths = graph.op("ReduceSum", real, graph.constant([1]), keepdims=0)
    x = embed(graph, weights, encoder.embedding, source, places(graph, source))
    layers = [cast(EncoderLayer, layer) for layer in encoder.layers]
    norms = [n.norm for layer in layers for n in (layer.residual, layer.feed_forward.residual)]
    stream = Residuals(graph, weights, x, norms, encoder.norm)
    for layer in layers:
        own = layer.attention
        together = weights.multiply(graph, stream.entered, *join(own.q, own.k, own.v))
        q, k, v = graph.split(together, [config.dim] * 3)
        stream.add(softmax_attention(graph, config.heads, q, k, v, lengths)[0], own.o)
        stream.feed_forward(layer.feed_forward)
    _remember(graph, weights, model.decoder, cross, stream.entered, lengths)


def _remember(
    graph: Graph, weights: Weights, decoder: Decoder, cross: Cross, source: Value, lengths: Value
) -> None:
    """Keys and values of all layers in one product, then what each makes of its own."""
    linears = [
        linear
        for index, layer in enumerate(_layers(decoder))
        for linear in (cross.enter(index, layer.cross.k), layer.cross.v)
    ]
    together = weights.multiply(graph, source, *join(*linears))
    parts = graph.split(together, [len(linear.bias) for linear in linears])
    for index, (k, v) in enumerate(zip(parts[::2], parts[1::2], strict=True)):
        cross.remember(index, k, v, lengths)


def _decode(
    graph: Graph,
    weights: Weights,
    model: TranslationModel,
    cross: Cross,
    look: Callable[[Value, int], None] | None = None,
) -> Value:
    """Tokens to vectors (B, T, d); `look` is shown what each layer's cross attention sees."""
    tokens = graph.input("tokens", np.int64, ["windows", "tokens"])
    positions = graph.input("positions", np.int64, ["windows", "tokens"])
    causal = _causal(graph, weights, model, (tokens, positions))
    layers = _layers(model.decoder)
    x = embed(graph, weights, model.decoder.embedding, tokens, positions)
    norms = [norm for layer in layers for norm in _norms(layer)]
    stream = Residuals(graph, weights, x, norms, model.decoder.norm)
    for index, layer in enumerate(layers):
        stream.add(causal.read(stream.entered, index), layer.causal.o)
        if look:
            look(stream.entered, index)
        stream.add(cross.read(stream.entered, index), layer.cross.o)
        stream.feed_forward(layer.feed_forward)
    causal.finish()
    return stream.entered


def _choose(graph: Graph, weights: Weights, decoder: Decoder, hidden: Value) -> None:
    """Log-probabilities, the best of those allowed, and those wanted."""
    first = graph.input("first", np.int64, [1])
    candidates = graph.input("candidates", np.int64, [1])
    wanted = graph.input("wanted", np.int64, ["windows", "asked", "wanted"])
    end, axis = graph.constant([np.iinfo(np.int64).max]), graph.constant([1])
    table = array(decoder.embedding.tokens.weight)
    logits = weights.words(graph, graph.op("Slice", hidden, first, end, axis), table)
    scores = graph.op("LogSoftmax", logits, axis=-1)
    values, ids = _best_allowed(graph, scores, candidates, len(table))
    shape = ["windows", "asked", "candidates"]
    graph.output("scores", values, np.float32, shape)
    graph.output("ids", ids, np.int64, shape)
    given = graph.op("GatherElements", scores, wanted, axis=2)
    graph.output("given", given, np.float32, ["windows", "asked", "wanted"])


def _best_allowed(graph: Graph, scores: Value, candidates: Value, words: int) -> list[Value]:
    """The best candidates and their ids, `FORBIDDEN` ones with minus infinity.

    Chosen from a few more than are wanted: they are crossed out there, not among all words.
    """
    allowed = np.zeros(words, dtype=np.float32)
    allowed[[token for token in FORBIDDEN if token < words]] = -np.inf
    more = graph.op("Add", candidates, graph.constant([len(FORBIDDEN)]))
    most = graph.op("Min", more, graph.constant([words]))
    values, ids = graph.ops("TopK", scores, most, count=2)
    values = graph.op("Add", values, graph.op("Gather", graph.constant(allowed), ids))
    best, places = graph.ops("TopK", values, candidates, count=2)
    return [best, graph.op("GatherElements", ids, places, axis=2)]


def _causal(
    graph: Graph, weights: Weights, model: TranslationModel, tokens: tuple[Value, Value]
) -> Causal:
    layers = [layer.causal for layer in _layers(model.decoder)]
    if isinstance(layers[0], CausalRFA):
        W = _matrices(model.decoder, "causal")
        rfas = cast(list[CausalRFA], layers)
        return CausalRFAs(graph, weights, rfas, W, tokens, model.config.sep)
    softmaxes = cast(list[CausalSoftmax], layers)
    return CausalSoftmaxes(graph, weights, softmaxes, tokens, model.config.pad)


def _cross(graph: Graph, weights: Weights, decoder: Decoder) -> Cross:
    layers = [layer.cross for layer in _layers(decoder)]
    if isinstance(layers[0], CrossRFA):
        rfas = cast(list[CrossRFA], layers)
        return CrossRFAs(graph, weights, rfas, _matrices(decoder, "cross"))
    return CrossSoftmaxes(graph, weights, cast(list[CrossSoftmax], layers))


def _matrices(decoder: Decoder, name: str) -> Tensor | None:
    """The random matrices of evaluation, the same in every layer; None where there are none."""
    return decoder.pools[name](0) if name in decoder.pools else None


def _layers(decoder: Decoder) -> list[DecoderLayer]:
    return [cast(DecoderLayer, layer) for layer in decoder.layers]


def _norms(layer: DecoderLayer) -> list[nn.Module]:
    residuals = (layer.causal_residual, layer.cross_residual, layer.feed_forward.residual)
    return [residual.norm for residual in residuals]
