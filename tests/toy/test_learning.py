"""The toy task must be learned: with context, and not without it."""

from pathlib import Path

import pytest
import torch

from longways.toy.config import read_toy_recipe
from longways.toy.train import corpora, train
from longways.toy.translate import other_accuracy, pronoun_accuracy, translate

RECIPE = Path(__file__).parents[2] / "recipes" / "toy"


def scores(*overrides: str) -> tuple[float, float]:
    config = read_toy_recipe(RECIPE, overrides)
    documents, test_documents = corpora(config)
    output = translate(train(config, documents), test_documents, config.L)
    return pronoun_accuracy(output, test_documents), other_accuracy(output, test_documents)


def test_rfa_sgate_with_four_sentences_learns_what_one_sentence_cannot_tell():
    pronouns, others = scores("batches.L=4")
    assert pronouns >= 0.98
    assert others >= 0.95
    pronouns, others = scores("batches.L=1")
    assert others >= 0.95  # it has learned the language ...
    assert 0.02 <= pronouns <= 0.25  # ... and guesses one name in eight


@pytest.mark.parametrize("name", ["transformer", "hybrid"])
def test_models_with_softmax_cross_attention_learn_it_in_half_the_updates(name):
    pronouns, _ = scores(f"model.preset={name}", "training.updates=200")
    assert pronouns >= 0.98


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
