"""A trained model of one kind as the start of another."""

import pytest
import torch

from longways.errors import ConfigError, DamagedCheckpoint
from longways.model.checkpoint import load_model, save_model
from longways.model.translation import CLOSED_BIAS, TranslationModel
from longways.text.manifest import TEXT_FOLDER, same_pipeline
from longways.training.loop import Trainer
from longways.training.model_selection import average
from longways.training.warm_start.weights import copy_weights
from tests.training.runs import ALONE, prepare_toy, tiny_run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


@pytest.fixture(scope="module")
def transformer(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("transformer")
    Trainer(tiny_run(data, {"preset": "transformer"}, average=2), data, folder, ALONE).run()
    return folder


def test_a_transformer_gives_an_rfa_model_all_it_has(data, transformer):
    theirs = load_model(transformer / "best")
    model = TranslationModel(tiny_run(data).model)
    found = copy_weights(model, transformer / "best", same_text=True)
    assert len(found.copied) == len(list(theirs.parameters()))
    assert {name.split(".", 3)[-1] for name in found.new} == {
        "causal.f.weight", "causal.f.bias", "causal.phi.tau", "cross.phi.tau"
    }  # fmt: skip
    assert not found.unused
    for name, parameter in theirs.named_parameters():
        assert torch.equal(model.get_parameter(name), parameter)
    assert "weights copied. 4 are new (decoder.layers.0." in found.describe()


def test_keys_that_heads_share_start_as_the_mean_of_theirs(data, transformer):
    theirs = load_model(transformer / "best")
    heads, dim = theirs.config.heads, theirs.config.dim
    config = tiny_run(data, {"preset": "transformer", "cross": {"kind": "softmax", "key_heads": 1}})
    model = TranslationModel(config.model)
    found = copy_weights(model, transformer / "best", same_text=True)
    assert not found.new
    for side in ("k.weight", "k.bias", "v.weight", "v.bias"):
        name = f"decoder.layers.0.cross.{side}"
        wanted = theirs.get_parameter(name).unflatten(0, (heads, dim // heads)).mean(0)
        assert torch.allclose(model.get_parameter(name), wanted)


def test_keys_in_fewer_heads_than_are_to_be_shared_start_new(data, tmp_path):
    sizes = {"preset": "transformer", "heads": 2, "dim": 16}
    save_model(TranslationModel(tiny_run(data, sizes).model), tmp_path / "two")
    shared = sizes | {"heads": 8, "cross": {"kind": "softmax", "key_heads": 4}}
    found = copy_weights(
        TranslationModel(tiny_run(data, shared).model), tmp_path / "two", same_text=True
    )
    assert {name.split("cross.")[-1] for name in found.new} == {
        "k.weight", "k.bias", "v.weight", "v.bias"
    }  # fmt: skip


def test_heads_with_the_same_keys_are_the_same_when_they_share_them(data, tmp_path):
    """Query heads 0 and 2 have one key head, and so have 1 and 3."""
    sizes = {"preset": "transformer", "heads": 4, "dim": 16}
    alike = TranslationModel(tiny_run(data, sizes).model).eval()
    with torch.no_grad():
        for layer in alike.decoder.layers:
            for linear in (layer.cross.k, layer.cross.v):
                linear.weight[8:], linear.bias[8:] = linear.weight[:8], linear.bias[:8]
    save_model(alike, tmp_path / "alike")
    cross = {"kind": "softmax", "key_heads": 2}
    model = TranslationModel(
        tiny_run(data, {"preset": "transformer", "cross": cross, **sizes}).model
    )
    copy_weights(model, tmp_path / "alike", same_text=True)
    source, target = torch.randint(4, 20, (2, 3, 6))
    torch.testing.assert_close(model.eval()(source, target), alike(source, target))


def test_a_run_starts_from_the_model_it_names_and_only_once(data, transformer, tmp_path):
    config = tiny_run(data, updates=2, init_from=str(transformer / "best"))
    trainer = Trainer(config, data, tmp_path, ALONE)
    assert trainer.warm_start is not None
    name = "encoder.layers.0.attention.q.weight"
    assert torch.equal(
        trainer.model.get_parameter(name), load_model(transformer / "best").get_parameter(name)
    )
    trainer.run()
    assert Trainer(config, data, tmp_path, ALONE).warm_start is None


def test_with_another_vocabulary_the_embeddings_start_new(data, transformer):
    model = TranslationModel(tiny_run(data).model)
    before = model.encoder.embedding.tokens.weight.clone()
    found = copy_weights(model, transformer / "best", same_text=False)
    assert "encoder.embedding.tokens.weight" in found.new
    assert torch.equal(model.encoder.embedding.tokens.weight, before)


def test_a_model_that_never_saw_a_separator_starts_to_predict_it_as_the_end(data, tmp_path):
    settings = {"preset": "transformer", "output_bias": True, "activation": "swish"}
    sentences = TranslationModel(tiny_run(data, settings).model)
    with torch.no_grad():
        assert sentences.output_bias is not None
        sentences.output_bias.normal_()
        sentences.output_bias[[1, 3]] = CLOSED_BIAS
    save_model(sentences, tmp_path / "sentences")
    model = TranslationModel(tiny_run(data, settings).model).eval()
    copy_weights(model, tmp_path / "sentences", same_text=True)
    assert model.output_bias is not None
    assert model.output_bias.min() > -10
    source, target = torch.randint(5, 20, (2, 3, 6))
    logits, before = model(source, target), load_model(tmp_path / "sentences")(source, target)
    assert torch.equal(logits[..., 3], logits[..., 2])
    torch.testing.assert_close(logits[..., 4:], before[..., 4:])
    again = TranslationModel(tiny_run(data, settings).model)
    assert "output_bias" in copy_weights(again, tmp_path / "sentences", same_text=False).new


def test_a_model_of_another_size_is_refused(data, transformer):
    model = TranslationModel(tiny_run(data, {"dim": 24, "feed_forward": 40}).model)
    with pytest.raises(ConfigError, match=r"No weight of .* fits this model"):
        copy_weights(model, transformer / "best", same_text=False)


def test_a_model_folder_includes_its_text_pipeline_and_facts(data, transformer):
    assert same_pipeline(transformer / "best" / TEXT_FOLDER, data.folder / TEXT_FOLDER)
    assert (transformer / "best" / TEXT_FOLDER / "text.json").exists()


def test_the_average_is_the_mean_of_the_last_models(transformer):
    recent = sorted((transformer / "recent").iterdir(), key=lambda f: int(f.name))
    assert [f.name for f in recent] == ["8", "12"]
    first, second = (load_model(folder) for folder in recent)
    mean = load_model(transformer / "average")
    for name, parameter in mean.named_parameters():
        wanted = (first.get_parameter(name) + second.get_parameter(name)) / 2
        torch.testing.assert_close(parameter, wanted)
    assert not torch.equal(
        first.encoder.embedding.tokens.weight, mean.encoder.embedding.tokens.weight
    )


def test_the_average_of_one_model_is_that_model(data, tmp_path):
    model = TranslationModel(tiny_run(data).model)
    save_model(model, tmp_path / "model")
    mean = average([tmp_path / "model"])
    assert all(torch.equal(p, mean.get_parameter(n)) for n, p in model.named_parameters())


def test_a_checkpoint_of_another_vocabulary_is_refused(data, tmp_path):
    config = tiny_run(data, updates=2)
    (tmp_path / "run").mkdir()
    Trainer(config, data, tmp_path / "run", ALONE).run()
    other = prepare_toy(tmp_path / "other", seed=9)
    assert other.vocabularies == data.vocabularies  # their sizes do not tell them apart
    with pytest.raises(DamagedCheckpoint, match="trained with another vocabulary than that of"):
        Trainer(config, other, tmp_path / "run", ALONE)
