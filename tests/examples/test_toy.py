"""The toy task must be learned: with context, and not without it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from examples.toy import (
    RECIPE,
    ToyCorpus,
    corpora,
    other_accuracy,
    pronoun_accuracy,
    read_toy_recipe,
    train,
    translate,
)  # fmt: skip

from longways.corpus.readers.toy import NAMES, TARGET_WORDS, make_documents
from longways.model.manifest import read_manifest
from longways.text.tokenizers.special_tokens import SEP

ROOT = Path(__file__).parents[2]
FEW = ["--set", "training.updates=3", "--set", "corpus.train.documents=5"]


def scores(*overrides: str) -> tuple[float, float]:
    config = read_toy_recipe(RECIPE, overrides)
    documents, test_documents = corpora(config)
    output = translate(train(config, documents), test_documents, config.L)
    return pronoun_accuracy(output, test_documents), other_accuracy(output, test_documents)


@pytest.mark.first
def test_rfa_sgate_with_four_sentences_learns_the_pronouns():
    pronouns, others = scores("batches.L=4")
    assert pronouns >= 0.98
    assert others >= 0.95


@pytest.mark.parametrize(
    "model",
    [
        ("model.preset=transformer", "training.updates=200"),
        pytest.param(("model.preset=rfa-sgate",), marks=pytest.mark.slow),
    ],
)
def test_one_sentence_does_not_tell_the_pronouns(model):
    pronouns, others = scores("batches.L=1", *model)
    assert others >= 0.95  # it has learned the language ...
    assert 0.02 <= pronouns <= 0.25  # ... and guesses one name in eight


@pytest.mark.parametrize("name", ["transformer", "hybrid"])
def test_models_with_softmax_cross_attention_learn_it_in_half_the_updates(name):
    pronouns, _ = scores(f"model.preset={name}", "training.updates=200")
    assert pronouns >= 0.98


def test_a_toy_corpus_has_the_arrays_of_prepared_data():
    made = make_documents(3, seed=0)
    corpus = ToyCorpus(made)
    split = corpus.split()
    assert split.documents.tolist() == np.cumsum([0, *(len(d.source) for d in made)]).tolist()
    for ids, offsets, sentences in (
        (split.source, split.source_offsets, corpus.source),
        (split.target, split.target_offsets, corpus.target),
    ):
        for i, sentence in enumerate(sentences):
            assert ids[offsets[i] : offsets[i + 1]].tolist() == [*sentence, SEP]
    assert TARGET_WORDS.text(corpus.target[0]).split()[0] in NAMES.values()


def test_the_same_recipe_gives_the_same_bits():
    config = read_toy_recipe(RECIPE, ["training.updates=5", "corpus.train.documents=20"])
    documents, _ = corpora(config)
    first, second = (train(config, documents).state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)
    changed = read_toy_recipe(
        RECIPE, ["training.updates=5", "corpus.train.documents=20", "training.seed=2"]
    )
    other = train(changed, documents)
    assert not torch.equal(
        other.encoder.embedding.tokens.weight, first["encoder.embedding.tokens.weight"]
    )


def toy(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "examples/toy.py", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def test_the_script_trains_saves_and_shows(tmp_path):
    done = toy(*FEW, "--save", str(tmp_path / "model"), "-o", str(tmp_path / "toy.json"))
    assert done.returncode == 0, done.stderr
    assert "A document the model has never seen" in done.stdout
    assert done.stderr == ""  # no progress bar in a pipe
    assert "pronouns right" in read_manifest(tmp_path / "model").facts["scores"]
    rows = json.loads((tmp_path / "toy.json").read_text())["rows"]
    assert [row["L"] for row in rows] == [4, 1]


def test_the_script_prints_json_alone():
    result = json.loads(toy(*FEW, "--json").stdout)
    assert [row["L"] for row in result["rows"]] == [4, 1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/nowhere"], "There is no recipe at /nowhere."),
        (["--set", "model.hedas=2"], "Did you mean 'model.heads'?"),
        (["--set", "model.heads=5"], "heads must divide dim"),
        (["--set", "model.preset=rnn"], "There is no preset 'rnn'."),
        (["--set", "model.positions=8"], "the model has 8 positions"),
    ],
)
def test_bad_input_to_the_script_is_one_sentence(arguments, words):
    done = toy(*arguments)
    assert done.returncode == 1
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
