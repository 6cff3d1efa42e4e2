# ruff: noqa: RUF001 - full-width marks look like ASCII ones
"""An imported model becomes a document model: windows, or a stream."""

from pathlib import Path

import pytest

import longways
from longways.config import build
from longways.corpus.prepare import prepare
from longways.corpus.recipe import CorpusConfig
from longways.export.exporter import export_model
from longways.importing.importer import import_model
from longways.model.manifest import read_manifest
from longways.recipes import RECIPES
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.text.pipeline import TextPipeline
from longways.training.config import build_run, read_tables
from longways.training.loop import Trainer
from tests.importing.folders import write_marian
from tests.text.corpus import pairs
from tests.text.marian import TAGS
from tests.training.runs import ALONE, QUIET

SIZES = {"dim": 32, "heads": 4, "feed_forward": 48, "encoder_layers": 2, "decoder_layers": 2}


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    parent = tmp_path_factory.mktemp("imported")
    import_model(write_marian(parent, tags=TAGS, std=0.2), parent / "model", target="eng")
    return parent / "model"


@pytest.fixture(scope="module")
def data(imported, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    lines = [f"d{n // 5}\t{a}\t{b}\n" for n, (a, b) in enumerate(pairs("zh", "en", 60))]
    (folder / "all.tsv").write_text("".join(lines))
    files = {"format": "tsv", "files": [str(folder / "all.tsv")]}
    values = {"source_language": "zh", "target_language": "en", "train": files, "dev": files}
    text = TextPipeline.load(imported / TEXT_FOLDER)
    config = build(CorpusConfig, values, "test")
    return prepare(config, Path(), folder / "data", QUIET, text)


@pytest.mark.parametrize("name", ["transformer", "stream"])
def test_the_recipe_trains_an_exportable_document_model(imported, data, tmp_path, name):
    tables = read_tables(RECIPES / "imported-zh-en")
    kinds = {"preset": name, **({"stream": {"projection": 4}} if name == "stream" else {})}
    tables["model"] |= {**SIZES, **kinds, "positions": 128, "pool": 8}
    tables["batches"] |= {"tokens": 400, "shapes": 3}
    tables["training"] |= {"updates": 2, "evaluate_every": 2, "save_every": 2, "warmup": 1}
    tables["training"] |= {"precision": "float32", "init_from": str(imported)}
    config = build_run(tables, data.vocabularies, "test")
    trainer = Trainer(config, data, tmp_path, ALONE)
    assert trainer.warm_start is not None
    assert trainer.warm_start.unused == ()
    assert {part for one in trainer.warm_start.new for part in one.split(".")}.isdisjoint(
        {"embedding", "output_bias", "feed_forward", "norm"}
    )
    trainer.run()
    export_model(tmp_path / "best", tmp_path / "out", int8=True)
    assert same_pipeline(imported / TEXT_FOLDER, tmp_path / "out" / TEXT_FOLDER)
    assert read_manifest(tmp_path / "out").facts["L"] == 4
    translator = longways.load(tmp_path / "out")
    assert translator.translate(["她说：“把那5条船留在原地！”", "船"])
