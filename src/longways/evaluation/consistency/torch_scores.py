"""Score the candidates of an item together with torch, and compute what they share only once.

B sources, R rows (contexts or candidates), T target tokens, V vocabulary size, d model size.

A source is encoded once for all its contexts, and a context is decoded once for all its candidates;
only the last sentence is decoded for each candidate. The scores equal scores of whole windows, at a
third of the work or less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor

from longways.attention.precision import widen
from longways.attention.state import CausalState
from longways.corpus.batching.batch import by_length
from longways.decoding.runtime import pad_rows
from longways.decoding.torch import TorchRuntime
from longways.evaluation.consistency.windows import Candidate, Ids
from longways.model.decoder import Memory
from longways.model.translation import TranslationModel

LAST_SENTENCE_DIVISOR = 4
"""Batches of last sentences have 1/4 of the tokens: they are short, so padding costs more."""

Family: TypeAlias = dict[Ids, list[Candidate]]
"""The candidates that share a source, by their context."""


@dataclass(frozen=True)
class _Past:
    """The decoder states of R rows."""

    layers: tuple[CausalState, ...]
    lengths: Tensor  # (R,)  tokens decoded so far
    sources: Tensor  # (R,)  which source each row translates

    def select(self, rows: Tensor) -> _Past:
        """Copies of these rows, in that order."""
        layers = tuple(layer.reorder(rows) for layer in self.layers)
        return _Past(layers, self.lengths[rows], self.sources[rows])


def score_together(
    runtime: TorchRuntime, candidates: Sequence[Candidate], tokens: int
) -> Iterator[dict[Candidate, float]]:
    """The summed log-probability of each target window, a batch of sources at a time."""
    families: dict[Ids, Family] = {}
    for candidate in candidates:
        family = families.setdefault(candidate.source, {})
        family.setdefault(candidate.context, []).append(candidate)
    sources = list(families)
    for chosen in by_length([len(source) for source in sources], tokens):
        some = [sources[index] for index in chosen]
        half = torch.autocast(runtime.device.type, runtime.half, enabled=runtime.half is not None)
        with torch.inference_mode(), half:
            scores = _score_families(runtime.model, some, [families[s] for s in some], tokens)
        yield scores


def _score_families(
    model: TranslationModel, sources: list[Ids], families: list[Family], tokens: int
) -> dict[Candidate, float]:
    """Encode the sources, then decode their contexts in batches of similar length."""
    memory = model.encode(_tensor(model, sources))
    contexts = [(row, group) for row, family in enumerate(families) for group in family.values()]
    scores: dict[Candidate, float] = {}
    for chosen in by_length([len(group[0].context) for _, group in contexts], tokens):
        rows, groups = zip(*(contexts[index] for index in chosen), strict=True)
        scores |= _score_groups(model, memory, list(rows), list(groups), tokens)
    return scores


def _score_groups(
    model: TranslationModel,
    memory: Memory,
    sources: list[int],
    groups: list[list[Candidate]],
    tokens: int,
) -> dict[Candidate, float]:
    """Decode the context of each group, then its candidates from that state."""
    contexts = [group[0].context for group in groups]
    room = max(map(len, contexts)) + max(len(c.last) for group in groups for c in group)
    before, past = _read(model, memory, _start(model, sources, room), contexts, [()] * len(groups))
    candidates = [(row, c) for row, group in enumerate(groups) for c in group]
    scores: dict[Candidate, float] = {}
    for chosen in by_length(
        [len(c.last) for _, c in candidates], max(1, tokens // LAST_SENTENCE_DIVISOR)
    ):
        rows, some = zip(*(candidates[index] for index in chosen), strict=True)
        indices = torch.tensor(rows, device=before.device)
        lasts, read = [c.last for c in some], [c.context for c in some]
        sums, _ = _read(model, memory, past.select(indices), lasts, read)
        scores |= dict(zip(some, (before[indices] + sums).tolist(), strict=True))
    return scores


def _start(model: TranslationModel, sources: list[int], room: int) -> _Past:
    """The states before the first token of each row."""
    like, rows = model.decoder.embedding.tokens.weight, len(sources)
    layers = (layer.causal.start(rows, room, like) for layer, _ in model.decoder.with_matrices())
    lengths = torch.zeros(rows, dtype=torch.long, device=like.device)
    return _Past(tuple(layers), lengths, torch.tensor(sources, device=like.device))


def _read(
    model: TranslationModel,
    memory: Memory,
    past: _Past,
    wanted: Sequence[Ids],
    before: Sequence[Ids],
) -> tuple[Tensor, _Past]:
    """The summed log-probability (R,) of the `wanted` tokens, and the states after them.

    A token is predicted from the token before it, so decoding starts with the last token `before`.
    """
    opened = [
        (model.config.bos, *read)[-1:] + row for read, row in zip(before, wanted, strict=True)
    ]
    targets, given = _tensor(model, wanted), _tensor(model, [row[:-1] for row in opened])
    if not targets.numel():
        return torch.zeros(len(targets), dtype=torch.float64, device=targets.device), past
    hidden, past = _decode(model, memory, past, given)
    return _log_probabilities(model, hidden, targets), past


def _decode(
    model: TranslationModel, memory: Memory, past: _Past, given: Tensor
) -> tuple[Tensor, _Past]:
    """Decoder outputs (R, T, d) of the `given` tokens (R, T), and the states after them."""
    decoder, mask, layers = model.decoder, given != model.config.pad, []
    x = decoder.embedding.at(given, past.lengths[:, None] + torch.arange(given.shape[1]).to(given))
    separators = given == model.config.sep
    for (layer, W), state, known in zip(
        decoder.with_matrices(), past.layers, memory.layers, strict=True
    ):
        x, state = layer.extend(x, separators, mask, state, known.reorder(past.sources), W)
        layers.append(state)
    return decoder.norm(x), _Past(tuple(layers), past.lengths + mask.sum(1), past.sources)


def _log_probabilities(model: TranslationModel, hidden: Tensor, wanted: Tensor) -> Tensor:
    """Log-probabilities summed over each row (R,); logits are computed only for real tokens."""
    real = wanted != model.config.pad
    logits = widen(model.logits(hidden[real]))  # (tokens, V)
    chosen = logits.gather(-1, wanted[real][:, None])[:, 0] - logits.logsumexp(-1)
    sums = torch.zeros(len(wanted), dtype=torch.float64, device=wanted.device)
    return sums.index_add_(0, real.nonzero()[:, 0], chosen.double())


def _tensor(model: TranslationModel, rows: Sequence[Ids]) -> Tensor:
    return torch.from_numpy(pad_rows(rows)).to(model.decoder.embedding.tokens.weight.device)
