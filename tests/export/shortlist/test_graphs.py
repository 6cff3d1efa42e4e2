"""With listed tokens, a decoder computes the same logits for them as with all tokens."""

import numpy as np
import onnx
import pytest

from longways.decoding.onnx import listed as module
from longways.decoding.onnx.listed import ListedOutput
from longways.decoding.onnx.session import (
    CONSTANTS_FILE,
    DECODER_FILE,
    LARGE_BATCH_DECODER_FILE,
    LISTED_DECODERS,
    LISTED_ROWS_FILE,
    UNSIGNED_DECODER_FILE,
    open_session,
)
from longways.export.exporter import write_graphs
from longways.export.quantise import Int8
from longways.export.shortlist.graphs import output_layer, write_shortlist_graphs
from longways.export.weights import Float32
from tests.decoding.exported import KINDS, STREAMS, exact

V = 150
SIZES = (f"source_vocabulary={V}", f"target_vocabulary={V}")
WORDS = [np.array([0, 1, 2, 3, 4, 7, 30, 149]), np.array([0, 1, 2, 3, 4, 8, 30, 31, 90])]
FORMATS = {
    "float32": Float32(),
    "int8": Int8(),
    "int8, float32 products": Int8(products="float32"),
}
CHOSEN = ["rfa-sgate", "transformer, pre-norm", "swish, output bias", "decay, spiky"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    found = {}

    def folder(kind, weights):
        if (kind, weights) not in found:
            path = tmp_path_factory.mktemp("graphs")
            write_graphs(exact(kind, *SIZES).model, path, FORMATS[weights])
            write_shortlist_graphs(path, V)
            found[kind, weights] = path
        return found[kind, weights]

    return folder


def with_logits(path):
    """A session of a graph that also returns its logits, and what `LogSoftmax` reads."""
    graph = onnx.load(path, load_external_data=False)
    name = output_layer_name(graph)
    graph.graph.output.append(onnx.helper.make_tensor_value_info(name, 1, None))
    changed = path.with_name(f"seen-{path.name}")
    changed.write_bytes(graph.SerializeToString())
    return open_session(changed, threads=1), name


def output_layer_name(graph):
    (softmax,) = (node for node in graph.graph.node if node.op_type == "LogSoftmax")
    before = {name: node for node in graph.graph.node for name in node.output}
    node = before[softmax.input[0]]
    if node.op_type == "Add" and "closed" in node.input:  # the columns of all windows
        node = before[node.input[0]]
        return node.input[0]
    return softmax.input[0]


def step_inputs(session, rng):
    """Random inputs of a step of two windows with two beams."""
    sizes = {"windows": 2, "tokens": 2, "rows": 4, "source": 4, "read": 3}
    given = {}
    for name, shape in session.inputs.items():
        if name in ("words", "places", "closed") or name.startswith("output."):
            continue
        shape = [sizes.get(size, 1) if isinstance(size, str) else size for size in shape]
        given[name] = rng.random(shape).astype(session.dtypes[name])
    given |= {"tokens": np.array([[5, 6], [7, 8]]), "positions": np.array([[3, 3], [2, 2]])}
    given |= {"first": np.array([0]), "candidates": np.array([4])}
    own = {
        "lengths": np.array([4, 3], np.int32),
        "hidden_from": np.array([0]),
        "wanted": np.zeros((2, 2, 0), np.int64),
        "past.padding": np.zeros((4, 3), np.float32),
    }
    given |= {name: array for name, array in own.items() if name in given}
    return given


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("weights", FORMATS)
@pytest.mark.parametrize("kind", CHOSEN)
def test_listed_tokens_have_the_same_logits(folders, kind, weights, unsigned, monkeypatch):
    folder = folders(kind, weights)
    if unsigned and not (folder / UNSIGNED_DECODER_FILE).exists():
        assert weights != "int8"
        return
    monkeypatch.setattr(module, "this_processor_saturates", lambda: unsigned)
    for decoder, listed in LISTED_DECODERS.items():
        if not (folder / decoder).exists():
            assert weights != "int8"
            continue
        full, wanted = with_logits(folder / decoder)
        own, found = with_logits(folder / (UNSIGNED_DECODER_FILE if unsigned else listed))
        inputs = step_inputs(full, np.random.default_rng(3))
        arrays = ListedOutput(folder, decoder).gather(WORDS, beams=2).arrays
        plain = full.run(inputs)
        inputs.pop("wanted")
        shared = own.run({**inputs, **arrays})
        columns = arrays["words"]
        same = np.array_equal if weights == "int8" else np.allclose
        assert same(shared[found], plain[wanted][:, :, columns])
        for row, words in enumerate(WORDS):
            logits = plain[wanted][row][:, words].astype(np.float64)
            p = logits - np.log(np.exp(logits).sum(1, keepdims=True))
            p[:, [0, 1, 4]] = -np.inf  # forbidden
            order = np.argsort(-p, 1, kind="stable")[:, :4]
            assert shared["ids"][row].tolist() == words[order].tolist()
            best = np.take_along_axis(p, order, 1)
            np.testing.assert_allclose(shared["scores"][row], best, rtol=0, atol=1e-5)
        for name in set(plain) & set(shared) - {"scores", "ids", wanted}:
            assert np.array_equal(plain[name], shared[name]), name


def test_a_window_has_the_same_bits_beside_another_list(folders):
    folder = folders("rfa-sgate", "int8")
    output = ListedOutput(folder)
    inputs = step_inputs(output.decoder, np.random.default_rng(3))
    alone = {
        name: array[: len(array) // 2] if array.ndim > 1 else array
        for name, array in inputs.items()
    }
    one = output.decoder.run({**alone, **output.gather(WORDS[:1], 2).arrays})
    two = output.decoder.run({**inputs, **output.gather(WORDS, 2).arrays})
    for name in ("scores", "ids"):
        assert np.array_equal(one[name][0], two[name][0])


def test_the_graphs_of_a_shortlist_store_no_weight_again(folders):
    folder = folders("rfa-sgate", "int8")
    for name in (*LISTED_DECODERS.values(), UNSIGNED_DECODER_FILE):
        assert (folder / name).stat().st_size < 1.05 * (folder / DECODER_FILE).stat().st_size
    assert (folder / LARGE_BATCH_DECODER_FILE).exists()
    for name in (*LISTED_DECODERS.values(), UNSIGNED_DECODER_FILE, LISTED_ROWS_FILE):
        graph = onnx.load(folder / name, load_external_data=False).graph
        read = {value for node in graph.node for value in node.input}
        assert {constant.name for constant in graph.initializer} <= read
        read |= {output.name for output in graph.output}
        assert all(read & set(node.output) for node in graph.node)
    assert not any("shortlist" in path.name for path in folder.glob(f"*{CONSTANTS_FILE}"))


@pytest.mark.parametrize("kind", [*KINDS, *STREAMS])
@pytest.mark.parametrize("weights", FORMATS)
def test_every_kind_of_model_has_an_output_layer(kind, weights, tmp_path):
    if weights == "float32" or kind in CHOSEN:
        write_graphs(exact(kind, *SIZES).model, tmp_path, FORMATS[weights])
        graph = onnx.load(tmp_path / DECODER_FILE, load_external_data=False)
        layer = output_layer(graph, V)
        biased = "bias" in kind
        assert len(layer.parts) == (1 if weights == "float32" else 2 - (weights != "int8")) + biased


def test_rows_are_gathered_again_when_half_of_the_windows_are_gone(folders):
    output = ListedOutput(folders("rfa-sgate", "int8"))
    words = [np.array([0, 1, 2, 3, 4, 10 + n]) for n in range(4)]
    whole = output.gather(words, 2)
    three = output.select(whole, [words[n] for n in (0, 2, 3)], np.array([0, 2, 3]))
    assert three.arrays["words"] is whole.arrays["words"]
    assert np.array_equal(three.arrays["places"][1], whole.arrays["places"][2])
    one = output.select(three, words[3:], np.array([2]))
    wanted = output.gather(words[3:], 2)
    assert one.windows == 1
    for name, array in wanted.arrays.items():
        assert np.array_equal(array, one.arrays[name])
