"""The model that comes along is whole, small, at hand without torch, and translates."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import longways
from longways.decoding.onnx.session import check_files
from longways.model.manifest import CARD_FILE, read_manifest
from longways.text.sentences.splitter import split_stream
from longways.text.tokenizers.special_tokens import PAD, SEP
from longways.translation.model_folder import default_model
from longways.translation.report import Report

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "examples" / "first-cluster.zh.txt"
MOST_BYTES = 25_000_000

WITHOUT_TORCH = """
import sys
sys.modules["torch"] = sys.modules["onnx"] = sys.modules["sacrebleu"] = None
from longways.cli import main
sys.argv = ["longways", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def translator():
    return longways.load(threads=1)


def test_it_is_small_and_whole(translator):
    folder = translator.model.folder
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < MOST_BYTES
    assert {"config.json", "encoder.onnx", "decoder.onnx", "graphs.bin"} <= {p.name for p in files}
    assert (translator.source_language, translator.target_language) == ("zh", "en")
    assert (translator.model.L, translator.model.best_window) == (4, 2)


def test_its_files_are_those_that_were_exported():
    manifest = read_manifest(default_model())
    files = manifest.facts["export"]["files"]
    assert len(files) == 4
    check_files(default_model(), files)


def test_its_card_says_what_a_user_must_know():
    card = (default_model() / CARD_FILE).read_text(encoding="utf-8")
    for heading in ("## Scores", "## Sources and licences", "## Limits"):
        assert heading in card


def test_it_translates_without_torch():
    command = [sys.executable, "-c", WITHOUT_TORCH, "translate", "-", "--threads", "1"]
    source = "打开终端。\n".encode()
    done = subprocess.run(command, input=source, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"Open the terminal.\n"


def test_a_page_comes_back_sentence_by_sentence(translator):
    text, report = PAGE.read_text(encoding="utf-8"), Report()
    translation = translator.translate(text, beam=1, report=report)
    sentences = [s for s in split_stream([text], "zh") if s.text]
    assert report.sentences == len(sentences)
    assert (report.untranslated, report.cut) == (0, 0)
    assert [not line for line in translation.splitlines()] == [
        not line for line in text.splitlines()
    ]
    for word in ("first cluster", "Windows", "8 GB", "container runtime", "control node"):
        assert word in translation
    assert translation.isascii()


@pytest.mark.parametrize("tokens", [8, 31, 127])  # 127: what is left over by every stride
@pytest.mark.parametrize("beams", [1, 4])
def test_a_window_has_the_same_bits_alone_as_beside_longer_ones(translator, tokens, beams):
    def first_of(windows, wider):
        """Memory, state and scores of the first of so many windows; the others are longer."""
        runtime = translator.runtime
        source = np.full((windows, tokens + wider), 7)
        source[0] = PAD
        source[0, :tokens] = np.arange(100, 100 + tokens)
        prefix = np.full((windows, 20 + wider), 9)
        prefix[0] = PAD
        prefix[0, :20] = np.arange(500, 520)
        memory = runtime.encode(source)
        state = runtime.start(memory, prefix, beams)
        parents = np.tile(np.arange(beams), (windows, 1))
        found = []
        for token in (SEP, 1000, 2000):
            scores, ids, state = runtime.step(np.full((windows, beams), token), parents, state)
            found += [scores[0], ids[0]]
        return found

    alone = first_of(1, 0)
    for windows, wider in ((2, 0), (9, 0), (9, 1), (9, 30)):
        for one, other in zip(alone, first_of(windows, wider), strict=True):
            np.testing.assert_array_equal(one, other)


def test_every_window_up_to_its_own_can_be_used(translator):
    sentences = ["工作节点负责运行所有的容器。", "如果它停止工作，请检查它的日志。"]  # noqa: RUF001
    for window in (1, 2, 3, 4):
        found = translator.translate(sentences, window=window, beam=1)
        assert len(found) == 2
        assert "worker node" in found[0].lower()
        assert "log" in found[1]
