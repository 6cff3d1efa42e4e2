"""Translations on a GPU equal those of the CPU, for any batch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import TranslateConfig
from longways.decoding.runtime import pad_rows
from longways.decoding.torch import TorchRuntime
from longways.decoding.torch_stream import torch_runtime
from longways.decoding.windows import source_window
from longways.model.config import PRESETS
from longways.translation.documents import gather, translate_documents
from tests.decoding.tiny import random_sentences, tiny_runtime

pytestmark = pytest.mark.gpu

SIZES = "heads=4", "pool=8"
"""Enough heads for two document heads, and a random matrix for each."""


def corpus() -> list[list[list[int]]]:
    rng = np.random.default_rng(0)
    return [random_sentences(size, rng, shortest=0) for size in rng.integers(1, 9, 12)]


def translate(runtime: TorchRuntime, documents: list[list[list[int]]], beams: int):
    config = TranslateConfig(search=SearchConfig(beams=beams), documents=5, windows=3)
    return gather(translate_documents(runtime, documents, config), [len(d) for d in documents])


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", PRESETS)
def test_translations_equal_the_cpu_for_one_or_many_documents(name, beams):
    here = tiny_runtime(name, *SIZES)
    there = torch_runtime(tiny_runtime(name, *SIZES).model.cuda())
    documents = corpus()
    wanted = translate(here, documents, beams)
    assert translate(there, documents, beams) == wanted
    assert [translate(there, [document], beams)[0] for document in documents] == wanted


@pytest.mark.parametrize("name", PRESETS)
def test_scores_equal_the_cpu_and_are_close_in_bfloat16(name):
    here = tiny_runtime(name, *SIZES, dtype=torch.float32)
    windows = pad_rows([source_window([s for s in d if s]) for d in corpus() if any(d)])
    wanted = here.score(windows, windows)
    there = torch_runtime(here.model.cuda())
    np.testing.assert_allclose(there.score(windows, windows), wanted, atol=1e-3)
    rough = torch_runtime(there.model, torch.bfloat16).score(windows, windows)
    assert 0 < abs(rough - wanted).max() < 2
