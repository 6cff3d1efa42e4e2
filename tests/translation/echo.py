"""A model that says every sentence again: what comes out shows what text handling has done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from longways.decoding.runtime import EXTRA_CANDIDATES
from longways.text.tokenizers.special_tokens import EOS, PAD, SEP, UNK
from longways.translation.model_folder import ModelFolder
from longways.translation.translator import Translator
from tests.text.corpus import SMALL, pipeline


@dataclass
class EchoState:
    """What is left to say of each window."""

    left: list[list[int]]


class EchoRuntime:
    """Gives the last sentence of each source window, token by token, and ends it."""

    framework = "echo"

    def __init__(self, positions: int = 512) -> None:
        self.positions, self.windows = positions, 0

    def encode(self, windows):
        self.windows += len(windows)
        rows = [[t for t in row if t != PAD] for row in windows.tolist()]
        assert all(row[-1] == EOS and len(row) <= self.positions for row in rows)
        starts = [len(row) - row[-2::-1].index(SEP) - 1 if SEP in row else 0 for row in rows]
        return EchoState([row[start:] for row, start in zip(rows, starts, strict=True)])

    def start(self, memory, prefix, beams):
        return memory

    def step(self, tokens, parents, state):
        windows, beams = tokens.shape
        ids = np.full((windows, beams, beams + EXTRA_CANDIDATES), UNK + 1)
        ids += np.arange(beams + EXTRA_CANDIDATES)
        scores = np.full(ids.shape, -50.0)
        ids[:, :, 0] = np.array([row[0] if row else EOS for row in state.left])[:, None]
        scores[:, :, 0] = -0.5
        return scores, ids, EchoState([row[1:] for row in state.left])

    def select(self, state, windows):
        return EchoState([state.left[window] for window in windows])

    def score(self, source, target):
        raise NotImplementedError

    def align(self, source, target):
        """Every token comes from the one at its place."""
        return np.broadcast_to(
            np.eye(target.shape[1], source.shape[1]),
            (len(source), target.shape[1], source.shape[1]),
        )


def echo_translator(source="zh", target="en", L=3, positions=512) -> Translator:
    """Raw text is encoded, so that normalisation cannot hide what was lost."""
    text = pipeline(source, target, SMALL)
    text = replace(text, config=replace(text.config, normalisation=0))
    return Translator(ModelFolder(Path(), text, L, L), EchoRuntime(positions))
