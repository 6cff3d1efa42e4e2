"""Distillation from a teacher."""

import pytest
import torch

from longways.errors import ConfigError, DamagedCheckpoint
from longways.model.checkpoint import load_model
from longways.training.loop import Trainer
from longways.training.loss import window_loss
from tests.training.runs import ALONE, prepare_toy, tiny_run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return prepare_toy(tmp_path_factory.mktemp("toy") / "data")


@pytest.fixture(scope="module")
def teacher(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("teacher")
    Trainer(tiny_run(data, {"preset": "transformer"}), data, folder, ALONE).run()
    return folder / "best"


def test_a_share_of_the_loss_is_the_distance_from_the_teacher():
    torch.manual_seed(0)
    logits, taught = torch.randn(2, 2, 5, 7)
    target = torch.tensor([[1, 2, 3, 4, 0], [6, 5, 0, 0, 0]])
    plain, count = window_loss(logits, target, 0, 0.1)
    ours, theirs = logits.log_softmax(-1), taught.softmax(-1)
    apart = torch.nn.functional.kl_div(ours, theirs, reduction="none").sum(-1)
    found, tokens = window_loss(logits, target, 0, 0.1, taught, 0.3)
    assert tokens == count == 6
    torch.testing.assert_close(found, 0.7 * plain + 0.3 * apart[target != 0].sum())


def test_who_agrees_with_the_teacher_has_nothing_to_learn_from_it():
    logits = torch.randn(1, 4, 7, requires_grad=True)
    target = torch.tensor([[1, 2, 3, 0]])
    loss, _ = window_loss(logits, target, 0, 0.1, logits.detach().clone(), 1.0)
    loss.backward()
    assert loss.abs() < 1e-6
    assert logits.grad.abs().max() < 1e-6


def test_a_model_with_a_teacher_is_closer_to_it_than_one_without(data, teacher, tmp_path):
    there = load_model(teacher)

    def distance(folder, **settings):
        folder.mkdir()
        config = tiny_run(data, updates=30, init_from=str(teacher), **settings)
        trainer = Trainer(config, data, folder, ALONE)
        trainer.run()
        _, batch = next(trainer._batches())
        source, target_in, _ = batch
        with torch.no_grad():
            ours = trainer.model.eval()(source, target_in).log_softmax(-1)
            theirs = there(source, target_in).softmax(-1)
        return torch.nn.functional.kl_div(ours, theirs, reduction="batchmean").item()

    taught = distance(tmp_path / "taught", teacher=str(teacher), teacher_share=1.0)
    assert taught < 0.8 * distance(tmp_path / "alone")


def test_the_teacher_itself_learns_nothing(data, teacher, tmp_path):
    before = {name: p.clone() for name, p in load_model(teacher).named_parameters()}
    trainer = Trainer(tiny_run(data, updates=2, teacher=str(teacher)), data, tmp_path, ALONE)
    trainer.run()
    found = dict(trainer.updater.teacher.named_parameters())
    assert all(torch.equal(found[name], p) for name, p in before.items())
    assert not trainer.updater.teacher.training


def test_a_teacher_of_other_words_is_refused(teacher, tmp_path):
    other = prepare_toy(tmp_path / "data", seed=5)
    with pytest.raises(ConfigError, match="has another vocabulary than"):
        Trainer(tiny_run(other, teacher=str(teacher)), other, tmp_path / "run", ALONE)


def test_a_teacher_that_is_not_there_is_named(data, tmp_path):
    missing = tmp_path / "nowhere"
    with pytest.raises(DamagedCheckpoint, match="nowhere"):
        Trainer(tiny_run(data, teacher=str(missing)), data, tmp_path / "run", ALONE)


def test_a_share_beyond_the_whole_is_refused(data):
    with pytest.raises(ConfigError, match=r"teacher_share is 1.5, but it must be from 0 to 1"):
        tiny_run(data, teacher_share=1.5)
