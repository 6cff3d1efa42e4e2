"""The torch runtime: runs a translation model for search, on a CPU or a GPU.

B windows, K beams, R = B K rows, C candidates, N source tokens, P prefix tokens, T target tokens,
V target vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
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
from longways.attention.state import CausalState, KVState, StreamCausalState
from longways.attention.stream.memory import SentenceMemory
from longways.decoding.config import TranslateConfig
from longways.decoding.gpu.next_token import best_tokens
from longways.decoding.runtime import EXTRA_CANDIDATES, FORBIDDEN, Scores, Tokens, row_lengths
from longways.decoding.searcher import HostSearcher, Searcher
from longways.decoding.shortlist.shortlist import Shortlist
from longways.model.alignment import align
from longways.model.alignment_heads import AlignmentHead, alignment_heads
from longways.model.checkpoint import load_model
from longways.model.decoder import Memory, State
from longways.model.manifest import CONFIG_FILE, read_manifest
from longways.model.translation import TranslationModel

Lengths = NDArray[np.int64]


@dataclass(frozen=True)
class TorchMemory:
    """The model's memory of source windows, with their lengths on the host."""

    memory: Memory
    lengths: Lengths  # (B,)  source tokens
    closed: Tensor | None = field(default=None, kw_only=True)  # (B, V)
    """Which tokens a window may not choose; None: it may choose any."""

    def select(self, windows: Lengths, on_device: Tensor) -> TorchMemory:
        """Some windows, without unneeded padding; `on_device` has the same indices as `windows`."""
        lengths = self.lengths[windows]
        longest = int(lengths.max())
        layers = tuple(_select_cross(layer, on_device, longest) for layer in self.memory.layers)
        closed = None if self.closed is None else self.closed[on_device]
        return TorchMemory(Memory(layers, len(windows)), lengths, closed=closed)


@dataclass(frozen=True)
class TorchState:
    """The decoder's state, with its lengths and number of beams on the host."""

    decoder: State
    memory: TorchMemory
    lengths: Lengths  # (B,)  target tokens read
    beams: int

    def select(self, windows: Lengths) -> TorchState:
        """Some windows, with all their beams."""
        device = self.decoder.positions.device
        on_device = torch.from_numpy(windows).to(device)
        beams = torch.arange(self.beams, device=device)
        rows = (on_device[:, None] * self.beams + beams).flatten()
        memory, lengths = self.memory.select(windows, on_device), self.lengths[windows]
        longest = int(lengths.max())
        layers = tuple(_select_causal(layer, rows, longest) for layer in self.decoder.layers)
        decoder = State(memory.memory, layers, self.decoder.positions[rows], longest)
        return TorchState(decoder, memory, lengths, self.beams)


class TorchRuntime:
    """A translation model as a runtime. It is put into evaluation mode and must stay there.

    With `half`, for example `torch.bfloat16`, matmuls are computed in it under autocast.
    """

    framework = "torch"

    def __init__(
        self,
        model: TranslationModel,
        half: torch.dtype | None = None,
        heads: Sequence[AlignmentHead] = (),
        shortlist: Shortlist | None = None,
    ) -> None:
        """`heads` align tokens; by default all heads of cross attention.

        With a shortlist, search chooses among the tokens that it has for a sentence.
        """
        self.model, self.half, self.heads = model.eval(), half, heads
        self.shortlist = shortlist
        weight = model.decoder.embedding.tokens.weight
        self.device, vocabulary = weight.device, len(weight)
        self.forbidden = torch.tensor([t for t in FORBIDDEN if t < vocabulary], device=self.device)

    @classmethod
    def load(
        cls, folder: Path, device: str = "cpu", half: torch.dtype | None = None
    ) -> TorchRuntime:
        """The runtime of the model in a folder."""
        manifest = read_manifest(folder)
        heads = alignment_heads(manifest.facts, manifest.model, str(folder / CONFIG_FILE))
        return cls(load_model(folder).to(device), half, heads)

    def open_searcher(self, config: TranslateConfig) -> Searcher:
        """Captured search on a GPU, in the precision of the weights; else search on the host."""
        on_host = self.half is not None or config.search.at_limit == "end"
        if self.device.type != "cuda" or on_host:
            return HostSearcher(self, config)
        from longways.decoding.gpu.device_searcher import DeviceSearcher

        return DeviceSearcher(self, config)

    @property
    def positions(self) -> int:
        """The largest number of tokens of a source window, and of a prefix with its new tokens."""
        return self.model.config.positions

    def encode(self, windows: Tokens) -> TorchMemory:
        """Encode source windows (B, N)."""
        assert not self.model.training, "the model was put back into training mode"
        with self._inference():
            return TorchMemory(self.model.encode(self._tensor(windows)), row_lengths(windows))

    def limit(self, memory: TorchMemory, words: Sequence[Tokens]) -> TorchMemory:
        """The memory of encoded windows, each with its list of tokens, ascending."""
        closed = np.ones((len(words), self.model.config.target_vocabulary), bool)
        for row, own in zip(closed, words, strict=True):
            row[own] = False
        return replace(memory, closed=torch.from_numpy(closed).to(self.device))

    def start(self, memory: TorchMemory, prefix: Tokens, beams: int) -> TorchState:
        """The state after a forced prefix (B, P), read in one parallel pass."""
        with self._inference():
            state = self.model.start(memory.memory, self._tensor(prefix), beams)
        return TorchState(state, memory, row_lengths(prefix), beams)

    def step(
        self, tokens: Tokens, parents: Tokens, state: TorchState
    ) -> tuple[Scores, Tokens, TorchState]:
        """Follow the parents (B, K) and read one token (B, K) after each."""
        decoder, rows = state.decoder, np.arange(parents.size)
        parent_rows = (rows // state.beams * state.beams) + parents.ravel()
        inputs = self._tensor(np.stack([tokens.ravel(), parent_rows]))  # one transfer
        with self._inference():
            if not np.array_equal(rows, parent_rows):
                decoder = decoder.reorder(inputs[1])
            logits, decoder = self.model.step(inputs[0], decoder)
            closed = state.memory.closed
            if closed is not None:
                logits = logits.masked_fill(closed.repeat_interleave(state.beams, 0), -torch.inf)
            scores, ids = self._best(logits, state.beams)
        after = replace(state, decoder=decoder, lengths=state.lengths + 1)
        return scores.reshape(*tokens.shape, -1), ids.reshape(*tokens.shape, -1), after

    def select(self, state: TorchState, windows: Tokens) -> TorchState:
        """The state and the memory of some windows; the others are dropped."""
        with self._inference():
            return state.select(windows)

    def score(self, source: Tokens, target: Tokens) -> Scores:
        """The log-probability (B, T) of each token of target windows (B, T)."""
        target_out = self._tensor(target)
        target_in = pad(target_out[:, :-1], (1, 0), value=self.model.config.bos)
        with self._inference():
            return self._chosen(self.model(self._tensor(source), target_in), target_out)

    def align(self, source: Tokens, target: Tokens) -> Scores:
        """Alignment weights (B, T, N) of every source token for each token of target windows."""
        target_in = pad(self._tensor(target)[:, :-1], (1, 0), value=self.model.config.bos)
        with self._inference():
            weights = align(self.model, self._tensor(source), target_in, self.heads)
        found: Scores = weights.cpu().numpy()
        return found

    def _chosen(self, logits: Tensor, target: Tensor) -> Scores:
        """The log-probabilities of target tokens (B, T), given logits (B, T, V)."""
        chosen = widen(logits).log_softmax(-1).gather(-1, target[..., None])[..., 0]
        scores: Scores = chosen.masked_fill_(target == self.model.config.pad, 0.0).cpu().numpy()
        return scores

    @contextmanager
    def _inference(self) -> Iterator[None]:
        """Inference mode, with autocast if the runtime has a half precision."""
        half = torch.autocast(self.device.type, self.half, enabled=self.half is not None)
        with torch.inference_mode(), half:
            yield

    def _best(self, logits: Tensor, beams: int) -> tuple[NDArray[Any], Tokens]:
        """Log-probabilities (R, C) and ids of the likeliest next tokens, in one transfer."""
        values, ids = best_tokens(
            logits, min(beams + EXTRA_CANDIDATES, logits.shape[1]), self.forbidden
        )
        # Ids are exact in float32, since no vocabulary has 2^24 entries.
        both = torch.stack([values, ids.to(values.dtype)]).cpu().numpy()
        return both[0], both[1].astype(np.int64)

    def _tensor(self, array: Tokens) -> Tensor:
        return torch.from_numpy(array).to(self.device, non_blocking=True)


def _select_cross(memory: CrossMemory, windows: Tensor, longest: int) -> CrossMemory:
    if isinstance(memory, SentenceMemory):
        sentence = _select_cross(memory.sentence, windows, longest)
        assert isinstance(sentence, KVMemory)
        return SentenceMemory(sentence, memory.sums.reorder(windows))
    if not isinstance(memory, KVMemory) or not memory.grows:
        return memory.reorder(windows)
    keys, values = memory.keys[windows, :, :longest], memory.values[windows, :, :longest]
    return KVMemory(keys, values, memory.mask[windows, :longest])


def _select_causal(state: CausalState, rows: Tensor, longest: int) -> CausalState:
    chosen = state.reorder(rows)
    if isinstance(chosen, StreamCausalState):
        return replace(chosen, sentence=replace(chosen.sentence, longest=longest))
    return replace(chosen, longest=longest) if isinstance(chosen, KVState) else chosen
