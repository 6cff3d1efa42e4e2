"""The loss and the schedule."""

import pytest
import torch

from longways.training.loss import window_loss
from longways.training.schedule import inverse_sqrt


def test_the_loss_is_the_sum_over_real_tokens_separators_included():
    torch.manual_seed(0)
    logits, target = torch.randn(2, 3, 5), torch.tensor([[4, 3, 2], [1, 2, 0]])
    log_p = logits.log_softmax(-1)
    tokens = [(0, 0, 4), (0, 1, 3), (0, 2, 2), (1, 0, 1), (1, 1, 2)]
    wanted = -sum(log_p[t] for t in tokens)
    total, count = window_loss(logits, target, pad=0, label_smoothing=0.0)
    assert total.item() == pytest.approx(wanted.item())
    assert count.item() == 5


def test_label_smoothing_spreads_a_share_over_the_vocabulary():
    logits, target = torch.randn(1, 1, 4), torch.tensor([[2]])
    log_p = logits.log_softmax(-1)[0, 0]
    wanted = -(0.9 * log_p[2] + 0.1 * log_p.mean())
    assert window_loss(logits, target, 0, 0.1)[0].item() == pytest.approx(wanted.item())


def test_the_learning_rate_rises_in_a_line_and_falls_with_the_root():
    rates = [inverse_sqrt(update, 1e-3, 100) for update in (1, 50, 100, 400)]
    assert rates == pytest.approx([1e-5, 5e-4, 1e-3, 5e-4])
