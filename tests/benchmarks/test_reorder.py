"""The benchmark of reordering beams, on tiny models, and its kinds of parents."""

from pathlib import Path

import numpy as np
import pytest
import torch
from benchmarks.decoding import reorder
from benchmarks.decoding.reorder_device import DeviceSteps
from benchmarks.decoding.reorder_parents import (
    BEAMS,
    draw_random,
    draw_searched,
    rows_copied,
    searched_parents,
)
from benchmarks.decoding.reorder_steps import RuntimeSteps, ThreadSteps, steps_of

from longways.benchmark.speed.models import new_model, rfa_config
from longways.benchmark.speed.windows import Shape
from longways.decoding.gpu.next_token import embed_tokens
from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.torch import TorchRuntime
from longways.errors import ConfigError
from longways.export.exporter import write_graphs
from longways.export.quantise import Int8
from longways.model.config import preset

SIZES = {
    "source_vocabulary": 60, "target_vocabulary": 50, "dim": 32, "heads": 4, "feed_forward": 48,
    "encoder_layers": 1, "decoder_layers": 1, "positions": 256,
}  # fmt: skip

SENTENCES = "集群是一组节点。每个节点都运行容器。"


@pytest.fixture(scope="module")
def text(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("text") / "two.txt"
    path.write_text(SENTENCES, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def record(text) -> np.ndarray:
    return searched_parents(text)


def test_reordering_is_measured_for_every_system_and_kind_of_parents(text):
    plan = reorder.Plan("cpu", [1], [2], ["8+4"], ["random", "searched"], text)
    found = reorder.measure(plan, 2, 1, SIZES)
    systems = ["concat-shared", "8+4, ONNX int8", "8+4, torch"]
    assert [row["system"] for row in found.rows] == [name for name in systems for _ in range(2)]
    assert [row["parents"] for row in found.rows] == ["random", "searched"] * 3
    for row in found.rows:
        assert row["step ms"] > 0
        assert row["share %"] == pytest.approx(
            100 * (1 - row["still ms"] / row["step ms"]), abs=1.0
        )
    random, searched = (row["rows copied"] for row in found.rows[2:4])
    assert 0 < searched < random
    assert [row["rows copied"] for row in found.rows[:2]] == [4.0, 4.0]


def test_every_recorded_step_has_valid_parents(record):
    steps, beams = record.shape
    assert beams == BEAMS
    assert steps > 2 * len(SENTENCES) / 4  # two searches, some tokens each
    assert record.min() >= 0
    assert record.max() < BEAMS


def test_searches_begin_with_one_beam_and_then_move_less_than_random_parents(record):
    begins = (record[:-1] == np.arange(BEAMS)).all(1) & (record[1:] == 0).all(1)
    assert begins[0]
    assert begins.sum() >= 2  # a sentence each
    assert rows_copied(record[:, None]) < rows_copied(draw_random(200, 3))


def test_each_window_follows_the_record_in_order():
    record = np.arange(10)[:, None] * np.ones(BEAMS, dtype=np.int64)
    steps = draw_searched(record, 23, 5)
    assert steps.shape == (23, 5, BEAMS)
    assert ((steps[1:] - steps[:-1]) % 10 == 1).all()
    assert len(set(steps[0, :, 0].tolist())) > 1
    assert (steps == draw_searched(record, 23, 5)).all()


def test_rows_copied_are_the_second_children_of_beams():
    one_step = [[0, 1, 2, 3], [3, 2, 1, 0], [0, 0, 2, 3], [1, 1, 1, 1]]  # 0, 0, 1 and 3 copies
    assert rows_copied(np.array([one_step])) == 1.0
    assert rows_copied(np.array([one_step, [[2, 2, 3, 3]] * 4])) == 1.5


def test_torch_copies_all_rows_as_soon_as_a_beam_moves():
    stepping = object.__new__(RuntimeSteps)
    stepping.runtime, stepping.still = None, np.tile(np.arange(4), (2, 1))
    moved = stepping.still.copy()
    moved[1, 0] = 3
    assert stepping.copied(np.stack([stepping.still, moved])) == 2.0


def test_threads_take_their_own_steps_where_search_would_use_threads(tmp_path):
    model = new_model(rfa_config("8+4", SIZES), "cpu")
    write_graphs(model, tmp_path, Int8())
    runtime = OnnxRuntime(tmp_path, model.config, 2)
    assert isinstance(steps_of(runtime, model.config, Shape(1, 3, "3")), RuntimeSteps)
    assert isinstance(steps_of(TorchRuntime(model), model.config, Shape(1, 8, "8")), RuntimeSteps)
    stepping = steps_of(runtime, model.config, Shape(1, 5, "5"))
    assert isinstance(stepping, RuntimeSteps), "one thread would have 3 windows, the other 2"
    stepping = steps_of(runtime, model.config, Shape(1, 6, "6"))
    assert isinstance(stepping, ThreadSteps)
    assert [search.tokens.shape for search in stepping.searches] == [(3, 4), (3, 4)]
    parents = np.random.default_rng(0).integers(0, 4, (3, 6, 4))
    for one in (*parents, None):
        stepping.step(one)
    assert [search.state.lengths.tolist() for search in stepping.searches] == [[19 + 4] * 3] * 2
    assert stepping.copied(parents) == rows_copied(parents)
    for part, search in zip(stepping.parts, stepping.searches, strict=True):
        alone = RuntimeSteps(runtime, model.config, Shape(1, 3, "3"))
        for one in (*parents[:, part], None):
            alone.step(one)
        same = zip(search.state.arrays.values(), alone.state.arrays.values(), strict=True)
        assert all((one == other).all() for one, other in same)


@pytest.mark.parametrize("kind", ["rfa-sgate", "transformer"])
def test_steps_on_a_device_are_measured_with_parents_and_without(kind):
    model = new_model(preset(kind, **SIZES), "cpu")
    stepping = DeviceSteps(model, Shape(1, 2, "2"))
    for parents in (None, np.zeros((2, 4), dtype=np.int64)):
        assert stepping.step(parents) == []
    assert stepping.copied(np.zeros((1, 2, 4), dtype=np.int64)) is None
    with torch.inference_mode():
        for steps, follows in ((stepping.moved, True), (stepping.still, False)):
            inputs = steps._token_embedding()
            tokens = embed_tokens(steps.search, inputs)
            step = steps._step_input(tokens, inputs.last_position + 1)
            assert (step.parents is not None) == follows


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("tpu", [1], [1], ["8+4"]), "must be cpu or cuda"),
        (("cpu", [0], [1], ["8+4"]), "must be at least 1"),
        (("cpu", [1], [0], ["8+4"]), "must be at least 1"),
        (("cpu", [1], [1], ["8+4"], ["drawn"]), "Parents are 'drawn', but must be random or"),
    ],
)
def test_bad_input_is_reported_in_one_sentence(given, words):
    with pytest.raises(ConfigError, match=words):
        reorder.Plan(*given)


def test_a_gpu_uses_the_parents_of_its_own_search(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    with pytest.raises(ConfigError, match="their own search: leave out --parents"):
        reorder.Plan("cuda", [1], [1], ["8+4"], ["searched"])


@pytest.mark.parametrize(("said", "words"), [(None, "There is no text"), ("", "no sentence")])
def test_a_missing_or_empty_text_is_reported_in_one_sentence(tmp_path, said, words):
    path = tmp_path / "text.txt"
    if said is not None:
        path.write_text(said, encoding="utf-8")
    with pytest.raises(ConfigError, match=words):
        searched_parents(path)
