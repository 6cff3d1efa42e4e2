"""One update: clipping, skipping, the scale of float16."""

import pytest
import torch

from longways.model.translation import TranslationModel
from longways.training.config import TrainingConfig
from longways.training.device.device_data import TensorBatch
from longways.training.update import Updater
from tests.model.tiny import random_batch, tiny_model
from tests.training.runs import ALONE


def batch() -> TensorBatch:
    source, target = random_batch()
    return TensorBatch(source, target[:, :-1], target[:, 1:])


def updater(dtype: torch.dtype = torch.float32, **settings) -> Updater:
    torch.manual_seed(3)
    model: TranslationModel = tiny_model("rfa-sgate", "dropout=0.0").to(dtype).train()
    return Updater(model, TrainingConfig(warmup=1, **settings), ALONE)


def one_update(updater: Updater, number: int = 1):
    updater.update(number, [(number, batch())])
    (outcome,) = updater.read()
    return outcome


def test_an_update_is_one_step_of_adam_on_the_mean_loss():
    settings = {"learning_rate": 0.01, "label_smoothing": 0.0, "weight_decay": 0.0}
    found = updater(torch.float64, **settings)
    wanted = updater(torch.float64, **settings).model
    wanted.redraw(1)
    plain = torch.optim.AdamW(wanted.parameters(), lr=0.01, betas=(0.9, 0.98), weight_decay=0.0)
    plain.zero_grad()
    source, target_in, target = batch()
    loss = torch.nn.functional.cross_entropy(
        wanted(source, target_in).flatten(0, 1), target.flatten(), ignore_index=0
    )
    loss.backward()
    norm = torch.nn.utils.get_total_norm(
        [p.grad for p in wanted.parameters() if p.grad is not None]
    )
    plain.step()
    outcome = one_update(found)
    assert outcome.loss == pytest.approx(loss.item(), rel=1e-5)
    assert outcome.norm == pytest.approx(norm.item(), rel=1e-5)
    assert outcome.tokens == (target != 0).sum()
    for name, parameter in wanted.named_parameters():
        torch.testing.assert_close(found.model.get_parameter(name), parameter, rtol=1e-4, atol=1e-5)


def test_a_long_gradient_is_clipped_to_the_limit():
    """Adam's memory of the first gradient is a tenth of it, so it shows how long that was."""
    clipped, free = updater(clip=1e-3), updater()
    norms = {}
    for name, trained in (("clipped", clipped), ("free", free)):
        outcome = one_update(trained)
        memory = [trained.optimizer.state[p]["exp_avg"] for p in trained.model.parameters()]
        norms[name] = torch.nn.utils.get_total_norm(memory).item() * 10
        assert outcome.norm > 0.01  # told before clipping
    assert norms["clipped"] == pytest.approx(1e-3, rel=1e-3)
    assert norms["free"] == pytest.approx(outcome.norm, rel=1e-3)


def test_updates_are_read_together_and_once():
    trained = updater()
    for number in (1, 2, 3):
        trained.update(number, [(number, batch())])
    assert len(trained.read()) == 3
    assert trained.read() == []


def test_float16_scales_the_loss_and_halves_the_scale_when_a_gradient_overflows():
    trained = updater(precision="float16", learning_rate=1e-4)
    reference = one_update(updater(precision="float32", learning_rate=1e-4))
    first = one_update(trained)
    assert trained.precision.scale.item() == (2.0**16 if first.done else 2.0**15)
    trained.precision.scale.fill_(1e30)
    before = [p.detach().clone() for p in trained.model.parameters()]
    skipped = one_update(trained, 2)
    assert not skipped.done
    assert trained.precision.scale.item() == pytest.approx(5e29)
    assert all(torch.equal(*pair) for pair in zip(before, trained.model.parameters(), strict=True))
    trained.precision.scale.fill_(256.0)
    again = one_update(trained, 3)
    assert again.done
    assert again.norm == pytest.approx(reference.norm, rel=0.2)
