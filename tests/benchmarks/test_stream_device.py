"""Stream models and transformers are measured on the same parts of documents."""

from dataclasses import replace

import pytest
from benchmarks.stream import device

from longways.benchmark.speed.models import new_model
from longways.errors import ConfigError
from longways.model.checkpoint import save_model
from longways.model.config import preset
from tests.training.runs import prepare_toy

SIZES = {"dim": 16, "heads": 4, "feed_forward": 16, "encoder_layers": 1, "decoder_layers": 1}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


@pytest.fixture(scope="module")
def plan(data, tmp_path_factory):
    folders, (source, target) = tmp_path_factory.mktemp("models"), data.vocabularies
    words = {"source_vocabulary": source, "target_vocabulary": target}
    for name in ("stream", "transformer"):
        save_model(new_model(preset(name, **SIZES, **words), "cpu"), folders / name, L=2)
        (folders / name / "text").symlink_to(data.folder / "text")
    stream, transformer = folders / "stream", folders / "transformer"
    return device.Plan(
        stream,
        transformer,
        data.folder,
        transformer,
        "dev",
        together=8,
        longest=3,
        beams=(1,),
        rounds=1,
        device="cpu",
    )


def test_every_system_is_measured_with_its_bleu(plan):
    result = device.measure(plan)
    systems = ["stream", "transformer, L=2, sliding", "transformer, L=1"]
    assert [row["system"] for row in result.rows] == systems
    for row in result.rows:
        assert row["sentences a second"] > 0
        assert 0 <= row["document BLEU"] <= 100
    assert result.rows[0]["stream is faster by"] == 1


def test_parts_have_all_sentences_of_the_documents_once(data, plan):
    parts, whole = device.cut(data, plan), device.cut(data, replace(plan, longest=1000))
    assert max(map(len, parts.sources)) == 3 < max(map(len, whole.sources))
    sources, references = (
        [sorted(str(one) for document in kind for one in document) for kind in side]
        for side in zip(parts, whole, strict=True)
    )
    assert sources[0] == sources[1]
    assert references[0] == references[1]
    assert [len(d) for d in parts.sources] == [len(d) for d in parts.references]


def test_sentences_alone_have_the_translations_of_windows_of_one(data, plan):
    *_, alone = device.open_systems(plan)
    given = device.cut(data, plan).sources[:3]
    windows = alone._replace(is_alone=False, folder=replace(alone.folder, L=1))
    assert alone(given, 1, 4) == windows(given, 1, 4)


def test_a_window_model_in_place_of_the_stream_model_is_refused(plan):
    with pytest.raises(ConfigError, match="is not a stream model"):
        device.measure(replace(plan, stream=plan.transformer))
