"""Tests of the CPU that are repeated on a GPU."""

from __future__ import annotations

from itertools import islice

import pytest
import torch

from longways.attention.rfa import rfa_chunked, rfa_parallel, rfa_recurrent
from longways.corpus.batching.sampler import Sampler, SamplerConfig
from longways.model.checkpoint import load_model, save_model
from longways.model.config import PRESETS
from longways.training.device.device_data import DeviceSplit
from tests.attention.rfa.test_rfa import TOLERANCE, gradients, least_gradient, real
from tests.attention.windows import EVERY_KIND, LENGTHS, random_window, relative_error
from tests.corpus.splits import random_split
from tests.model.tiny import PAD, random_batch, tiny_model

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("tokens", LENGTHS)
@pytest.mark.parametrize(("gate", "feature_map"), EVERY_KIND)
def test_all_forms_give_the_same_values_and_gradients(gate, feature_map, tokens, dtype):
    window = random_window(gate, feature_map, tokens, dtype, "cuda", seed=tokens)
    wanted = rfa_parallel(*window.inputs)
    for form in (rfa_chunked, rfa_recurrent):
        found, _ = form(*window.inputs)
        assert relative_error(real(found, window), real(wanted, window)) < TOLERANCE[dtype]
        for got, want in zip(gradients(found, window), gradients(wanted, window), strict=True):
            assert relative_error(got, want, least_gradient(tokens)) < TOLERANCE[dtype]


@pytest.mark.parametrize(("gate", "feature_map"), EVERY_KIND)
def test_results_on_the_gpu_equal_the_cpu(gate, feature_map):
    here = rfa_chunked(*random_window(gate, feature_map, 130).inputs)[0]
    there = rfa_chunked(*random_window(gate, feature_map, 130, device="cuda").inputs)[0]
    assert relative_error(there.cpu(), here) < 1e-10


@pytest.mark.parametrize("name", PRESETS)
def test_steps_after_a_ragged_prefix_and_reordering_equal_the_whole_window(name):
    model = tiny_model(name).cuda()
    source, target = (tokens.cuda() for tokens in random_batch())
    rows = torch.arange(3, device="cuda")
    lengths = torch.tensor([3, 10, 0], device="cuda")
    positions = torch.arange(10, device="cuda")
    prefix = torch.where(positions < lengths[:, None], target[:, :10], PAD)
    whole = model(source, target)
    state = model.start(model.encode(source), prefix, beams=2)
    twice = rows.repeat_interleave(2)
    for t in range(5):
        state = state.reorder(torch.tensor([1, 0, 3, 2, 5, 4], device="cuda"))
        at = lengths[twice] + t
        logits, state = model.step(target[twice, at], state)
        assert torch.allclose(logits, whole[twice, at], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", PRESETS)
def test_training_in_bfloat16_gives_finite_gradients_near_those_of_float32(name):
    model = tiny_model(name, "dropout=0.0").float().cuda().train()
    model.redraw(1)
    source, target = (tokens.cuda() for tokens in random_batch())
    losses = {}
    for enabled in (False, True):
        model.zero_grad()
        with torch.autocast("cuda", torch.bfloat16, enabled=enabled):
            loss = model(source, target).float().logsumexp(-1).mean()
        loss.backward()
        losses[enabled] = loss.item()
        assert all(p.grad is None or torch.isfinite(p.grad).all() for p in model.parameters())
    assert losses[True] == pytest.approx(losses[False], rel=0.01)


def test_a_model_trained_on_the_gpu_is_loaded_on_the_cpu(tmp_path):
    model = tiny_model("rfa-sgate").float().cuda()
    save_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    source, target = random_batch()
    there = model(source.cuda(), target.cuda()).cpu()
    assert torch.allclose(loaded(source, target), there, atol=1e-4)


def test_batches_gathered_on_the_gpu_equal_the_cpu():
    split = random_split()
    sampler = Sampler(split, SamplerConfig(L=4, tokens=400, shapes=6))
    there, here = (DeviceSplit(split, torch.device(name)) for name in ("cuda", "cpu"))
    for _, shape, windows in islice(sampler.plan(), sampler.batches):
        batches = there.batch(windows, shape), here.batch(windows, shape)
        for found, wanted in zip(*batches, strict=True):
            assert torch.equal(found.cpu(), wanted)
