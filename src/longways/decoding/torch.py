"""The torch engine: a translation model driven by search, on a CPU or a GPU.

B windows, K beams, R = B K rows, C candidates, N source tokens, P prefix tokens, T target tokens,
V target words.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import pad

from longways.attention.layers import CrossMemory
from longways.attention.precision import widen
from longways.attention.softmax import KVMemory
from longways.attention.state import CausalState, KVState
from longways.decoding.config import TranslateConfig
from longways.decoding.gpu.next_token import best_tokens
from longways.decoding.runtime import FORBIDDEN, SPARE, Scores, Tokens, row_lengths
from longways.decoding.searcher import HostSearcher, Searcher
from longways.model.alignment import align
from longways.model.checkpoint import load_model
from longways.model.decoder import Memory, State
from longways.model.translation import TranslationModel

Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class TorchMemory:
    """What the model knows of source windows, with lengths that need not be asked of the device."""

    known: Memory
    lengths: Lengths  # (B,)  source tokens

    def select(self, windows: Lengths, places: Tensor) -> TorchMemory:
        """Some windows, as indices here and on the device, and no more padding than they need."""
        lengths = self.lengths[windows]
        longest = int(lengths.max())
        layers = tuple(_select_cross(layer, places, longest) for layer in self.known.layers)
        return TorchMemory(Memory(layers, len(windows)), lengths)


@dataclass(frozen=True)
class TorchState:
    """Where decoding stands: the model's own state, and what the host needs to know of it."""

    decoder: State
    memory: TorchMemory
    lengths: Lengths  # (B,)  target tokens read
    beams: int

    def select(self, windows: Lengths) -> TorchState:
        """Some windows, with all their beams."""
        device = self.decoder.positions.device
        places = torch.from_numpy(windows).to(device)
        beams = torch.arange(self.beams, device=device)
        rows = (places[:, None] * self.beams + beams).flatten()
        memory, lengths = self.memory.select(windows, places), self.lengths[windows]
        longest = int(lengths.max())
        layers = tuple(_select_causal(layer, rows, longest) for layer in self.decoder.layers)
        decoder = State(memory.known, layers, self.decoder.positions[rows], longest)
        return TorchState(decoder, memory, lengths, self.beams)


class TorchRuntime:
    """A translation model as search sees it. It is put into evaluation mode and must stay there.

    With `half`, `torch.bfloat16` say, matrix products are computed in it under autocast.
    """

    framework = "torch"

    def __init__(self, model: TranslationModel, half: torch.dtype | None = None) -> None:
        self.model, self.half = model.eval(), half
        weight = model.decoder.embedding.tokens.weight
        self.device, words = weight.device, len(weight)
        self.forbidden = torch.tensor([t for t in FORBIDDEN if t < words], device=self.device)

    @classmethod
    def load(
        cls, folder: Path, device: str = "cpu", half: torch.dtype | None = None
    ) -> TorchRuntime:
        """The model in a folder."""
        return cls(load_model(folder).to(device), half)

    def open_searcher(self, config: TranslateConfig) -> Searcher:
        """Captured search on a GPU, in the precision of the weights; else search on the host."""
        if self.device.type != "cuda" or self.half is not None:
            return HostSearcher(self, config)
        from longways.decoding.gpu.device_searcher import DeviceSearcher

        return DeviceSearcher(self, config)

    @property
    def positions(self) -> int:
        """The most tokens that a source window, or a prefix and what follows it, may have."""
        return self.model.config.positions

    def encode(self, windows: Tokens) -> TorchMemory:
        """Source windows (B, N), summarised once."""
        assert not self.model.training, "the model was put back into training mode"
        with self._computing():
            return TorchMemory(self.model.encode(self._tensor(windows)), row_lengths(windows))

    def start(self, memory: TorchMemory, prefix: Tokens, beams: int) -> TorchState:
        """The state after a forced prefix (B, P), read in one parallel pass."""
        with self._computing():
            state = self.model.start(memory.known, self._tensor(prefix), beams)
        return TorchState(state, memory, row_lengths(prefix), beams)

    def step(
        self, tokens: Tokens, parents: Tokens, state: TorchState
    ) -> tuple[Scores, Tokens, TorchState]:
        """Follow the parents (B, K) and read one token (B, K) after each."""
        decoder, rows = state.decoder, np.arange(parents.size)
        rows_of_parents = (rows // state.beams * state.beams) + parents.ravel()
        given = self._tensor(np.stack([tokens.ravel(), rows_of_parents]))  # one transfer
        with self._computing():
            if not np.array_equal(rows, rows_of_parents):
                decoder = decoder.reorder(given[1])
            logits, decoder = self.model.step(given[0], decoder)
            scores, ids = self._best(logits, state.beams)
        after = replace(state, decoder=decoder, lengths=state.lengths + 1)
        return scores.reshape(*tokens.shape, -1), ids.reshape(*tokens.shape, -1), after

    def select(self, state: TorchState, windows: Tokens) -> TorchState:
        """The state and the memory of some windows, the others forgotten."""
        with self._computing():
            return state.select(windows)

    def score(self, source: Tokens, target: Tokens) -> Scores:
        """The log-probability (B, T) of each token of target windows (B, T)."""
        config, wanted = self.model.config, self._tensor(target)
        target_in = pad(wanted[:, :-1], (1, 0), value=config.bos)
        with self._computing():
            logits = widen(self.model(self._tensor(source), target_in))
            chosen = logits.log_softmax(-1).gather(-1, wanted[..., None])[..., 0]
            scores: Scores = chosen.masked_fill_(wanted == config.pad, 0.0).cpu().numpy()
        return scores

    def align(self, source: Tokens, target: Tokens) -> Scores:
        """(B, T, N): the share of each source token in each token of target windows (B, T)."""
        target_in = pad(self._tensor(target)[:, :-1], (1, 0), value=self.model.config.bos)
        with self._computing():
            shares: Scores = align(self.model, self._tensor(source), target_in).cpu().numpy()
        return shares

    @contextmanager
    def _computing(self) -> Iterator[None]:
        """Without gradients, in the precision asked for."""
        half = torch.autocast(self.device.type, self.half, enabled=self.half is not None)
        with torch.inference_mode(), half:
            yield

    def _best(self, logits: Tensor, beams: int) -> tuple[NDArray[Any], Tokens]:
        """Log-probabilities (R, C) and ids of the likeliest next tokens, in one transfer."""
        values, ids = best_tokens(logits, min(beams + SPARE, logits.shape[1]), self.forbidden)
        # Ids are exact in float32: no vocabulary has 2^24 entries.
        both = torch.stack([values, ids.to(values.dtype)]).cpu().numpy()
        return both[0], both[1].astype(np.int64)

    def _tensor(self, array: Tokens) -> Tensor:
        return torch.from_numpy(array).to(self.device, non_blocking=True)


def _select_cross(memory: CrossMemory, windows: Tensor, longest: int) -> CrossMemory:
    if not isinstance(memory, KVMemory) or not memory.grows:
        return memory.reorder(windows)
    keys, values = memory.keys[windows, :, :longest], memory.values[windows, :, :longest]
    return KVMemory(keys, values, memory.mask[windows, :longest])


def _select_causal(state: CausalState, rows: Tensor, longest: int) -> CausalState:
    chosen = state.reorder(rows)
    return replace(chosen, longest=longest) if isinstance(chosen, KVState) else chosen
