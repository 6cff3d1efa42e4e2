"""Our transformer in CTranslate2, the fastest CPU system we know, as a baseline on a CPU.

It has the same weights, so the same translations. The package `ctranslate2` is used only here.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from longways.attention.layers import CausalSoftmax, CrossSoftmax
from longways.attention.layers.projections import Projections
from longways.errors import ConfigError
from longways.model.decoder import DecoderLayer
from longways.model.embedding import Embedding
from longways.model.encoder import EncoderLayer
from longways.model.sublayer import FeedForward
from longways.model.translation import TranslationModel


def load_ctranslate() -> Any:
    """Import the package, or raise an error that says how to install it."""
    try:
        return importlib.import_module("ctranslate2")
    except ImportError as error:
        raise ConfigError(
            f"The package ctranslate2 cannot be loaded ({error}): `pip install ctranslate2`."
        ) from error


def convert(model: TranslationModel, folder: Path, quantization: str | None = "int8") -> None:
    """Write a model with softmax attention as a model folder of CTranslate2."""
    specs = load_ctranslate().specs
    config = model.config
    if not config.is_plain_transformer:
        raise ConfigError(
            "CTranslate2 has softmax attention only, over all tokens and with keys for every "
            "head. Convert a transformer."
        )
    spec = specs.TransformerSpec.from_config(
        (config.encoder_layers, config.decoder_layers),
        config.heads,
        pre_norm=config.norm == "pre",
        activation=getattr(specs.Activation, config.activation.upper()),
    )
    _fill_encoder(spec.encoder, model)
    _fill_decoder(spec.decoder, model)
    _register_vocabulary(spec, model)
    spec.validate()
    spec.optimize(quantization=quantization)
    folder.mkdir(parents=True, exist_ok=True)
    spec.save(str(folder))


class CTranslate:
    """A converted model that runs on several threads.

    Each thread decodes its own windows, or all threads share every operation (`shared`). The first
    is much faster: on two cores 16 windows take half the time, and one window is faster with a
    single thread.
    """

    def __init__(self, folder: Path, threads: int, *, shared: bool = False) -> None:
        self.workers = 1 if shared else threads
        self.translator = load_ctranslate().Translator(
            str(folder), inter_threads=self.workers, intra_threads=threads if shared else 1
        )

    def translate(
        self, sources: Sequence[Sequence[int]], tokens: int, beams: int = 1, least: int = 0
    ) -> list[list[int]]:
        """The best translation of each source window, of `least` to `tokens` tokens."""
        found = self.translator.translate_batch(
            [[_word(i) for i in source] for source in sources],
            beam_size=beams,
            max_decoding_length=tokens,
            min_decoding_length=least,
            max_input_length=0,
            max_batch_size=-(-len(sources) // self.workers),
        )
        return [[int(word[1:]) for word in one.hypotheses[0]] for one in found]

    def score(
        self, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
    ) -> list[NDArray[np.float32]]:
        """The log-probability of each token of target windows, `<eos>` included."""
        words = ([[_word(i) for i in row] for row in rows] for rows in (sources, targets))
        source, target = words
        found = self.translator.score_batch(
            source, [row[:-1] for row in target], max_input_length=0
        )
        return [np.array(one.log_probs, np.float32) for one in found]


def _word(token: int) -> str:
    return f"t{token}"


def _register_vocabulary(spec: Any, model: TranslationModel) -> None:
    """Register every id as a word, and name the special tokens."""
    config = model.config
    spec.register_source_vocabulary([_word(i) for i in range(config.source_vocabulary)])
    spec.register_target_vocabulary([_word(i) for i in range(config.target_vocabulary)])
    spec.config.unk_token = _word(config.pad)
    spec.config.bos_token = spec.config.decoder_start_token = _word(config.bos)
    spec.config.eos_token = _word(config.eos)
    spec.config.layer_norm_epsilon = nn.LayerNorm(1).eps


def _fill_encoder(spec: Any, model: TranslationModel) -> None:
    _fill_embedding(spec.embeddings[0], spec.position_encodings, model.encoder.embedding)
    for into, layer in zip(spec.layer, model.encoder.layers, strict=True):
        assert isinstance(layer, EncoderLayer)
        _fill_self_attention(into.self_attention, layer.attention, layer.residual.norm)
        _fill_feed_forward(into.ffn, layer.feed_forward)
    if model.config.norm == "pre":
        _fill_norm(spec.layer_norm, model.encoder.norm)


def _fill_decoder(spec: Any, model: TranslationModel) -> None:
    _fill_embedding(spec.embeddings, spec.position_encodings, model.decoder.embedding)
    for into, layer in zip(spec.layer, model.decoder.layers, strict=True):
        assert isinstance(layer, DecoderLayer)
        assert isinstance(layer.causal, CausalSoftmax)
        assert isinstance(layer.cross, CrossSoftmax)
        _fill_self_attention(into.self_attention, layer.causal, layer.causal_residual.norm)
        _fill_cross_attention(into.attention, layer.cross, layer.cross_residual.norm)
        _fill_feed_forward(into.ffn, layer.feed_forward)
    if model.config.norm == "pre":
        _fill_norm(spec.layer_norm, model.decoder.norm)
    spec.projection.weight = _array(model.decoder.embedding.tokens.weight)
    if model.output_bias is not None:
        spec.projection.bias = _array(model.output_bias)


def _fill_embedding(words: Any, positions: Any, embedding: Embedding) -> None:
    words.weight = _array(embedding.tokens.weight)
    positions.encodings = _array(embedding.table)


def _fill_self_attention(spec: Any, attention: Projections, norm: nn.Module) -> None:
    _fill_norm(spec.layer_norm, norm)
    _fill_linear(spec.linear[0], attention.q, attention.k, attention.v)
    _fill_linear(spec.linear[1], attention.o)


def _fill_cross_attention(spec: Any, attention: Projections, norm: nn.Module) -> None:
    _fill_norm(spec.layer_norm, norm)
    _fill_linear(spec.linear[0], attention.q)
    _fill_linear(spec.linear[1], attention.k, attention.v)
    _fill_linear(spec.linear[2], attention.o)


def _fill_feed_forward(spec: Any, layer: FeedForward) -> None:
    _fill_norm(spec.layer_norm, layer.residual.norm)
    _fill_linear(spec.linear_0, layer.wide)
    _fill_linear(spec.linear_1, layer.narrow)


def _fill_norm(spec: Any, norm: nn.Module) -> None:
    assert isinstance(norm, nn.LayerNorm)
    spec.gamma, spec.beta = _array(norm.weight), _array(norm.bias)


def _fill_linear(spec: Any, *linears: nn.Linear) -> None:
    """Concatenate the rows of several layers."""
    spec.weight = _array(torch.cat([linear.weight for linear in linears]))
    spec.bias = _array(torch.cat([linear.bias for linear in linears]))


def _array(tensor: Tensor) -> NDArray[np.float32]:
    """A copy, because CTranslate2 quantises weights in place."""
    return np.array(tensor.detach().float().numpy(), order="C")
