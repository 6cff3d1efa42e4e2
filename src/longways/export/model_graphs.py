"""The graphs of a model: the encoder, the decoder (for prefixes, steps and scores), the alignment.

B windows, N source tokens, R rows of the state, T target tokens, C candidates, V vocabulary, d
model size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import cast

import numpy as np
import onnx
from torch import Tensor, nn

from longways.attention.layers import (
    CausalRFA,
    CausalSoftmax,
    CrossRFA,
    CrossSoftmax,
    SelfAttention,
)
from longways.attention.stream.causal import StreamCausal
from longways.attention.stream.cross import StreamCross
from longways.attention.stream.self import StreamSelf
from longways.decoding.onnx.session import HIDDEN_FROM
from longways.decoding.runtime import FORBIDDEN
from longways.export.constants import Constants
from longways.export.graph_builder import BOOL, INT32, Graph, Value
from longways.export.parts.causal import Causal, CausalRFAs, CausalSoftmaxes
from longways.export.parts.cross import Cross, CrossRFAs, CrossSoftmaxes
from longways.export.parts.embedding import embed, places
from longways.export.parts.residual import Residuals
from longways.export.parts.self_attention import SoftmaxSelfs
from longways.export.parts.stream.causal import StreamCausals
from longways.export.parts.stream.cross import StreamCrosses
from longways.export.parts.stream.self import StreamSelfs
from longways.export.parts.stream.source import SourceSums
from longways.export.weights import Weights, array, join
from longways.model.alignment_heads import AlignmentHead
from longways.model.decoder import Decoder, DecoderLayer
from longways.model.encoder import EncoderLayer
from longways.model.stream.encoder import StreamEncoderLayer
from longways.model.translation import TranslationModel


def encoder_graph(
    model: TranslationModel, weights: Weights, constants: Constants
) -> onnx.ModelProto:
    """The graph from source (B, N), padded at the end, to the memory of every decoder layer."""
    graph = Graph("encoder", constants)
    cross = _cross(graph, weights, model.decoder)
    _encode(graph, weights, model, cross)
    cross.add_outputs()
    return graph.model()


def decoder_graph(
    model: TranslationModel, weights: Weights, constants: Constants
) -> onnx.ModelProto:
    """The graph that adds tokens (B, T) at positions (B, T) to the state and returns candidates.

    The state has a row for each window, or for each token, in which case every token is a beam.
    Logits are computed from the token `first` on. `scores` and `ids` (B, T - first, C) are the
    likeliest next tokens; `given` (B, T - first, W) are the log-probabilities of the tokens in
    `wanted`. A stream model also reads translations for their state alone: its last layer computes
    hidden vectors from the token `hidden_from` on, and `first` is counted from there.
    """
    graph = Graph("decoder", constants)
    cross = _cross(graph, weights, model.decoder)
    cross.add_inputs()
    start = graph.input(HIDDEN_FROM, np.int64, [1]) if model.config.is_stream else None
    hidden = _decode(graph, weights, model, cross, start=start)
    _add_candidates(graph, weights, model, hidden)
    return graph.model()


def alignment_graph(
    model: TranslationModel,
    weights: Weights,
    constants: Constants,
    heads: Sequence[AlignmentHead] = (),
) -> onnx.ModelProto:
    """The graph from source (B, N) and tokens (B, T) at positions (B, T) to weights (B, T, N).

    The output `shares` has the alignment weights of `longways.model.alignment`: means over the
    given heads, by default over all heads of all layers. The graph has nothing else, unless it is
    that of a stream model, which reads one sentence after the state of its document and also
    returns the new state.
    """
    graph, means = Graph("alignment", constants), list[Value]()
    cross = _cross(graph, weights, model.decoder)
    _encode(graph, weights, model, cross)

    def record(x: Value, index: int) -> None:
        chosen = [head for head in heads if head.layer == index]
        if heads and not chosen:
            return
        weights = cross.attention_weights(x, index)
        every = [_of_head(graph, weights, head) for head in chosen] or [weights]
        means.extend(graph.op("ReduceMean", one, graph.constant([1]), keepdims=0) for one in every)

    _decode(graph, weights, model, cross, record)
    if isinstance(cross, StreamCrosses):
        cross.add_carried()
    positive = graph.op("Relu", graph.op("Mean", *means))
    total = graph.op("ReduceSum", positive, graph.constant([-1]))
    tiny = graph.number(float(np.finfo(np.float32).tiny))
    normalised = graph.op("Div", positive, graph.op("Max", total, tiny))
    graph.output("shares", normalised, np.float32, ["windows", "tokens", "source"])
    return graph.model() if model.config.is_stream else graph.model(["shares"])


def _of_head(graph: Graph, weights: Value, head: AlignmentHead) -> Value:
    """The weights (B, 1, T, N) of one head among (B, H, T, N), `delay` steps later."""
    own = _slice(graph, weights, head.head, head.head + 1, axis=1)
    if not head.delay:
        return own
    end = np.iinfo(np.int64).max
    later = _slice(graph, own, head.delay, end, axis=2)
    return graph.op("Concat", later, _slice(graph, own, -head.delay, end, axis=2), axis=2)


def _slice(graph: Graph, x: Value, start: int, end: int, axis: int) -> Value:
    return graph.op("Slice", x, *(graph.constant([n]) for n in (start, end, axis)))


def _encode(graph: Graph, weights: Weights, model: TranslationModel, cross: Cross) -> None:
    """Encode the source and compute the memory of cross attention."""
    encoder, config, weights = model.encoder, model.config, weights.for_large_batches()
    source = graph.input("source", np.int64, ["windows", "source"])
    real = graph.op("Cast", graph.op("Sub", source, graph.constant(np.array(config.pad))), to=BOOL)
    real = graph.op("Cast", real, to=INT32)
    lengths = graph.op("ReduceSum", real, graph.constant([1]), keepdims=0)
    x = embed(graph, weights, encoder.embedding, source, places(graph, source))
    layers = [cast(EncoderLayer | StreamEncoderLayer, layer) for layer in encoder.layers]
    norms = [n.norm for layer in layers for n in (layer.residual, layer.feed_forward.residual)]
    stream = Residuals(graph, weights, x, norms, encoder.norm)
    sums = SourceSums(graph, config, source, real) if isinstance(cross, StreamCrosses) else None
    attention = _self_attention(graph, weights, layers, lengths, sums)
    for index, layer in enumerate(layers):
        stream.add(attention.read(stream.entered, index), layer.attention.o)
        stream.feed_forward(layer.feed_forward)
    if isinstance(cross, StreamCrosses) and sums:
        cross.source = sums
    _remember(graph, weights, cross, stream.entered, lengths)
    if sums:
        sums.finish()


def _self_attention(
    graph: Graph,
    weights: Weights,
    layers: list[EncoderLayer | StreamEncoderLayer],
    lengths: Value,
    sums: SourceSums | None,
) -> SoftmaxSelfs | StreamSelfs:
    attention = [layer.attention for layer in layers]
    if sums is None:
        return SoftmaxSelfs(graph, weights, cast(list[SelfAttention], attention), lengths)
    return StreamSelfs(graph, weights, cast(list[StreamSelf], attention), lengths, sums)


def _remember(graph: Graph, weights: Weights, cross: Cross, source: Value, lengths: Value) -> None:
    """The memory of all layers; one matmul computes the keys and values of all of them."""
    by_layer = [cross.source_linears(index) for index in range(len(cross.layers))]
    linears = [linear for layer in by_layer for linear in layer]
    joined = weights.multiply(graph, source, *join(*linears))
    parts = iter(graph.split(joined, [len(linear.bias) for linear in linears]))
    for index, layer in enumerate(by_layer):
        cross.remember(index, list(islice(parts, len(layer))), lengths)


def _decode(
    graph: Graph,
    weights: Weights,
    model: TranslationModel,
    cross: Cross,
    record: Callable[[Value, int], None] | None = None,
    start: Value | None = None,
) -> Value:
    """Hidden vectors (B, T, d) of the tokens from `start` on.

    `record` gets the input of each cross attention. The state is that after all tokens.
    """
    tokens = graph.input("tokens", np.int64, ["windows", "tokens"])
    positions = graph.input("positions", np.int64, ["windows", "tokens"])
    causal = _causal(graph, weights, model, (tokens, positions))
    layers = _layers(model.decoder)
    x = embed(graph, weights, model.decoder.embedding, tokens, positions)
    norms = [norm for layer in layers for norm in _norms(layer)]
    stream = Residuals(graph, weights, x, norms, model.decoder.norm)
    for index, layer in enumerate(layers):
        attended = causal.read(stream.entered, index)
        if start and index == len(layers) - 1:
            stream.x, attended = (_tokens_from(graph, start, x) for x in (stream.x, attended))
        stream.add(attended, layer.causal.o)
        if record:
            record(stream.entered, index)
        stream.add(cross.read(stream.entered, index), layer.cross.o)
        stream.feed_forward(layer.feed_forward)
    causal.finish()
    return stream.entered


def _add_candidates(graph: Graph, weights: Weights, model: TranslationModel, hidden: Value) -> None:
    """Add the outputs: the best candidates, and the log-probabilities of the wanted tokens."""
    first = graph.input("first", np.int64, [1])
    candidates = graph.input("candidates", np.int64, [1])
    wanted = graph.input("wanted", np.int64, ["windows", "asked", "wanted"])
    table = array(model.decoder.embedding.tokens.weight)
    hidden = _tokens_from(graph, first, hidden)
    logits = weights.logits(graph, hidden, table, any_rows=model.config.is_stream)
    if model.output_bias is not None:
        logits = graph.op("Add", logits, graph.constant(array(model.output_bias)))
    scores = graph.op("LogSoftmax", logits, axis=-1)
    values, ids = _best_allowed(graph, scores, candidates, len(table))
    shape = ["windows", "asked", "candidates"]
    graph.output("scores", values, np.float32, shape)
    graph.output("ids", ids, np.int64, shape)
    given = graph.op("GatherElements", scores, wanted, axis=2)
    graph.output("given", given, np.float32, ["windows", "asked", "wanted"])


def _tokens_from(graph: Graph, start: Value, x: Value) -> Value:
    """The tokens of x (B, T, d) from `start` on."""
    end, axis = graph.constant([np.iinfo(np.int64).max]), graph.constant([1])
    return graph.op("Slice", x, start, end, axis)


def _best_allowed(graph: Graph, scores: Value, candidates: Value, vocabulary: int) -> list[Value]:
    """The best candidates and their ids; `FORBIDDEN` tokens have minus infinity.

    Forbidden tokens are masked among a few more candidates than needed, not in the whole
    vocabulary.
    """
    allowed = np.zeros(vocabulary, dtype=np.float32)
    allowed[[token for token in FORBIDDEN if token < vocabulary]] = -np.inf
    more = graph.op("Add", candidates, graph.constant([len(FORBIDDEN)]))
    count = graph.op("Min", more, graph.constant([vocabulary]))
    values, ids = graph.ops("TopK", scores, count, count=2)
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
    if isinstance(layers[0], StreamCausal):
        streams = cast(list[StreamCausal], layers)
        return StreamCausals(graph, weights, streams, tokens, model.config)
    softmaxes = cast(list[CausalSoftmax], layers)
    return CausalSoftmaxes(graph, weights, softmaxes, tokens, model.config.pad)


def _cross(graph: Graph, weights: Weights, decoder: Decoder) -> Cross:
    layers = [layer.cross for layer in _layers(decoder)]
    if isinstance(layers[0], CrossRFA):
        rfas = cast(list[CrossRFA], layers)
        return CrossRFAs(graph, weights, rfas, _matrices(decoder, "cross"))
    if isinstance(layers[0], StreamCross):
        return StreamCrosses(graph, weights, cast(list[StreamCross], layers))
    return CrossSoftmaxes(graph, weights, cast(list[CrossSoftmax], layers))


def _matrices(decoder: Decoder, name: str) -> Tensor | None:
    """The random matrices of evaluation, which are equal in all layers; None without a pool."""
    return decoder.pools[name](0) if name in decoder.pools else None


def _layers(decoder: Decoder) -> list[DecoderLayer]:
    return [cast(DecoderLayer, layer) for layer in decoder.layers]


def _norms(layer: DecoderLayer) -> list[nn.Module]:
    residuals = (layer.causal_residual, layer.cross_residual, layer.feed_forward.residual)
    return [residual.norm for residual in residuals]
