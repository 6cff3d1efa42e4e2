import json
import subprocess
import sys

import pytest

from longways.errors import TextError
from longways.text.pipeline import TextPipeline
from tests.text.corpus import HARD, PAPER, SEPARATE, SMALL, pipeline

CONFIGS = {"joint": SMALL, "separate": SEPARATE, "paper": PAPER}
FILES = {
    "joint": {"joint.model"},
    "separate": {"source.model", "target.model"},
    "paper": {"codes.bpe", "source.vocabulary.txt", "target.vocabulary.txt", "target.truecase.txt"},
}


@pytest.fixture(params=CONFIGS)
def name(request):
    return request.param


@pytest.fixture
def folder(name, tmp_path):
    pipeline("zh", "en", CONFIGS[name]).save(tmp_path / "text")
    return tmp_path / "text"


def test_a_loaded_pipeline_gives_the_same_ids_and_text(name, folder):
    made, loaded = pipeline("zh", "en", CONFIGS[name]), TextPipeline.load(folder)
    assert loaded == made
    for one, two in ((made.source, loaded.source), (made.target, loaded.target)):
        ids = one.encode(list(HARD))
        assert two.encode(list(HARD)) == ids
        assert two.decode(ids) == one.decode(ids)
        assert two.size == one.size


def test_a_folder_has_plain_files_and_their_manifest(name, folder):
    assert {file.name for file in folder.iterdir()} == FILES[name] | {"text.json"}
    described = json.loads((folder / "text.json").read_text())
    assert described["format"] == 1
    assert (described["source_language"], described["target_language"]) == ("zh", "en")
    assert set(described["files"]) == FILES[name]


def test_saving_twice_gives_the_same_bytes(folder, tmp_path):
    TextPipeline.load(folder).save(tmp_path / "again")
    for file in folder.iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


def test_every_missing_or_truncated_file_is_named(name, folder):
    for file in sorted(FILES[name]):
        content = (folder / file).read_bytes()
        (folder / file).unlink()
        with pytest.raises(TextError, match=f"{file} is named in text.json, but it cannot be read"):
            TextPipeline.load(folder)
        (folder / file).write_bytes(content[: len(content) // 2])
        with pytest.raises(TextError, match=f"{file} is not the file that text.json describes"):
            TextPipeline.load(folder)
        (folder / file).write_bytes(content)


def test_a_missing_folder_and_a_folder_without_a_pipeline_are_distinguished(tmp_path):
    with pytest.raises(TextError, match="There is no text pipeline at"):
        TextPipeline.load(tmp_path / "nowhere")
    with pytest.raises(TextError, match=r"has no text\.json, so it is not a text pipeline"):
        TextPipeline.load(tmp_path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": 2, "longways": "9.1"}, "It was written by Longways 9.1: upgrade"),
        ({"format": None}, "no format version"),
        ({"text": {"kind": "words"}}, "must be one of 'sentencepiece', 'moses-bpe'"),
        ({"text": []}, "has no table 'text'"),
        ({"text": {"kind": "moses-bpe"}}, "names no file codes.bpe"),
        ({"files": {}}, r"names no file joint\.model"),
        ({"files": {"../joint.model": ""}}, "is not a file beside it"),
        ({"source_language": 3}, "does not name its two languages"),
    ],
)
def test_a_wrong_manifest_is_refused_with_the_reason(tmp_path, change, reason):
    pipeline("zh", "en", SMALL).save(tmp_path)
    path = tmp_path / "text.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(TextError, match=reason):
        TextPipeline.load(tmp_path)


@pytest.mark.parametrize("content", [b"{", b"\xff", b"[]"])
def test_a_damaged_manifest_raises_a_text_error(tmp_path, content):
    (tmp_path / "text.json").write_bytes(content)
    with pytest.raises(TextError, match="Restore the folder from a copy"):
        TextPipeline.load(tmp_path)


def test_importing_text_loads_nothing_heavy():
    heavy = ("torch", "numpy", "sentencepiece", "sacremoses", "jieba", "subword_nmt", "regex")
    code = f"import sys, longways.text; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
