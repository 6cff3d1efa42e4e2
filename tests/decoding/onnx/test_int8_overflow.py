"""Products of 8-bit numbers are exact, on processors that would cut them off too."""

from types import SimpleNamespace

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from longways.decoding.onnx import session as opening
from longways.decoding.onnx.int8_overflow import PRODUCT, saturates
from longways.decoding.runtime import pad_rows
from longways.export.quantise import Int8
from tests.decoding.exported import exact, export, exported
from tests.decoding.onnx.test_runtime import SOURCES, TARGETS


def processor(cut):
    """ONNX Runtime on a processor that adds up two products in 16 bits, or in 32."""

    def run(_, given):
        pairs = given["a"].astype(np.int64)[:, None] * given["b"].astype(np.int64).T
        sums = pairs.reshape(*pairs.shape[:2], -1, 2).sum(-1)
        return [np.minimum(sums, 2**15 - 1 if cut else sums).sum(-1)]

    class Runtime:
        InferenceSession = staticmethod(lambda *_, **__: SimpleNamespace(run=run))

    return Runtime


@pytest.mark.parametrize("cut", [False, True])
def test_a_processor_that_cuts_off_is_known_by_what_it_computes(cut):
    assert saturates(processor(cut)) == cut


def test_the_graph_that_is_asked_is_one_product():
    types = {"a": TensorProto.UINT8, "b": TensorProto.INT8, "c": TensorProto.INT32}
    a, b, c = (helper.make_tensor_value_info(name, kind, None) for name, kind in types.items())
    graph = helper.make_graph([helper.make_node("MatMulInteger", "ab", "c")], "", [a, b], [c])
    opsets = [helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    assert model.SerializeToString() == PRODUCT
    assert isinstance(saturates(onnxruntime), bool)


def test_such_a_processor_gives_the_same_numbers(monkeypatch):
    """Here the exact way is only another one: whole numbers are the same in both.

    Other numbers are nearly so: with the optimisers that it needs, some sums are made otherwise.
    """
    windows = pad_rows(SOURCES), pad_rows(TARGETS)
    wanted = exported("rfa-sgate", int8=True).score(*windows)
    monkeypatch.setattr(opening, "saturates", lambda _: True)
    found = export(exact("rfa-sgate"), Int8()).score(*windows)
    assert np.allclose(found, wanted, rtol=0, atol=1e-6)
