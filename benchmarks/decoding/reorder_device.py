"""Steps of the decoder that stays on its device, with parents and without.

B slots, K beams.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from longways.benchmark.speed.windows import Shape, windows_of
from longways.decoding.beam_search import Limits, SearchConfig
from longways.decoding.gpu import captured_decoder
from longways.decoding.gpu.decoder_layer import LayerStep
from longways.decoding.gpu.next_token import Read
from longways.decoding.runtime import Tokens
from longways.model.translation import TranslationModel

MORE = 1024
"""Tokens that there is room for after those already read."""


class StillSteps(captured_decoder.CapturedDecoder):
    """Steps in which every beam goes on after itself, whatever the search decides."""

    def _turn(self, read: Read, room: int) -> LayerStep:
        return replace(super()._turn(read, room), parents=None)


class DeviceSteps:
    """Two decoders after the same text: one follows its beams, the other does not."""

    at_once = captured_decoder.STEPS

    def __init__(self, model: TranslationModel, shape: Shape, beams: int = 4) -> None:
        self.moved = decoder_after(captured_decoder.CapturedDecoder, model, shape, beams)
        self.still = decoder_after(StillSteps, model, shape, beams)

    def step(self, parents: Tokens | None) -> object:
        """A few steps; with parents, those that the search itself has chosen."""
        return (self.still if parents is None else self.moved).advance()

    def copied(self, parents: Tokens) -> None:
        """They are not followed."""


def decoder_after(
    kind: type[captured_decoder.CapturedDecoder],
    model: TranslationModel,
    shape: Shape,
    beams: int,
    read: int | None = None,
) -> captured_decoder.CapturedDecoder:
    """A decoder that has read so many tokens in every slot, by default those of a whole window."""
    config = model.config
    windows = windows_of(shape, min(config.source_vocabulary, config.target_vocabulary))
    more = min(MORE, config.positions - shape.tokens)
    opened = kind(model, SearchConfig(beams=beams), shape.batch, shape.tokens, more)
    lengths = np.full(shape.batch, more)
    sources = [window.source for window in windows]
    prefixes = [[config.bos, *source[: read or -1]] for source in sources]
    limits = Limits(lengths, lengths, np.zeros(shape.batch, dtype=np.int64))
    opened.place(range(shape.batch), sources, prefixes, limits)
    return opened
