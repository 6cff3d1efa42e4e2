"""Prepared data is complete, correct and memory-mapped."""

import json
import lzma
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from longways.config import build, read_toml
from longways.corpus.prepare import Reporter, prepare
from longways.corpus.prepared_data import document_names, open_data
from longways.corpus.readers.bad_input import BadInputPolicy
from longways.corpus.recipe import CorpusConfig, FilesConfig, read_split
from longways.corpus.statistics import draw, histogram, statistics
from longways.errors import ConfigError, CorpusError
from longways.recipes import RECIPES, recipe_names
from longways.text.config import TextConfig
from longways.text.tokenizers.special_tokens import SEP
from longways.training.config import build_run

ROOT = Path(__file__).parents[2]
QUIET = Reporter(lambda *_: None, lambda _: None)
WORDS = ["the", "cat", "sat", "on", "a", "mat", "and", "ran", "off", "to", "find", "some", "fish"]


def write_corpus(folder: Path, documents: int = 30) -> None:
    rng = np.random.default_rng(0)
    for split, count in (("train", documents), ("dev", 3), ("test", 2)):
        lines = []
        for document in range(count):
            for _ in range(rng.integers(1, 9)):
                words = " ".join(rng.choice(WORDS, size=rng.integers(1, 12)))
                lines.append(f"{split}{document}\t{words}\t{words.upper()} ({document})\n")
        with lzma.open(folder / f"{split}.tsv.xz", "wt", encoding="utf-8") as file:
            file.writelines(lines)


def config(**changes) -> CorpusConfig:
    parts = {s: FilesConfig(files=(f"{s}.tsv.xz",)) for s in ("train", "dev", "test")}
    settings = {"source_language": "en", "target_language": "en", **parts, **changes}
    return CorpusConfig(text=TextConfig(vocabulary=400), **settings)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    write_corpus(folder)
    return folder


@pytest.fixture(scope="module")
def prepared(corpus, tmp_path_factory):
    return prepare(config(), corpus, tmp_path_factory.mktemp("out") / "data", QUIET)


def test_the_arrays_decode_to_the_documents_they_came_from(prepared, corpus):
    text = prepared.text()
    for part in ("train", "dev", "test"):
        split = prepared.split(part)
        documents = list(read_split(config(), part, corpus, BadInputPolicy()))
        assert document_names(prepared.folder, part, len(documents)) == [d.name for d in documents]
        for d, document in enumerate(documents):
            first, last = split.documents[d], split.documents[d + 1]
            assert last - first == len(document)
            for side in ("source", "target"):
                ids, offsets = getattr(split, side), getattr(split, f"{side}_offsets")
                sentences = [
                    ids[offsets[i] : offsets[i + 1] - 1].tolist() for i in range(first, last)
                ]
                assert getattr(text, side).decode(sentences) == getattr(document, side)
                assert all(ids[offsets[i + 1] - 1] == SEP for i in range(first, last))


def test_counts_are_those_of_the_corpus(prepared, corpus):
    for part, count in prepared.counts.items():
        documents = list(read_split(config(), part, corpus, BadInputPolicy()))
        assert (count.documents, count.sentences) == (len(documents), sum(map(len, documents)))
        split = prepared.split(part)
        assert count.target_tokens == int((np.asarray(split.target) != SEP).sum())


def test_arrays_are_mapped_into_memory_not_read(prepared):
    split = prepared.split("train")
    assert isinstance(split.source, np.memmap)
    assert split.source.dtype == np.uint16


def test_statistics_have_the_figures_of_the_paper(prepared):
    row = statistics(prepared)[0]
    count = prepared.counts["train"]
    assert row["split"] == "train"
    assert row["sentences per document"] == round(count.sentences / count.documents, 1)
    assert row["windows L=1"] == count.sentences
    assert row["windows L=4"] > count.sentences
    bars = histogram(prepared.split("train"), "source")
    assert sum(bars) == count.sentences
    assert draw([0, 1, 8]) == " ▁█"


def test_preparing_twice_gives_the_same_bytes(prepared, corpus, tmp_path):
    again = prepare(config(), corpus, tmp_path / "data", QUIET)
    for path in sorted(prepared.folder.rglob("*")):
        if path.is_file():
            assert (
                path.read_bytes() == (again.folder / path.relative_to(prepared.folder)).read_bytes()
            )


def test_an_existing_folder_is_overwritten_only_with_force(prepared, corpus):
    with pytest.raises(CorpusError, match="already there"):
        prepare(config(), corpus, prepared.folder, QUIET)
    again = prepare(config(), corpus, prepared.folder, QUIET, force=True)
    assert again.counts == prepared.counts


def test_bad_input_stops_or_is_dropped_and_counted(corpus, tmp_path):
    for part in ("dev", "test"):
        (tmp_path / f"{part}.tsv.xz").write_bytes((corpus / f"{part}.tsv.xz").read_bytes())
    with lzma.open(corpus / "train.tsv.xz") as file:
        good = file.read()
    bad = good + b"z\tonly one side\nz\t\xff\xfe\tx\nz\t\0\tx\nz\t\tempty\n"
    with lzma.open(tmp_path / "train.tsv.xz", "wb") as file:
        file.write(bad)
    with pytest.raises(CorpusError, match=r"train.tsv.xz, line \d+: 2 columns"):
        prepare(config(), tmp_path, tmp_path / "out", QUIET)
    assert not (tmp_path / "out").exists()
    data = prepare(config(), tmp_path, tmp_path / "out", QUIET, skip_bad=True)
    assert data.dropped["train"] == {
        "missing side": 1, "invalid UTF-8": 1, "NUL byte": 1, "empty sentence": 1,
    }  # fmt: skip
    assert data.dropped["dev"] == {}


@pytest.mark.parametrize("longest", [1, 3, 8])
def test_long_documents_are_cut_and_no_sentence_is_lost(corpus, longest):
    def read(longest: int) -> list:
        test = FilesConfig(files=("test.tsv.xz",), longest=longest)
        return list(read_split(config(test=test), "test", corpus, BadInputPolicy()))

    whole, parts = read(0), read(longest)
    for side in ("source", "target"):
        sentences = [[s for d in found for s in getattr(d, side)] for found in (whole, parts)]
        assert sentences[0] == sentences[1]
    assert max(map(len, parts)) <= longest
    assert len(parts) == sum(-(-len(document) // longest) for document in whole)
    assert len({part.name for part in parts}) == len(parts)


def test_a_missing_file_names_where_to_get_it(tmp_path):
    with pytest.raises(CorpusError, match=r"There is no .*train.tsv.xz.*--data.*the moon"):
        prepare(config(where="the moon"), tmp_path, tmp_path / "out", QUIET)


def test_a_split_without_sentences_is_named(corpus, tmp_path):
    for part in ("train", "test"):
        (tmp_path / f"{part}.tsv.xz").write_bytes((corpus / f"{part}.tsv.xz").read_bytes())
    (tmp_path / "dev.tsv.xz").write_bytes(lzma.compress(b""))
    with pytest.raises(CorpusError, match="The dev split has no sentences"):
        prepare(config(), tmp_path, tmp_path / "out", QUIET)
    with pytest.raises(CorpusError, match="no training files"):
        prepare(config(train=FilesConfig()), tmp_path, tmp_path / "out", QUIET)


def test_more_files_are_encoded_with_a_text_pipeline_that_exists(prepared, corpus, tmp_path):
    only_test = config(train=FilesConfig(), dev=FilesConfig())
    more = prepare(only_test, corpus, tmp_path / "more", QUIET, text=prepared.text())
    assert list(more.counts) == ["test"]
    assert np.array_equal(more.split("test").source, prepared.split("test").source)
    other = config(source_language="zh", train=FilesConfig(), dev=FilesConfig())
    with pytest.raises(CorpusError, match=r"The corpus is zh-en, but .* learned for en-en"):
        prepare(other, corpus, tmp_path / "other", QUIET, text=prepared.text())


@pytest.mark.parametrize("delay", [0.3, 0.6, 0.9, 1.2])
def test_a_killed_run_leaves_no_folder_and_running_again_completes_it(tmp_path, delay):
    write_corpus(tmp_path, documents=3000)
    command = [
        sys.executable, "-m", "longways", "prepare", "--languages", "en-en",
        "--train", str(tmp_path / "train.tsv.xz"), "--set", "corpus.text.vocabulary=400",
        str(tmp_path / "out"),
    ]  # fmt: skip
    process = subprocess.Popen(command, cwd=ROOT)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if (tmp_path / "out").exists():  # it was done before the kill
        assert open_data(tmp_path / "out").counts["train"].documents == 3000
    done = subprocess.run([*command, "--force"], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0
    assert open_data(tmp_path / "out").counts["train"].documents == 3000
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


class TestDamagedFolders:
    @pytest.fixture
    def folder(self, prepared, tmp_path):
        for path in prepared.folder.rglob("*"):
            if path.is_file():
                copy = tmp_path / path.relative_to(prepared.folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
        return tmp_path

    def test_no_data_at_all(self, tmp_path):
        with pytest.raises(CorpusError, match="There is no folder of prepared data at"):
            open_data(tmp_path / "none")

    def test_another_format(self, folder):
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"format": 2}))
        with pytest.raises(CorpusError, match=r"format 2, but this Longways .* reads up to 1"):
            open_data(folder)

    @pytest.mark.parametrize("content", ["", "{}", "[]", "{", '{"format": 1}'])
    def test_an_invalid_config(self, folder, content):
        (folder / "config.json").write_text(content)
        with pytest.raises(CorpusError, match=r"config\.json"):
            open_data(folder)

    def test_a_truncated_array(self, folder):
        path = folder / "train" / "source.npy"
        path.write_bytes(path.read_bytes()[:-2])
        with pytest.raises(CorpusError, match=r"source.npy is missing or damaged"):
            open_data(folder).split("train")

    def test_an_array_of_another_corpus(self, folder):
        (folder / "dev" / "documents.npy").replace(folder / "train" / "documents.npy")
        with pytest.raises(CorpusError, match=r"holds 4 numbers, but config.json counts 31"):
            open_data(folder).split("train")

    def test_a_missing_split(self, folder):
        with pytest.raises(CorpusError, match="no split 'valid'; it has: train, dev, test"):
            open_data(folder).split("valid")


class TestRecipes:
    @pytest.mark.parametrize("name", recipe_names())
    def test_every_recipe_loads_and_says_where_the_data_is(self, name):
        values = read_toml(RECIPES / name)
        recipe = build(CorpusConfig, values["corpus"], name)
        assert recipe.where
        assert build_run(values, (24_000, 24_000), name).batches.L == 4
        assert all(recipe.files(split) for split in ("train", "dev", "test"))

    @pytest.mark.parametrize(
        ("settings", "words"),
        [
            ({"format": "plain", "files": ("a",)}, "source and target files, not `files`"),
            ({"format": "tsv", "source": ("a",), "target": ("b",)}, "has `files`, not"),
            ({"format": "plain", "source": ("a",)}, "1 source files, but 0 target files"),
            (
                {"format": "groups", "source": ("a",), "target": ("b",), "starts": ("c",)},
                "starts needs",
            ),
        ],
    )
    def test_files_that_do_not_fit_the_format_are_named(self, settings, words):
        with pytest.raises(ConfigError, match=words):
            FilesConfig(**settings)
