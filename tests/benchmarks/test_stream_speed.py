"""The speed of stream models is compared with CTranslate2 over the same windows and documents."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch
from benchmarks.stream import speed
from benchmarks.stream.ctranslate import CTranslateRuntime

from longways.benchmark.speed.ctranslate import convert
from longways.benchmark.speed.models import new_model
from longways.decoding.beam_search import SearchConfig
from longways.decoding.config import LengthConfig, TranslateConfig
from longways.decoding.torch_stream import torch_runtime
from longways.errors import ConfigError
from longways.export.exporter import export_model
from longways.model.checkpoint import save_model
from longways.model.config import preset
from longways.model.translation import TranslationModel
from longways.translation.documents import gather, translate_documents
from longways.translation.model_folder import default_model

SIZES = {"dim": 32, "heads": 4, "feed_forward": 64, "encoder_layers": 2, "decoder_layers": 2}
LENGTH = {"ratio": 0.0, "extra": 5, "min_tokens": 1}
LINES = ["a\t打开终端。\tOpen the terminal.", "a\t运行命令。\tRun it.", "b\t好。\tFine."]


def tiny(name: str, vocabulary: int) -> TranslationModel:
    words = {"source_vocabulary": vocabulary, "target_vocabulary": vocabulary}
    return new_model(preset(name, norm="pre", **SIZES, **words), "cpu")


@pytest.mark.parametrize("shared", [False, True])
def test_sliding_windows_in_ctranslate2_have_our_own_greedy_translations(tmp_path, shared):
    model = tiny("transformer", 200)
    with torch.no_grad():  # a likely separator, so that translations end by themselves, too
        model.decoder.embedding.tokens.weight[model.config.sep] *= 1.5
    convert(model, tmp_path / "model", None)
    runtime = CTranslateRuntime(tmp_path / "model", model.config, 2, shared=shared)
    rng = np.random.default_rng(0)
    documents = [
        [rng.integers(4, 200, rng.integers(1, 9)).tolist() for _ in range(sentences)]
        for sentences in (3, 6, 2)
    ]
    config = TranslateConfig(
        L=3, search=SearchConfig(beams=1), length=LengthConfig(ratio=1, extra=8), documents=4
    )
    wanted, found = (
        gather(translate_documents(one, documents, config), [3, 6, 2])
        for one in (torch_runtime(model), runtime)
    )
    assert found == wanted
    assert len({tuple(sentence) for document in found for sentence in document}) > 1


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """An exported stream model and a transformer, with the bundled tokenizer."""
    root = tmp_path_factory.mktemp("models")
    for name in ("stream", "transformer"):
        save_model(tiny(name, 16_000), root / name, L=2, length=LENGTH)
        shutil.copytree(default_model() / "text", root / name / "text")
    export_model(root / "stream", root / "stream-int8", int8=True)
    return root


@pytest.fixture
def plan(folders, tmp_path):
    data = tmp_path / "test.en.tsv"
    data.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    transformer = folders / "transformer"
    return speed.Plan(
        folders / "stream-int8", transformer, transformer, data,
        beams=(1, 2), rounds=1, together=(2,), threads=1,
    )  # fmt: skip


def test_every_system_is_measured_with_its_bleu_in_every_setting(plan):
    result = speed.measure(plan)
    systems = ["stream", "CTranslate2, L=2, sliding", "CTranslate2, L=1"]
    assert [(row["beam"], row["system"]) for row in result.rows] == [
        (beam, system) for beam in (1, 2) for system in systems
    ]
    assert result.settings["sentences"] == 3
    for row in result.rows:
        assert row["sentences a second"] > 0
        assert 0 <= row["document BLEU"] <= 100
        assert row["stream is faster by"] == 1 if row["system"] == "stream" else True


def test_sentences_alone_and_in_windows_of_one_have_the_same_translations():
    runtime = torch_runtime(tiny("transformer", 200))
    documents = [[[5, 6], [], [7]], [[8, 9, 10]]]
    config = TranslateConfig(L=1, length=LengthConfig(**LENGTH), search=SearchConfig(beams=1))
    wanted = gather(translate_documents(runtime, documents, config), [3, 1])
    assert speed._sentences(runtime, documents, config) == wanted


def test_a_window_model_in_place_of_the_stream_model_is_refused(plan):
    with pytest.raises(ConfigError, match="is not a stream model"):
        speed.measure(replace(plan, stream=plan.transformer))
