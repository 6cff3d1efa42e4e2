"""The transformer of the paper's comparison, whose KV cache is concatenated at every step.

B windows, K beams, R = B K rows, T target tokens so far, N source tokens, H heads, E head size,
d model size, V vocabulary size.

It is an eager loop as in fairseq 0.10. Every layer concatenates new keys and values to its cache
(`torch.cat`) and reorders them by beams (`index_select`), even with one beam. Source keys and
values are copied for each beam; the encoder's output and its mask are reordered as well. The search
runs on the device, and the host reads once per step whether all hypotheses have ended. Queries,
keys and values are one matmul; attention is torch's fused kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from longways.attention.layers import CrossMemory
from longways.attention.precision import widen
from longways.attention.softmax import KVMemory
from longways.decoding.gpu.layer_operations import Linear
from longways.decoding.hypothesis import Hypothesis, Results, rank
from longways.decoding.runtime import EXTRA_CANDIDATES, FORBIDDEN, pad_rows
from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.model.decoder import DecoderLayer
from longways.model.translation import TranslationModel

KeysValues = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class FusedLayer:
    """A decoder layer whose causal queries, keys and values are one matmul."""

    layer: DecoderLayer
    joint: Linear

    @staticmethod
    def of(layer: DecoderLayer) -> FusedLayer:
        """Concatenate the weights of q, k and v."""
        return FusedLayer(layer, Linear.of(layer.causal.q, layer.causal.k, layer.causal.v))

    def heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q, k and v (R, H, 1, E) of one token per row (R, 1, d)."""
        joint = self.joint(self.layer.causal_residual.enter(x))
        q, k, v = (self.layer.causal.split(third) for third in joint.chunk(3, -1))
        return q, k, v


@dataclass
class Cache:
    """The KV cache of every layer, and the source for each beam."""

    layers: list[KeysValues]  # (R, H, T, E)
    source: list[KeysValues]  # (R, H, N, E)
    encoded: Tensor  # (R, N, d)
    mask: Tensor | None  # (R, 1, 1, N)  false on padding; None without padding

    def reorder(self, rows: Tensor) -> None:
        """Reorder by beams, except for source keys and values, which beams of a window share."""
        self.layers = [
            (keys.index_select(0, rows), values.index_select(0, rows))
            for keys, values in self.layers
        ]
        self.encoded = self.encoded.index_select(0, rows)
        self.mask = None if self.mask is None else self.mask.index_select(0, rows)


@dataclass
class Beams:
    """The beams of all windows."""

    scores: Tensor  # (B, K)
    tokens: Tensor  # (R,)  the last tokens
    history: Tensor  # (R, T)


class ConcatenatingDecoder:
    """Decodes windows of one length together: `<bos>`, a fixed number of tokens, the end."""

    def __init__(self, model: TranslationModel, *, beams: int, alpha: float = 1.0) -> None:
        if "rfa" in (model.config.causal.kind, model.config.cross.kind):
            raise ConfigError("Only softmax attention has a KV cache: use a transformer.")
        self.model, self.beams, self.alpha = model.eval(), beams, alpha
        layers = [layer for layer in model.decoder.layers if isinstance(layer, DecoderLayer)]
        self.layers = [FusedLayer.of(layer) for layer in layers]
        self.device = model.decoder.embedding.tokens.weight.device
        config = model.config
        self.never = torch.tensor(FORBIDDEN, device=self.device)
        self.not_yet = torch.tensor([*FORBIDDEN, config.eos, config.sep], device=self.device)

    @torch.inference_mode()
    def decode(self, windows: Sequence[Window]) -> list[list[Hypothesis]]:
        """The best hypothesis of each window."""
        tokens = check_windows(windows)
        cache = self.start([window.source for window in windows])
        beams = self._first(len(windows))
        for position in range(tokens):
            logits = self.step(beams.tokens, position, cache)
            beams, rows = self._choose(logits, beams)
            cache.reorder(rows)
            if bool(
                (beams.tokens == self.model.config.eos).all()
            ):  # read by the host at every step, as in fairseq
                break
        return self._end(self.step(beams.tokens, tokens, cache), beams)

    def start(self, sources: Sequence[Sequence[int]]) -> Cache:
        """Encode the sources, copy them for every beam, and return an empty cache."""
        padded = pad_rows(sources)
        source = torch.from_numpy(padded).to(self.device)
        real = source != self.model.config.pad
        encoded = self.model.encoder(source, real)
        known = self.model.remember(encoded, source)
        encoded, mask = (tensor.repeat_interleave(self.beams, 0) for tensor in (encoded, real))
        config = self.model.config
        empty = encoded.new_empty(len(encoded), config.heads, 0, config.head_dim)
        return Cache(
            [(empty, empty) for _ in self.layers],
            [self._copied(layer) for layer in known.layers],
            encoded,
            mask[:, None, None] if (padded == config.pad).any() else None,
        )

    def step(self, tokens: Tensor, position: int, cache: Cache) -> Tensor:
        """The logits (R, V) after one more token per row (R,)."""
        decoder = self.model.decoder
        decoder.embedding.check(position + 1)
        x = decoder.embedding.at(tokens[:, None], torch.tensor(position))
        for index, fused in enumerate(self.layers):
            x = self._read(x, fused, index, cache)
        return self.model.logits(decoder.norm(x[:, 0]))

    def _read(self, x: Tensor, fused: FusedLayer, index: int, cache: Cache) -> Tensor:
        """Apply one layer to x (R, 1, d)."""
        layer, (q, k, v) = fused.layer, fused.heads(x)
        keys, values = cache.layers[index]
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        cache.layers[index] = keys, values
        update = layer.causal.join(scaled_dot_product_attention(q, keys, values))
        x = layer.causal_residual.leave(x, update)
        q = layer.cross.split(layer.cross.q(layer.cross_residual.enter(x)))
        out = scaled_dot_product_attention(q, *cache.source[index], attn_mask=cache.mask)
        output: Tensor = layer.feed_forward(layer.cross_residual.leave(x, layer.cross.join(out)))
        return output

    def _copied(self, memory: CrossMemory) -> KeysValues:
        assert isinstance(memory, KVMemory)
        keys, values = (
            side.repeat_interleave(self.beams, 0) for side in (memory.keys, memory.values)
        )
        return keys, values

    def _first(self, windows: int) -> Beams:
        """The first beams; all but one have a score of minus infinity, because all are equal."""
        scores = torch.full((windows, self.beams), -torch.inf, device=self.device)
        scores[:, 0] = 0.0
        rows = windows * self.beams
        tokens = torch.full((rows,), self.model.config.bos, device=self.device)
        return Beams(scores, tokens, tokens.new_empty(rows, 0))

    def _choose(self, logits: Tensor, beams: Beams) -> tuple[Beams, Tensor]:
        """The best K next tokens of every window, and the rows (R,) they come from."""
        found = widen(logits).log_softmax(-1).index_fill_(1, self.not_yet, -torch.inf)
        windows, words = len(beams.scores), found.shape[1]
        totals = beams.scores[:, :, None] + found.view(windows, self.beams, words)
        scores, chosen = totals.flatten(1).topk(self.beams)  # (B, K)
        first = torch.arange(0, windows * self.beams, self.beams, device=self.device)
        rows = (first[:, None] + chosen // words).flatten()
        tokens = (chosen % words).flatten()
        history = torch.cat([beams.history.index_select(0, rows), tokens[:, None]], 1)
        return Beams(scores, tokens, history), rows

    def _end(self, logits: Tensor, beams: Beams) -> list[list[Hypothesis]]:
        """The best hypothesis of each window, with `<eos>` if that is a candidate, else cut off."""
        found = widen(logits).log_softmax(-1).index_fill_(1, self.never, -torch.inf)
        least = found.topk(min(self.beams + EXTRA_CANDIDATES, found.shape[1])).values[:, -1]
        end = found[:, self.model.config.eos]
        ends = torch.where(end >= least, end, -torch.inf).view_as(beams.scores)
        scores, endings = beams.scores.cpu().numpy(), ends.cpu().numpy()
        history = beams.history.view(*scores.shape, -1).tolist()
        return [self._best(*window) for window in zip(history, scores, endings, strict=True)]

    def _best(
        self, histories: list[list[int]], scores: np.ndarray, ends: np.ndarray
    ) -> list[Hypothesis]:
        results = Results(1)
        for tokens, score, end in zip(histories, scores, ends, strict=True):
            if np.isfinite(end):
                ended = float(score) + float(end)
                ranked = rank(ended, len(tokens) + 1, self.alpha)
                results.add(Hypothesis(tokens, ended, ranked, self.model.config.eos))
            ranked = rank(float(score), len(tokens), self.alpha)
            results.add(Hypothesis(tokens, float(score), ranked, None))
        return results.found


def check_windows(windows: Sequence[Window]) -> int:
    """The number of tokens of every window; other kinds of windows are refused."""
    lengths = {length for window in windows for length in (window.min_tokens, window.max_tokens)}
    plain = all(len(window.prefix) == 1 and window.separators == 0 for window in windows)
    if len(lengths) != 1 or not plain:
        raise ConfigError(
            "This decoder needs windows of one length without prefix and separators. Decode others "
            "with `longways translate`."
        )
    return lengths.pop()
