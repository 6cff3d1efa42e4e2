"""The parts of an ONNX step are measured, and its matmuls equal those of the graph."""

import numpy as np
import onnx
import pytest
from benchmarks.decoding.products import PRODUCT, product_sizes, products_of, weight_bytes
from benchmarks.decoding.step_parts import Plan, measure

from longways.benchmark.speed.models import new_model, rfa_config
from longways.decoding.onnx.session import DECODER_FILE, open_session
from longways.errors import ConfigError
from longways.export.exporter import write_graphs
from longways.export.quantise import Int8

SIZES = {
    "source_vocabulary": 40, "target_vocabulary": 48, "dim": 16, "heads": 2, "feed_forward": 24,
    "encoder_layers": 1, "decoder_layers": 2, "positions": 256,
}  # fmt: skip


def test_every_part_of_a_step_is_measured():
    found = measure(Plan(["spiky-8+4", "8+4"], [1, 3], threads=1), 2, SIZES)
    assert [(row["system"], row["batch"]) for row in found.rows] == [
        ("spiky-8+4", 1), ("spiky-8+4", 3), ("8+4", 1), ("8+4", 3),
    ]  # fmt: skip
    for row in found.rows:
        assert min(row[f"{part} us"] for part in ("token", "graph", "products")) > 0
        assert row["operators"] > 100
        assert row["weight bytes"] > 48 * 16 + 2 * 2 * 24 * 16


@pytest.fixture
def decoder(tmp_path):
    write_graphs(new_model(rfa_config("spiky-8+4", SIZES), "cpu"), tmp_path, Int8())
    return onnx.load(tmp_path / DECODER_FILE, load_external_data=False)


def test_the_extracted_matmuls_equal_those_of_the_graph(decoder, tmp_path):
    alone, sizes = products_of(decoder), product_sizes(decoder)
    kept = [node for node in alone.graph.node if node.op_type == PRODUCT]
    wanted = [node for node in decoder.graph.node if node.op_type == PRODUCT]
    assert [list(node.input)[1:] for node in kept] == [list(node.input)[1:] for node in wanted]
    assert list(sizes) == [node.output[0] for node in wanted]
    onnx.save_model(alone, tmp_path / "alone.onnx")
    session = open_session(tmp_path / "alone.onnx", 1)
    shapes = {name: session.shape(name, {"windows": 3}) for name in session.inputs}
    given = {name: np.full(shape, 129, np.uint8) for name, shape in shapes.items()}
    for name, found in session.run(given).items():  # 129 stands for 1: sums of the weights
        assert found.shape == (3, 1, sizes[name][1])
        assert np.array_equal(found, np.rint(found))
        assert np.ptp(found, axis=0).max() == 0 < np.abs(found).max()


def test_the_weights_of_each_matmul_are_counted_once(decoder):
    onnx_weights = {one.name: one for one in decoder.graph.initializer if one.data_type == 3}
    assert weight_bytes(decoder) == sum(int(np.prod(one.dims)) for one in onnx_weights.values())


def test_a_plan_needs_windows_and_threads():
    with pytest.raises(ConfigError, match="at least 1 window and 1 thread"):
        Plan(["8+4"], [0])
