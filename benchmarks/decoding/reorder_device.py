"""Decoding steps on a device, with and without the reordering of beams.

B slots, K beams.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from longways.benchmark.speed.windows import Shape, windows_of
from longways.decoding.beam_search import Limits, SearchConfig
from longways.decoding.gpu import captured_decoder
from longways.decoding.gpu.decoder_layer import StepInput
from longways.decoding.gpu.next_token import EmbeddedTokens
from longways.decoding.runtime import Tokens
from longways.model.translation import TranslationModel

MAX_NEW_TOKENS = 1024
"""Tokens that the decoder can add after the prefix."""


class UnorderedDecoder(captured_decoder.CapturedDecoder):
    """A decoder in which every beam continues itself, whatever the search decides."""

    def _step_input(self, tokens: EmbeddedTokens, capacity: int) -> StepInput:
        return replace(super()._step_input(tokens, capacity), parents=None)


class DeviceSteps:
    """Two decoders with the same prefix: one reorders its beams, the other does not."""

    tokens_per_step = captured_decoder.STEPS_PER_GRAPH

    def __init__(self, model: TranslationModel, shape: Shape, beams: int = 4) -> None:
        self.moved = decoder_after(captured_decoder.CapturedDecoder, model, shape, beams)
        self.still = decoder_after(UnorderedDecoder, model, shape, beams)

    def step(self, parents: Tokens | None) -> object:
        """Take a few steps; with parents, the decoder follows the parents of its own search."""
        return (self.still if parents is None else self.moved).advance()

    def copied(self, parents: Tokens) -> None:
        """None: the decoder uses the parents of its own search."""


def decoder_after(
    kind: type[captured_decoder.CapturedDecoder],
    model: TranslationModel,
    shape: Shape,
    beams: int,
    read: int | None = None,
) -> captured_decoder.CapturedDecoder:
    """A decoder with a prefix of `read` tokens in every slot, by default of a whole window."""
    config = model.config
    windows = windows_of(shape, min(config.source_vocabulary, config.target_vocabulary))
    new_tokens = min(MAX_NEW_TOKENS, config.positions - shape.tokens)
    decoder = kind(model, SearchConfig(beams=beams), shape.batch, shape.tokens, new_tokens)
    lengths = np.full(shape.batch, new_tokens)
    sources = [window.source for window in windows]
    prefixes = [[config.bos, *source[: read or -1]] for source in sources]
    limits = Limits(lengths, lengths, np.zeros(shape.batch, dtype=np.int64))
    decoder.place(range(shape.batch), sources, prefixes, limits)
    return decoder
