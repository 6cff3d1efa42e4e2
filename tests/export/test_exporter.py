"""An exported folder has all files of a model except torch weights, and is written atomically."""

import json

import numpy as np
import onnx
import pytest
import torch

from longways.decoding.onnx.runtime import OnnxRuntime
from longways.decoding.onnx.session import (
    ALIGNMENT_FILE,
    CONSTANTS_FILE,
    DECODER_FILE,
    ENCODER_FILE,
)
from longways.decoding.onnx.stream import StreamOnnxRuntime
from longways.decoding.open import open_runtime
from longways.decoding.runtime import pad_rows
from longways.decoding.shortlist.folder import StoredShortlist, write_shortlist
from longways.decoding.shortlist.shortlist import Shortlist
from longways.decoding.torch import TorchRuntime
from longways.errors import ConfigError, DamagedCheckpoint, LongwaysError
from longways.export import exporter as exporting
from longways.export.exporter import export_model, export_with_shortlist, write_graphs
from longways.export.weights import Float32
from longways.model.alignment_heads import AlignmentHead
from longways.model.checkpoint import save_model
from longways.model.manifest import read_manifest
from longways.text.tokenizers.special_tokens import SEP
from tests.decoding.exported import KINDS, STREAMS
from tests.decoding.tiny import tiny_runtime, window

WINDOWS = pad_rows([window([5, 6], [7]), window([8])])
GRAPHS = (ENCODER_FILE, DECODER_FILE, ALIGNMENT_FILE, CONSTANTS_FILE)


@pytest.fixture
def model(tmp_path):
    return save(tmp_path / "model", "rfa-sgate")


def save(folder, name, *overrides):
    runtime = tiny_runtime(name, *overrides, dtype=torch.float32)
    save_model(runtime.model, folder, scores={"bleu": 30.0})
    (folder / "text").mkdir()
    (folder / "text" / "text.json").write_text("{}")
    (folder / "README.md").write_text("A model card.")
    return folder


def test_a_gate_of_cross_attention_is_not_exported(tmp_path):
    folder = save(tmp_path / "gated", "rfa", "cross.gate=decay")
    with pytest.raises(ConfigError, match=r"has a gate in cross attention \(cross.gate\)"):
        export_model(folder, tmp_path / "out")


@pytest.mark.parametrize("int8", [False, True])
def test_all_files_except_the_torch_weights_are_exported(model, tmp_path, int8):
    export_model(model, tmp_path / "out", int8=int8)
    files = {str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*")}
    own = {"decoder-many.onnx"} if int8 else set()
    assert files == {"config.json", "README.md", "text/text.json", *GRAPHS, *own}
    manifest = read_manifest(tmp_path / "out")
    assert manifest.model == read_manifest(model).model
    assert manifest.facts["scores"] == {"bleu": 30.0}
    assert manifest.facts["export"]["weights"] == ("int8" if int8 else "float32")
    assert set(manifest.facts["export"]["files"]) == {*GRAPHS, *own}


def test_an_exported_folder_gives_the_numbers_of_the_model(model, tmp_path):
    export_model(model, tmp_path / "out")
    wanted, found = TorchRuntime.load(model), OnnxRuntime.load(tmp_path / "out", threads=1)
    assert found.positions == wanted.positions
    scores = found.score(WINDOWS, WINDOWS), wanted.score(WINDOWS, WINDOWS)
    np.testing.assert_allclose(*scores, atol=1e-4)


def test_a_failed_export_leaves_the_previous_folder(model, tmp_path, monkeypatch):
    export_model(model, tmp_path / "out")
    before = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir() if p.is_file()}

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(exporting, "decoder_graph", fail)
    for folder in ("out", "new"):
        with pytest.raises(KeyboardInterrupt):
            export_model(model, tmp_path / folder, int8=True)
    after = {p.name: p.read_bytes() for p in (tmp_path / "out").iterdir() if p.is_file()}
    assert before == after
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model", "out"]


def test_a_model_is_not_exported_over_itself(model):
    with pytest.raises(ConfigError, match="the model itself"):
        export_model(model, model)


def test_a_stream_model_has_no_window(tmp_path):
    model = save(tmp_path / "model", "stream", "stream.heads=1")
    with pytest.raises(ConfigError, match="is a stream model, which has no windows"):
        export_model(model, tmp_path / "out", window=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("int8", [False, True])
def test_an_exported_stream_model_opens_as_one(tmp_path, int8):
    model = save(tmp_path / "model", "stream", "stream.heads=1")
    for folder in ("one", "other"):
        export_model(model, tmp_path / folder, int8=int8)
    one, other = (open_runtime(tmp_path / folder, threads=1) for folder in ("one", "other"))
    assert isinstance(one, StreamOnnxRuntime)
    sentence = pad_rows([[5, 6, SEP]])
    one.encode_sentences(sentence, [other.open_document()])  # the same model exported again
    export_model(model, tmp_path / "third", int8=not int8)
    third = open_runtime(tmp_path / "third", threads=1)
    with pytest.raises(LongwaysError, match="another export"):
        one.encode_sentences(sentence, [third.open_document()])


@pytest.mark.parametrize("kind", ["rfa", "hybrid", "stream"])
def test_every_node_of_a_graph_computes_something_that_is_read(kind, tmp_path):
    """ONNX Runtime runs all nodes, so what nothing reads would cost time."""
    model = tiny_runtime(kind, *(["heads=4"] if kind == "stream" else [])).model
    write_graphs(model, tmp_path, Float32(), [AlignmentHead(0, 1, 1)])
    for name in GRAPHS[:3]:
        graph = onnx.load(tmp_path / name, load_external_data=False).graph
        read = {value for node in graph.node for value in node.input}
        read |= {output.name for output in graph.output}
        assert all(read & set(node.output) for node in graph.node)
        assert {constant.name for constant in graph.initializer} <= read
    if kind != "stream":  # whose state goes on to the next sentence
        assert [output.name for output in graph.output] == ["shares"]


SHORTLIST_GRAPHS = {
    "decoder-shortlist.onnx",
    "decoder-many-shortlist.onnx",
    "decoder-shortlist-unsigned.onnx",
    "shortlist-rows.onnx",
}


def shortlist(**about):
    lists = Shortlist(np.arange(8), np.array([8]), np.array([0] * 9 + [1, 1]), 10)
    return StoredShortlist(lists, {"coverage": 0.9}, **about)


@pytest.mark.parametrize("kind", [["rfa-sgate"], ["stream", "stream.heads=1"]])
def test_a_shortlist_is_part_of_the_exported_model(tmp_path, kind):
    model = save(tmp_path / "model", *kind)
    export_model(model, tmp_path / "out", int8=True, shortlist=shortlist())
    files = read_manifest(tmp_path / "out").facts["export"]["files"]
    assert set(files) >= SHORTLIST_GRAPHS
    used = {
        wanted: open_runtime(tmp_path / "out", threads=1, shortlist=wanted).shortlist
        for wanted in (None, False, True)
    }
    assert used[None] is used[False] is None
    assert used[True].of([8]).tolist() == list(range(9))


def test_an_exported_model_gets_a_shortlist_later(model, tmp_path):
    export_model(model, tmp_path / "out", int8=True)
    export_with_shortlist(tmp_path / "out", tmp_path / "listed", shortlist(default=True))
    export_model(model, tmp_path / "at-once", int8=True, shortlist=shortlist(default=True))
    both = [
        {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*.*")}
        for folder in (tmp_path / "listed", tmp_path / "at-once")
    ]
    assert both[0] == both[1]
    assert open_runtime(tmp_path / "listed", threads=1).shortlist is not None
    with pytest.raises(ConfigError, match="the model itself"):
        export_with_shortlist(tmp_path / "out", tmp_path / "out", shortlist())


def test_a_model_exported_without_a_shortlist_loses_the_one_that_it_had(model, tmp_path):
    export_model(model, tmp_path / "out", int8=True, shortlist=shortlist())
    export_model(model, tmp_path / "out", int8=True)
    assert not any("shortlist" in path.name for path in (tmp_path / "out").rglob("*"))


@pytest.mark.parametrize("name", sorted(SHORTLIST_GRAPHS))
def test_a_damaged_graph_of_a_shortlist_is_named(model, tmp_path, name):
    export_model(model, tmp_path / "out", int8=True, shortlist=shortlist())
    (tmp_path / "out" / name).write_bytes(b"<html></html>")
    with pytest.raises(DamagedCheckpoint, match=name):
        open_runtime(tmp_path / "out", threads=1)


def test_a_gpu_has_no_shortlist(model):
    with pytest.raises(ConfigError, match="on a CPU only"):
        open_runtime(model, "cuda", shortlist=True)


def test_torch_reads_the_shortlist_of_its_folder(model):
    write_shortlist(model, shortlist())
    assert open_runtime(model, shortlist=True).shortlist.of([8]).tolist() == list(range(9))
    assert open_runtime(model).shortlist is None


@pytest.mark.parametrize("name", GRAPHS[:2] + GRAPHS[3:])
@pytest.mark.parametrize("harm", ["cut", "missing", "other", "flipped"])
def test_a_damaged_file_is_named_in_one_line(model, tmp_path, name, harm):
    export_model(model, tmp_path / "out")
    path = tmp_path / "out" / name
    content = path.read_bytes()
    if harm == "missing":
        path.unlink()
    elif harm == "flipped":  # one bit in the middle
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    else:
        path.write_bytes(content[: len(content) // 2] if harm == "cut" else b"<html></html>")
    with pytest.raises(DamagedCheckpoint) as caught:
        OnnxRuntime.load(tmp_path / "out", threads=1)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("int8", [False, True])
@pytest.mark.parametrize("kind", ["hybrid", "spiky", "decay, spiky"])
def test_no_weight_is_stored_twice(tmp_path, kind, int8):
    sizes = []
    for share in ("true", "false"):
        folder = save(tmp_path / share, *{**KINDS, **STREAMS}[kind], f"share_embeddings={share}")
        model = TorchRuntime.load(folder).model
        export_model(folder, tmp_path / f"{share}-out", int8=int8)
        files = [p for p in (tmp_path / f"{share}-out").iterdir() if p.name == CONSTANTS_FILE]
        sizes.append((files[0].stat().st_size, model.parameters_count))
    each = 1.3 if int8 else 4
    for size, parameters in sizes:
        assert size <= each * parameters


def test_a_model_in_half_precision_is_exported_as_float32(model, tmp_path):
    export_model(model, tmp_path / "out")
    half = TorchRuntime.load(model).model.bfloat16()
    (tmp_path / "half").mkdir()
    exporting.write_graphs(half, tmp_path / "half", exporting.Float32())
    (tmp_path / "half" / "config.json").write_text(
        json.dumps(json.loads((model / "config.json").read_text()))
    )
    rough = OnnxRuntime.load(tmp_path / "half", threads=1).score(WINDOWS, WINDOWS)
    exact = OnnxRuntime.load(tmp_path / "out", threads=1).score(WINDOWS, WINDOWS)
    assert rough.dtype == np.float32
    assert 0 < abs(rough - exact).max() < 1
