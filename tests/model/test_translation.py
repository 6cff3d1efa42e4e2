"""Decoding step by step gives the logits of the whole window."""

import pytest
import torch

from longways.attention.config import MapName
from longways.errors import ShapeError, WindowError
from longways.model.config import preset
from longways.model.translation import TranslationModel
from tests.attention.windows import MAPS
from tests.model.tiny import PAD, SEP, WINDOW_MODELS, random_batch, tiny_model

EVERY_MODEL = WINDOW_MODELS
NORMS = ["post", "pre"]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", EVERY_MODEL)
def test_steps_from_nothing_equal_the_whole_window(name, norm):
    model = tiny_model(name, f"norm={norm}")
    source, target = random_batch()
    whole = model(source, target)
    state = model.start(model.encode(source))
    for t in range(target.shape[1]):
        logits, state = model.step(target[:, t], state)
        assert torch.allclose(logits, whole[:, t], rtol=0, atol=1e-10)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", EVERY_MODEL)
def test_steps_after_a_ragged_forced_prefix_equal_the_whole_window(name, norm):
    model = tiny_model(name, f"norm={norm}")
    source, target = random_batch()
    whole = model(source, target)
    rows, lengths = torch.arange(3), torch.tensor([3, 10, 0])
    prefix = torch.where(torch.arange(10) < lengths[:, None], target[:, :10], PAD)
    state = model.start(model.encode(source), prefix)
    for t in range(5):
        logits, state = model.step(target[rows, lengths + t], state)
        assert torch.allclose(logits, whole[rows, lengths + t], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_a_prefix_that_ends_in_a_separator_gates_the_first_step(name):
    model = tiny_model(name)
    source, target = random_batch()
    assert (target[:, 5] == SEP).all()
    whole = model(source, target)
    state = model.start(model.encode(source), target[:, :6])
    logits, _ = model.step(target[:, 6], state)
    assert torch.allclose(logits, whole[:, 6], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_reordered_beams_continue_as_the_rows_they_came_from(name):
    """Two beams a window take different tokens, then swap or double; each row must continue as if
    it had been read alone from the start."""
    model = tiny_model(name)
    source, target = random_batch()
    prefix = target[:, :7]
    histories = torch.stack([target[:, 7:11], target[:, 8:12].flip(1)], 1).flatten(0, 1)  # (6, 4)
    state = model.start(model.encode(source), prefix, beams=2)
    for t in range(3):
        _, state = model.step(histories[:, t], state)
    parents = torch.tensor([1, 0, 2, 2, 5, 5])
    state = state.reorder(parents)
    logits, _ = model.step(histories[parents, 3], state)
    rows = parents // 2
    alone = torch.cat([prefix[rows], histories[parents]], 1)
    assert torch.allclose(logits, model(source[rows], alone)[:, -1], rtol=0, atol=1e-10)


@pytest.mark.parametrize("feature_map", MAPS)
def test_every_feature_map_decodes_as_it_trains(feature_map: MapName):
    model = tiny_model(
        "rfa-sgate", f"cross.feature_map={feature_map}", f"causal.feature_map={feature_map}"
    )
    source, target = random_batch()
    whole = model(source, target)
    state = model.start(model.encode(source), target[:, :4])
    for t in range(4, 15):
        logits, state = model.step(target[:, t], state)
        assert torch.allclose(logits, whole[:, t], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["transformer", "hybrid"])
@pytest.mark.parametrize("means", [0, 3, 20])
def test_shared_keys_and_means_decode_as_they_train(name, means):
    model = tiny_model(name, "heads=4", "cross.key_heads=2", f"cross.means={means}")
    source, target = random_batch()
    whole = model(source, target)
    state = model.start(model.encode(source), target[:, :4], beams=2)
    for t in range(4, 15):
        logits, state = model.step(target[:, t].repeat_interleave(2), state)
        assert torch.allclose(logits[::2], whole[:, t], rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", [*EVERY_MODEL, "hybrid cross.means=7"])
def test_padding_changes_no_real_token(name):
    model = tiny_model(*name.split())
    source, target = random_batch()
    longer = torch.nn.functional.pad(source, (0, 6), value=PAD)
    target_longer = torch.nn.functional.pad(target, (0, 4), value=PAD)
    found = model(longer, target_longer)[:, : target.shape[1]]
    assert torch.allclose(found, model(source, target), rtol=0, atol=1e-10)


def test_the_memory_has_one_row_per_window_for_any_number_of_beams():
    model = tiny_model("rfa-sgate")
    source, target = random_batch()
    memory = model.encode(source)
    state = model.start(memory, target[:, :4], beams=5)
    assert state.memory is memory
    assert len(state.positions) == 15


def test_an_rfa_state_stays_as_it_is_while_a_cache_grows():
    sizes = {}
    for name in ("rfa-sgate", "transformer"):
        model = tiny_model(name, "positions=200")
        source, _ = random_batch()
        sizes[name] = [
            model.start(model.encode(source), torch.full((3, length), 7)).size_bytes()
            for length in (10, 150)
        ]
    assert sizes["rfa-sgate"][0] == sizes["rfa-sgate"][1]
    assert sizes["transformer"][0] < sizes["transformer"][1]


def test_redrawing_changes_training_but_not_evaluation():
    model = tiny_model("rfa", "dropout=0.0")
    source, target = random_batch()
    evaluated = model(source, target)
    model.train()
    model.redraw(1)
    drawn = model(source, target)
    assert not torch.allclose(drawn, evaluated)
    assert torch.equal(model.eval()(source, target), evaluated)


@pytest.mark.parametrize("name", EVERY_MODEL)
def test_every_parameter_receives_gradient(name):
    model = tiny_model(name).train()
    source, target = random_batch()
    model(source, target).square().mean().backward()
    silent = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    # The bias of keys shifts all scores of a softmax equally, so its gradient is only rounding.
    assert [n for n in silent if not n.endswith("k.bias")] == []


def test_the_output_layer_is_the_target_embedding():
    model = tiny_model("rfa")
    names = dict(model.named_parameters())
    assert sum("embedding" in name for name in names) == 2
    assert not any("output" in name for name in names)


def test_the_output_bias_is_added_to_the_logits():
    model, (source, target) = tiny_model("transformer", "output_bias=true"), random_batch()
    with torch.no_grad():
        before = model(source, target)
        assert model.output_bias is not None
        model.output_bias.copy_(torch.arange(40))
        assert torch.allclose(model(source, target), before + torch.arange(40))


@pytest.mark.parametrize(
    ("activation", "wanted"), [("relu", 2.0), ("swish", 1.7616), ("gelu", 1.9545)]
)
def test_the_activation_of_two_is_worked_by_hand(activation, wanted):
    layer = tiny_model("transformer", f"activation={activation}").encoder.layers[0].feed_forward
    x = torch.zeros(1, 32).double()
    with torch.no_grad():
        layer.wide.weight.zero_()
        layer.wide.bias.fill_(2.0)
        layer.narrow.weight.copy_(torch.eye(32, 64))
        update = layer.narrow(torch.full((1, 64), wanted).double())
        expected = layer.residual.leave(x, update + torch.arange(32))
        layer.narrow.bias.add_(torch.arange(32))
        assert torch.allclose(layer(x), expected, atol=1e-4)


def test_the_paper_sizes_have_53_million_parameters_and_differ_by_less_than_a_percent():
    counts = {name: TranslationModel(preset(name)).parameters_count for name in EVERY_MODEL}
    assert round(counts["transformer"] / 1e6) == 53
    for name in EVERY_MODEL:
        assert counts[name] / counts["transformer"] == pytest.approx(1, abs=0.01)


def test_autocast_to_bfloat16_stays_close_and_trains():
    model = tiny_model("rfa-sgate").float()
    source, target = random_batch()
    exact = model(source, target)
    with torch.autocast("cpu", torch.bfloat16):
        rough = model(source, target)
    assert (rough.float() - exact).abs().max() < 0.05 * exact.abs().max()
    rough.float().sum().backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


class TestBadInput:
    def test_a_source_window_longer_than_the_positions(self):
        model = tiny_model("rfa")
        with pytest.raises(WindowError, match="has 65 tokens, but the model has 64 positions"):
            model.encode(torch.full((1, 65), 5))

    def test_a_target_window_longer_than_the_positions(self):
        model = tiny_model("rfa")
        source, _ = random_batch()
        with pytest.raises(WindowError, match="has 65 tokens"):
            model(source, torch.full((3, 65), 5))

    def test_a_prefix_or_step_beyond_the_positions(self):
        model = tiny_model("rfa")
        source, _ = random_batch()
        memory = model.encode(source)
        with pytest.raises(WindowError, match="has 65 tokens"):
            model.start(memory, torch.full((3, 65), 5))
        state = model.start(memory, torch.full((3, 64), 5))
        with pytest.raises(WindowError, match="has 65 tokens"):
            model.step(torch.full((3,), 5), state)

    def test_different_numbers_of_windows(self):
        model = tiny_model("rfa")
        source, target = random_batch()
        with pytest.raises(ShapeError, match="3 source windows, but 2 target windows"):
            model(source, target[:2])
        with pytest.raises(ShapeError, match="2 prefixes, but 3 windows"):
            model.start(model.encode(source), target[:2])

    def test_wrong_ranks(self):
        model = tiny_model("rfa")
        source, target = random_batch()
        with pytest.raises(ShapeError, match=r"must be \(B, N\)"):
            model.encode(source[0])
        state = model.start(model.encode(source))
        with pytest.raises(ShapeError, match="one token for each"):
            model.step(target[:, :2], state)
