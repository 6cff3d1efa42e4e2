"""Int8 matmuls are exact, also on processors without VNNI."""

from types import SimpleNamespace

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from longways.decoding.onnx import session as opening
from longways.decoding.onnx.session import MATMUL_GRAPH, saturates
from longways.decoding.runtime import pad_rows
from longways.export.quantise import Int8
from tests.decoding.exported import exact, export, exported
from tests.decoding.onnx.test_runtime import SOURCES, TARGETS


def processor(cut):
    """ONNX Runtime on a processor that adds pairs of products in 16 bits (`cut`) or in 32."""

    def run(_, given):
        pairs = given["a"].astype(np.int64)[:, None] * given["b"].astype(np.int64).T
        sums = pairs.reshape(*pairs.shape[:2], -1, 2).sum(-1)
        return [np.minimum(sums, 2**15 - 1 if cut else sums).sum(-1)]

    class Runtime:
        InferenceSession = staticmethod(lambda *_, **__: SimpleNamespace(run=run))

    return Runtime


@pytest.mark.parametrize("cut", [False, True])
def test_a_processor_that_saturates_is_recognised_by_its_results(cut):
    assert saturates(processor(cut)) == cut


def test_the_graph_of_the_check_is_one_matmul():
    types = {"a": TensorProto.UINT8, "b": TensorProto.INT8, "c": TensorProto.INT32}
    a, b, c = (helper.make_tensor_value_info(name, kind, None) for name, kind in types.items())
    graph = helper.make_graph([helper.make_node("MatMulInteger", "ab", "c")], "", [a, b], [c])
    opsets = [helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    assert model.SerializeToString() == MATMUL_GRAPH
    assert isinstance(saturates(onnxruntime), bool)


def test_such_a_processor_gives_the_same_numbers(monkeypatch):
    """The exact mode gives the same integers; floats differ slightly.

    It needs more graph optimisations, which change the order of some sums.
    """
    windows = pad_rows(SOURCES), pad_rows(TARGETS)
    wanted = exported("rfa-sgate", int8=True).score(*windows)
    monkeypatch.setattr(opening, "saturates", lambda _: True)
    found = export(exact("rfa-sgate"), Int8()).score(*windows)
    assert np.allclose(found, wanted, rtol=0, atol=1e-6)
