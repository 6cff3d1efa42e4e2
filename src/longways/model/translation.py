"""The translation model: windows of source sentences in, windows of target sentences out.

B windows, R = B x beams rows, N source tokens, T target tokens, P prefix tokens, V target
vocabulary.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from longways.errors import ShapeError
from longways.model.config import ModelConfig
from longways.model.decoder import Decoder, Memory, State
from longways.model.encoder import Encoder

CLOSED_BIAS = -1e4
"""The output bias of a token that a model never predicts; its probability is 0 in every precision.
It is finite, so that label smoothing and gradients are."""

CACHE_HEADROOM_TOKENS = 64
"""The initial capacity of a KV cache beyond the prefix. The cache doubles when it is full."""


class TranslationModel(nn.Module):
    """An encoder and a decoder whose output layer is the target embedding, and maybe a bias.

    Windows are right-padded token ids. A source window is `s1 <sep> s2 <eos>`; a target window is
    read as `<bos> t1 <sep> t2` and predicted as `t1 <sep> t2 <eos>`.
    """

    output_bias: nn.Parameter | None  # (V,)

    def __init__(self, config: ModelConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder = self.make_encoder(config)
        self.decoder = self.make_decoder(config)
        if config.share_embeddings:
            self.encoder.embedding = self.decoder.embedding
        bias = nn.Parameter(torch.zeros(config.target_vocabulary)) if config.output_bias else None
        self.register_parameter("output_bias", bias)

    def make_encoder(self, config: ModelConfig) -> Encoder:
        """The encoder of a window model."""
        assert not config.is_stream, "`build_model` builds stream models"
        return Encoder(config)

    def make_decoder(self, config: ModelConfig) -> Decoder:
        """The decoder of a window model."""
        return Decoder(config)

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:
        """Logits (B, T, V) for every target token, given source (B, N) and target_in (B, T)."""
        if len(source) != len(target_in):
            raise ShapeError(
                f"There are {len(source)} source windows, but {len(target_in)} target windows."
            )
        return self.logits(self.decoder(target_in, self.encode(source)))

    def encode(self, source: Tensor) -> Memory:
        """The memory of source windows (B, N), computed once for all target tokens."""
        if source.ndim != 2:
            raise ShapeError(f"source has shape {tuple(source.shape)}, but it must be (B, N).")
        return self.remember(self.encoder(source, source != self.config.pad), source)

    def remember(self, encoded: Tensor, source: Tensor) -> Memory:
        """The memory of the encoded windows (B, N, d) of `source` (B, N)."""
        separators = source == self.config.sep
        return self.decoder.remember(encoded, source != self.config.pad, separators)

    def aligned(self, source: Tensor, target_in: Tensor) -> Tensor:
        """The source tokens (B, N), or (B, T, N), that target tokens may be aligned with."""
        return source != self.config.pad

    def start(self, memory: Memory, prefix: Tensor | None = None, beams: int = 1) -> State:
        """The state before the first `step`, with a forced prefix (B, P) read in one parallel pass.

        The prefix is all tokens before the first token of `step`: for the third sentence of a
        window `<bos> t1 <sep> t2`, after which `step` reads `<sep>`. Shorter rows are padded at the
        end. Each window gets `beams` equal, adjacent rows.
        """
        tokens = prefix.shape[1] if prefix is not None else 0
        state = self.decoder.start(memory, tokens + CACHE_HEADROOM_TOKENS)
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
        """Read one token for each row (R,) and return the logits (R, V) of the next."""
        if tokens.shape != state.positions.shape:
            raise ShapeError(
                f"tokens has shape {tuple(tokens.shape)}, but the state has "
                f"{len(state.positions)} rows: one token for each."
            )
        hidden, state = self.decoder.step(tokens, state)
        return self.logits(hidden), state

    def redraw(self, update: int) -> None:
        """Draw the random matrices of a training update (1, 2, ...), as the paper does."""
        self.decoder.redraw(update)

    def logits(self, hidden: Tensor) -> Tensor:
        """The logits (..., V) of the decoder's hidden vectors (..., d)."""
        return nn.functional.linear(hidden, self.decoder.embedding.tokens.weight, self.output_bias)

    @property
    def parameters_count(self) -> int:
        """The number of trained parameters, without the pool of random matrices."""
        return sum(parameter.numel() for parameter in self.parameters())
