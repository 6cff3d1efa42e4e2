"""Training with CUDA graphs and compiled layers equals plain training."""

from __future__ import annotations

import pytest
import torch

from longways.model.build import build_model
from longways.model.config import ModelConfig, preset
from longways.model.translation import TranslationModel
from longways.training.config import TrainingConfig
from longways.training.device.compile import compile_layers
from longways.training.device.device_data import TensorBatch
from longways.training.device.distributed import Distributed
from longways.training.loss import window_loss
from longways.training.update import Update, Updater

pytestmark = pytest.mark.gpu
VOCABULARY = 50
POOLED = "hybrid cross.key_heads=2 cross.means=8"
KINDS = ["transformer", "rfa-sgate", "rfa-sgate-avg", "hybrid", "rfa-sgate spiky", POOLED, "stream"]
SHAPES = ((8, 24, 32), (5, 40, 16), (3, 8, 8))


def batches(count: int) -> list[tuple[int, TensorBatch]]:
    """Batches of three shapes, with padding at the ends of rows and separators inside."""
    random = torch.Generator().manual_seed(5)
    made = []
    for number in range(count):
        rows, source, target = SHAPES[number % len(SHAPES)]
        sides = [
            torch.randint(3, VOCABULARY, (rows, width), generator=random)
            for width in (source, target, target)
        ]
        for side in sides:
            side[0, -3:] = 0
        made.append((number, TensorBatch(*(side.cuda() for side in sides))))
    return made


def run(name: str, **settings) -> tuple[list[Update], dict[str, torch.Tensor]]:
    """Twelve updates of two batches each, and the weights after them."""
    config = TrainingConfig(warmup=10, clip=1.0, accumulate=2, **settings)
    sizes = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY}
    small = {"dim": 64, "heads": 4, "feed_forward": 128, "pool": 32}
    torch.manual_seed(1)
    model = named(name, "encoder_layers=2", "decoder_layers=2", **small, **sizes)
    updater = Updater(build_model(model).cuda(), config, Distributed(0, 1, torch.device("cuda")))
    stream = batches(24)
    for number in range(1, 13):
        updater.update(number, stream[2 * number - 2 : 2 * number])
    return updater.read(), updater.model.state_dict()


def named(name: str, *settings: str, **sizes) -> ModelConfig:
    """A preset, with other settings, or another feature map: `rfa-sgate spiky`."""
    name, *others = name.split()
    maps = [kind for kind in others if "=" not in kind]
    sides = [f"{side}.feature_map={kind}" for kind in maps for side in ("cross", "causal")]
    own = [setting for setting in others if "=" in setting]
    return preset(name, *sides, *own, *settings, **sizes)


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("name", KINDS)
def test_updates_with_graphs_equal_plain_updates(name, precision):
    plain, weights = run(name, precision=precision, graphs=False, compile=False)
    replayed, same = run(name, precision=precision, graphs=True, compile=False)
    assert all(update.done for update in plain) or precision == "float16"
    for one, other in zip(plain, replayed, strict=True):
        assert other.loss == pytest.approx(one.loss, rel=1e-5 if precision == "float32" else 1e-3)
        assert other.tokens == one.tokens
        assert other.done == one.done
    for key, value in weights.items():
        if not key.endswith("k.bias"):  # softmax ignores it: its gradient is rounding error
            torch.testing.assert_close(same[key], value, rtol=1e-3, atol=1e-3)


@pytest.mark.filterwarnings("default")  # the compiler reads .grad of non-leaf tensors
@pytest.mark.parametrize("name", KINDS)
def test_gradients_of_compiled_layers_equal_plain_layers(name):
    """Without dropout, which is random, and in float32 without tf32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    sizes = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY}
    small = {"dim": 64, "heads": 4, "feed_forward": 128, "pool": 32, "dropout": 0.0}
    torch.manual_seed(1)
    config = named(name, "encoder_layers=2", "decoder_layers=2", **small, **sizes)
    model = build_model(config).cuda()
    stream = batches(3)
    wanted = [gradients(model, batch) for _, batch in stream]
    compile_layers(model)
    for (_, batch), expected in zip(stream, wanted, strict=True):
        for key, value in gradients(model, batch).items():
            most = expected[key].abs().max()  # gradients of the encoder are far smaller
            assert (value - expected[key]).abs().max() <= 1e-4 * most + 1e-7, key


def gradients(model: TranslationModel, batch: TensorBatch) -> dict[str, torch.Tensor]:
    """The logits and every gradient of their sum of squares."""
    model.zero_grad()
    logits = model(batch.source, batch.target_in)
    logits.float().square().mean().backward()
    found = {key: p.grad.clone() for key, p in model.named_parameters() if p.grad is not None}
    return {**found, "logits": logits.detach()}


@pytest.mark.parametrize("name", [*KINDS, "rfa", "rfa-sgate learned"])
def test_gradients_in_bfloat16_have_the_direction_of_float32(name):
    """With heads of the full size, which the fused kernels take."""
    sizes = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY}
    shape = ("encoder_layers=2", "decoder_layers=2", "dropout=0.0", "norm=pre")
    torch.manual_seed(1)
    model = build_model(named(name, *shape, **sizes)).cuda().train()
    (_, batch), *_ = batches(1)
    wanted = gradients(model, batch)
    with torch.autocast("cuda", torch.bfloat16):
        found = gradients(model, batch)
    for key, value in wanted.items():
        if key.endswith("k.bias"):
            continue  # its exact gradient is 0
        likeness = torch.cosine_similarity(value.flatten(), found[key].float().flatten(), 0)
        assert likeness > 0.97, (key, likeness)


@pytest.mark.filterwarnings("default")  # the compiler reads .grad of non-leaf tensors
@pytest.mark.parametrize("name", ["transformer", "rfa-sgate", "hybrid", "stream"])
def test_gradients_of_the_training_path_have_the_direction_of_float32(name):
    """Compiled, in bfloat16 and replayed as a CUDA graph, as runs train, at the paper's size."""
    sizes = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY}
    torch.manual_seed(1)
    model = build_model(named(name, "dropout=0.0", "norm=pre", **sizes)).cuda().train()
    (_, batch), *_ = batches(1)
    model.zero_grad()
    wanted = gradients_of_loss(model, batch)
    config = TrainingConfig(precision="bfloat16", clip=1.0)
    updater = Updater(model, config, Distributed(0, 1, torch.device("cuda")))
    for _ in range(2):  # the second call replays the graph of the first
        for parameter in model.parameters():
            assert parameter.grad is not None
            parameter.grad.zero_()
        updater._gradient(*batch)
    for key, parameter in model.named_parameters():
        if key.endswith("k.bias") or not wanted[key].any():
            continue  # its exact gradient is 0
        found = parameter.grad.float().flatten()
        likeness = torch.cosine_similarity(wanted[key].flatten(), found, 0)
        assert likeness > 0.95, (key, likeness)


def gradients_of_loss(model: TranslationModel, batch: TensorBatch) -> dict[str, torch.Tensor]:
    """Every gradient of the training loss, in eager float32."""
    logits = model(batch.source, batch.target_in)
    window_loss(logits, batch.target, 0, TrainingConfig().label_smoothing)[0].backward()
    return {key: p.grad.clone() for key, p in model.named_parameters() if p.grad is not None}
