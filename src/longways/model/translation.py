"""The translation model: windows of source sentences in, windows of target sentences out.

B windows, R = B x beams rows, N source tokens, T target tokens, P prefix tokens, V target words.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from longways.errors import ShapeError
from longways.model.config import ModelConfig
from longways.model.decoder import Decoder, Memory, State
from longways.model.encoder import Encoder

DECODE_AHEAD = 64
"""Tokens of room that a softmax cache is given beyond the prefix; it doubles when that is full."""


class TranslationModel(nn.Module):
    """An encoder and a decoder whose output layer is its own target embedding.

    Windows are right-padded token ids. A source window is `s1 <sep> s2 <eos>`; a target window is
    read as `<bos> t1 <sep> t2` and predicted as `t1 <sep> t2 <eos>`.
    """

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = Encoder(config)
        self.decoder = Decoder(config)
        if config.share_embeddings:
            self.encoder.embedding = self.decoder.embedding

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:
        """Logits (B, T, V) for every target token, given source (B, N) and target_in (B, T)."""
        if len(source) != len(target_in):
            raise ShapeError(
                f"There are {len(source)} source windows, but {len(target_in)} target windows."
            )
        return self._logits(self.decoder(target_in, self.encode(source)))

    def encode(self, source: Tensor) -> Memory:
        """What the decoder needs of the source windows (B, N), computed once."""
        if source.ndim != 2:
            raise ShapeError(f"source has shape {tuple(source.shape)}, but it must be (B, N).")
        mask = source != self.config.pad
        return self.decoder.remember(self.encoder(source, mask), mask)

    def start(self, memory: Memory, prefix: Tensor | None = None, beams: int = 1) -> State:
        """The state in which `step` begins, with a forced prefix (B, P) read in one parallel pass.

        The prefix is everything before the first token given to `step`: for the third sentence of
        a window `<bos> t1 <sep> t2`, after which `step` reads `<sep>`. Rows of several lengths are
        padded at the end. Each window gets `beams` equal rows side by side.
        """
        tokens = prefix.shape[1] if prefix is not None else 0
        state = self.decoder.start(memory, tokens + DECODE_AHEAD)
        if prefix is not None and tokens:
            if len(prefix) != memory.windows:
                raise ShapeError(
                    f"There are {len(prefix)} prefixes, but {memory.windows} windows in the memory."
                )
            state = self.decoder.extend(prefix, prefix != self.config.pad, state)
        if beams == 1:
            return state
        rows = torch.arange(memory.windows, device=state.positions.device)
        return state.reorder(rows.repeat_interleave(beams))

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one token a row (R,) and give the logits (R, V) of the next."""
        if tokens.shape != state.positions.shape:
            raise ShapeError(
                f"tokens has shape {tuple(tokens.shape)}, but the state has "
                f"{len(state.positions)} rows: one token for each."
            )
        hidden, state = self.decoder.step(tokens, state)
        return self._logits(hidden), state

    def redraw(self, update: int) -> None:
        """Draw the random matrices of training update 1, 2, ..., as the paper does at every one."""
        self.decoder.redraw(update)

    def _logits(self, hidden: Tensor) -> Tensor:
        return nn.functional.linear(hidden, self.decoder.embedding.tokens.weight)

    @property
    def parameters_count(self) -> int:
        """Numbers that training changes; the pool of random matrices is not among them."""
        return sum(parameter.numel() for parameter in self.parameters())
