"""The transformer of the paper's comparison: a cache that is concatenated and re-indexed each step.

B windows, K beams, R = B K rows, T target tokens so far, N source tokens, H heads, E head size,
d model size, V target words.

It is an ordinary eager loop, as fairseq 0.10 has it: every layer's keys and values are put together
with the new ones (`torch.cat`) and follow the beams (`index_select`), also where there is one beam;
source keys and values are kept once a beam; the encoder's output and its mask follow the beams. The
search is on the device, and the host asks it once a step whether all have ended. Queries, keys and
values are one product, attention is torch's fused one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import linear, scaled_dot_product_attention

from longways.attention.layers import CrossMemory
from longways.attention.precision import widen
from longways.attention.softmax import KVMemory
from longways.decoding.gpu.layer_operations import Linear
from longways.decoding.hypothesis import Hypothesis, Results
from longways.decoding.length_penalty import rank
from longways.decoding.runtime import EXTRA_CANDIDATES, FORBIDDEN, pad_rows
from longways.decoding.windows import Window
from longways.errors import ConfigError
from longways.model.decoder import DecoderLayer
from longways.model.translation import TranslationModel

Sides = tuple[Tensor, Tensor]
"""Keys and values."""


@dataclass(frozen=True)
class Fused:
    """A decoder layer, and its causal queries, keys and values as one product."""

    layer: DecoderLayer
    joint: Linear

    @staticmethod
    def of(layer: DecoderLayer) -> Fused:
        """The weights of q, k and v one under the other."""
        return Fused(layer, Linear.of(layer.causal.q, layer.causal.k, layer.causal.v))

    def heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q, k and v (R, H, 1, E) of one token a row (R, 1, d)."""
        joint = self.joint(self.layer.causal_residual.enter(x))
        q, k, v = (self.layer.causal.split(part) for part in joint.chunk(3, -1))
        return q, k, v


@dataclass
class Cache:
    """What every layer has seen, and the source once a beam."""

    sides: list[Sides]  # (R, H, T, E)
    source: list[Sides]  # (R, H, N, E)
    encoded: Tensor  # (R, N, d)
    mask: Tensor | None  # (R, 1, 1, N)  false on padding; None where there is none

    def reorder(self, rows: Tensor) -> None:
        """Follow the beams. Source keys and values are the same for all beams of a window."""
        self.sides = [
            (keys.index_select(0, rows), values.index_select(0, rows))
            for keys, values in self.sides
        ]
        self.encoded = self.encoded.index_select(0, rows)
        self.mask = None if self.mask is None else self.mask.index_select(0, rows)


@dataclass
class Beams:
    """The beams of all windows."""

    scores: Tensor  # (B, K)
    tokens: Tensor  # (R,)  to be read next
    history: Tensor  # (R, T)


class ConcatenatingDecoder:
    """Decodes windows of one length side by side: `<bos>`, then so many tokens, then the end."""

    def __init__(self, model: TranslationModel, *, beams: int, alpha: float = 1.0) -> None:
        if "rfa" in (model.config.causal.kind, model.config.cross.kind):
            raise ConfigError("Only softmax attention has a cache of keys: use a transformer.")
        self.model, self.beams, self.alpha = model.eval(), beams, alpha
        layers = [layer for layer in model.decoder.layers if isinstance(layer, DecoderLayer)]
        self.layers = [Fused.of(layer) for layer in layers]
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
            if bool((beams.tokens == self.model.config.eos).all()):  # what the host must know
                break
        return self._end(self.step(beams.tokens, tokens, cache), beams)

    def start(self, sources: Sequence[Sequence[int]]) -> Cache:
        """Sources read, and copied for every beam; nothing written yet."""
        padded = pad_rows(sources)
        source = torch.from_numpy(padded).to(self.device)
        real = source != self.model.config.pad
        encoded = self.model.encoder(source, real)
        known = self.model.decoder.remember(encoded, real)
        encoded, mask = (part.repeat_interleave(self.beams, 0) for part in (encoded, real))
        config = self.model.config
        nothing = encoded.new_empty(len(encoded), config.heads, 0, config.head_dim)
        return Cache(
            [(nothing, nothing) for _ in self.layers],
            [self._copied(layer) for layer in known.layers],
            encoded,
            mask[:, None, None] if (padded == config.pad).any() else None,
        )

    def step(self, tokens: Tensor, position: int, cache: Cache) -> Tensor:
        """Read one token a row (R,) and give the logits (R, V) of the next."""
        decoder = self.model.decoder
        decoder.embedding.check(position + 1)
        x = decoder.embedding.at(tokens[:, None], torch.tensor(position))
        for index, fused in enumerate(self.layers):
            x = self._read(x, fused, index, cache)
        return linear(decoder.norm(x[:, 0]), decoder.embedding.tokens.weight)

    def _read(self, x: Tensor, fused: Fused, index: int, cache: Cache) -> Tensor:
        """One layer: x (R, 1, d)."""
        layer, (q, k, v) = fused.layer, fused.heads(x)
        keys, values = cache.sides[index]
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        cache.sides[index] = keys, values
        update = layer.causal.join(scaled_dot_product_attention(q, keys, values))
        x = layer.causal_residual.leave(x, update)
        q = layer.cross.split(layer.cross.q(layer.cross_residual.enter(x)))
        out = scaled_dot_product_attention(q, *cache.source[index], attn_mask=cache.mask)
        seen: Tensor = layer.feed_forward(layer.cross_residual.leave(x, layer.cross.join(out)))
        return seen

    def _copied(self, memory: CrossMemory) -> Sides:
        assert isinstance(memory, KVMemory)
        keys, values = (
            side.repeat_interleave(self.beams, 0) for side in (memory.keys, memory.values)
        )
        return keys, values

    def _first(self, windows: int) -> Beams:
        """All beams are equal at first: one of them is enough."""
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
        """Each beam with its end, if that is among its likeliest next tokens; else cut."""
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
    """The tokens of every window, if there is nothing else to know about them."""
    lengths = {length for window in windows for length in (window.min_tokens, window.max_tokens)}
    plain = all(len(window.prefix) == 1 and window.separators == 0 for window in windows)
    if len(lengths) != 1 or not plain:
        raise ConfigError(
            "Here all windows have one length, no prefix and no separators. Decode others with "
            "`longways translate`."
        )
    return lengths.pop()
