"""Importing a Marian model: what the folder has, and what is refused in words."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from longways.errors import (
    CheckpointError,
    ConfigError,
    DamagedCheckpoint,
    LongwaysError,
    TextError,
    UnsafeCheckpoint,
)
from longways.importing.importer import import_model
from longways.model.checkpoint import load_model
from longways.model.manifest import read_manifest
from longways.text.pipeline import TextPipeline
from longways.translation.model_folder import ModelFolder
from tests.importing.folders import write_marian
from tests.text.marian import TAGS


@pytest.fixture
def folder(tmp_path):
    return write_marian(tmp_path)


def edit(folder, **changes):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def edit_tensors(folder, change):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    change(tensors)
    save_file(tensors, path)


def test_the_folder_is_a_model_for_single_sentences(folder, tmp_path):
    found = import_model(folder, tmp_path / "out")
    assert (found.source, found.target, found.tag, found.tags) == ("zh", "en", "", [])
    model = ModelFolder.read(tmp_path / "out")
    assert (model.L, model.length.ratio, model.length.extra) == (1, 2.0, 50)
    manifest = read_manifest(tmp_path / "out")
    assert manifest.facts["imported"] == {"from": "opus-mt-zh-en", "kind": "marian", "tags": []}
    assert manifest.model.activation == "swish"
    assert manifest.model.positions == 96
    with pytest.raises(ConfigError, match="longer than the 1 this model"):
        model.window(2)


def test_model_cards_and_licences_come_along_and_nothing_else(folder, tmp_path):
    for name in ("README.md", "LICENSE", "extra.py"):
        (folder / name).write_text(name)
    import_model(folder, tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"config.json", "weights.safetensors", "text", "README.md", "LICENSE"}


def test_a_target_language_is_chosen_by_its_tag(tmp_path):
    folder = write_marian(tmp_path, tags=TAGS, name="opus-mt-zh-ROMANCE")
    with pytest.raises(TextError, match=r"into 2 languages.*--to eng.*: eng, fra\."):
        import_model(folder, tmp_path / "out")
    with pytest.raises(TextError, match=r"has no tag >>deu<<. Its tags are: eng, fra\."):
        import_model(folder, tmp_path / "out", target="deu")
    assert not (tmp_path / "out").exists()
    for number, name in enumerate(["fra", "fr", ">>fra<<"]):
        found = import_model(folder, tmp_path / f"{number}", target=name)
        assert (found.tag, found.target, found.tags) == (">>fra<<", "fr", list(TAGS))
    text = TextPipeline.load(tmp_path / "2" / "text")
    assert text.source.vocabulary.entries[text.source.encode(["她说"])[0][0]] == ">>fra<<"


def test_a_model_with_one_target_language_has_no_tag_to_choose(folder, tmp_path):
    with pytest.raises(TextError, match="no tags of target languages, so leave out --to fra"):
        import_model(folder, tmp_path / "out", target="fra")


@pytest.mark.parametrize(
    ("name", "config", "wanted", "expected"),
    [
        ("opus-mt-zh-en", None, None, ("zh", "en")),
        ("opus-mt-tc-big-fi-zle", None, "fi-uk", ("fi", "uk")),
        ("opus-mt-tc-big-zho-eng", None, None, ("zh", "en")),
        ("models--Helsinki-NLP--opus-mt-de-fr", None, None, ("de", "fr")),
        ("anything", {"source_lang": "deu", "target_lang": "eng"}, None, ("de", "en")),
        ("opus-mt-a-b", {"source_lang": "zh", "target_lang": "en"}, "ja-ko", ("ja", "ko")),
    ],
)
def test_the_languages_are_said_by_files_names_or_the_user(
    tmp_path, name, config, wanted, expected
):
    folder = write_marian(tmp_path, name=name)
    (folder / "tokenizer_config.json").write_text(json.dumps(config or {}))
    found = import_model(folder, tmp_path / "out", wanted)
    assert (found.source, found.target) == expected


@pytest.mark.parametrize(("name", "wanted"), [("some", None), ("opus-mt-mul-en", None)])
def test_unknown_languages_must_be_named(tmp_path, name, wanted):
    folder = write_marian(tmp_path, name=name)
    (folder / "tokenizer_config.json").unlink()
    with pytest.raises(TextError, match="--languages zh-en"):
        import_model(folder, tmp_path / "out", wanted)
    with pytest.raises(TextError, match="must be like zh-en"):
        import_model(folder, tmp_path / "out", "chinese")


def test_half_precision_and_repeated_tensors_are_read(folder, tmp_path):
    import_model(folder, tmp_path / "first")

    def as_older_programs(tensors):
        table = tensors["model.shared.weight"]
        angles = torch.arange(96)[:, None] * 10000.0 ** (-torch.arange(0, 32, 2) / 32)
        for side in ("encoder", "decoder"):
            tensors[f"model.{side}.embed_tokens.weight"] = table.clone()
            positions = torch.cat([angles.sin(), angles.cos()], 1)
            tensors[f"model.{side}.embed_positions.weight"] = positions
        tensors["lm_head.weight"] = table.clone()
        for name, tensor in tensors.items():
            tensors[name] = tensor.half()

    edit_tensors(folder, as_older_programs)
    import_model(folder, tmp_path / "second")
    first, second = (load_model(tmp_path / n).state_dict() for n in ("first", "second"))
    for name, tensor in first.items():
        torch.testing.assert_close(second[name], tensor, atol=1e-2, rtol=1e-3)


def test_bin_files_are_read_as_tensors_only(folder, tmp_path):
    import_model(folder, tmp_path / "first")
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    import_model(folder, tmp_path / "second")
    weights = [(tmp_path / n / "weights.safetensors").read_bytes() for n in ("first", "second")]
    assert weights[0] == weights[1]


def test_an_index_of_several_files_is_followed(folder, tmp_path):
    import_model(folder, tmp_path / "first")
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    parts = {"one.safetensors": names[::2], "two.safetensors": names[1::2]}
    for file, own in parts.items():
        save_file({name: tensors[name] for name in own}, folder / file)
    places = {name: file for file, own in parts.items() for name in own}
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": places}))
    (folder / "model.safetensors").unlink()
    import_model(folder, tmp_path / "second")
    weights = [(tmp_path / n / "weights.safetensors").read_bytes() for n in ("first", "second")]
    assert weights[0] == weights[1]
    index.write_text(json.dumps({"weight_map": {"x": "../one.safetensors"}}))
    with pytest.raises(DamagedCheckpoint, match="no file beside it"):
        import_model(folder, tmp_path / "third")


class Evil:
    def __reduce__(self):
        return exec, ("raise SystemExit('code of a pickle ran')",)


def test_one_vocabulary_may_have_two_embeddings(folder, tmp_path):
    edit(folder, share_encoder_decoder_embeddings=False)

    def split(tensors):
        table = tensors.pop("model.shared.weight")
        tensors["model.encoder.embed_tokens.weight"] = table
        tensors["model.decoder.embed_tokens.weight"] = 2 * table

    edit_tensors(folder, split)
    import_model(folder, tmp_path / "out")
    model = load_model(tmp_path / "out")
    tables = [side.embedding.tokens.weight for side in (model.encoder, model.decoder)]
    assert torch.equal(2 * tables[0], tables[1])
    text = TextPipeline.load(tmp_path / "out" / "text")
    assert text.source.vocabulary == text.target.vocabulary


def test_a_pickle_with_code_is_refused_and_not_run(folder, tmp_path):
    torch.save({"model.shared.weight": Evil()}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(UnsafeCheckpoint, match="more than tensors, which could run code"):
        import_model(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04 cut", b"no pickle at all", b"\x80\x02}q\x00."]
)
def test_a_damaged_bin_file_is_named(folder, tmp_path, content):
    (folder / "pytorch_model.bin").write_bytes(content)
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin|lacks"):
        import_model(folder, tmp_path / "out")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "m2m_100"}, "of the kind M2M100 or NLLB. Longways imports Marian models"),
        ({"model_type": "t5"}, "of the kind T5"),
        ({"model_type": "llama"}, "of the type 'llama'"),
        ({"model_type": None}, "of an unknown type"),
        ({"normalize_before": True}, "normalize_before is True"),
        ({"normalize_embedding": True}, "normalize_embedding is True"),
        ({"static_position_embeddings": False}, "static_position_embeddings is False"),
        ({"scale_embedding": False}, "scale_embedding is False"),
        ({"tie_word_embeddings": False}, "tie_word_embeddings is False"),
        ({"activation_function": "gelu_new"}, "'gelu_new', but only models with swish, silu"),
        ({"decoder_ffn_dim": 64}, "encoder_ffn_dim is 48 and decoder_ffn_dim 64"),
        ({"d_model": 31}, "d_model|heads"),
        ({"d_model": "x"}, "d_model is 'x'"),
        ({"encoder_layers": 3}, "lacks"),
        ({"encoder_layers": 1}, "more layers than"),
        ({"encoder_layers": 10**6}, "must be at most|asks for at least"),
        ({"d_model": 16}, "different models"),
        ({"encoder_ffn_dim": 40, "decoder_ffn_dim": 40}, "other sizes"),
        ({"quantization_config": {"bits": 8}}, "quantised"),
        ({"eos_token_id": [0, 1]}, "eos_token_id is"),
        ({"decoder_start_token_id": 10**6}, "different models"),
    ],
)
def test_a_config_that_cannot_be_imported_is_refused(folder, tmp_path, changes, words):
    edit(folder, **changes)
    with pytest.raises(LongwaysError, match=words) as error:
        import_model(folder, tmp_path / "out")
    assert "opus-mt-zh-en" in str(error.value)
    assert not (tmp_path / "out").exists()


def drop(name):
    return lambda tensors: tensors.pop(name)


def put(name, tensor):
    return lambda tensors: tensors.update({name: tensor})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (drop("model.shared.weight"), "lacks model.shared.weight"),
        (drop("model.decoder.layers.1.fc2.bias"), "lacks decoder.layers.1.feed_forward.narrow"),
        (put("model.decoder.layers.0.self_attn.W.weight", torch.ones(2)), "no Marian model has"),
        (put("shared.weight", torch.ones(2)), "the tensor shared.weight, which no Marian model"),
        (put("lm_head.weight", torch.ones(2, 2)), "output layer of its own"),
        (put("model.encoder.embed_tokens.weight", torch.ones(2, 2)), "different embeddings"),
        (put("model.encoder.embed_positions.weight", torch.ones(96, 32)), "learned positions"),
        (put("model.encoder.layers.0.fc2.bias", torch.ones(3)), "does not fit d_model"),
        (put("model.encoder.layers.0.fc1.bias", torch.ones(3)), "other sizes"),
        (put("final_logits_bias", torch.ones(1, 3)), "ids up to"),
        (put("model.shared.weight", torch.ones(9, 32)), "ids up to"),
        (put("model.shared.weight", torch.ones(300, 32, dtype=torch.int8)), "type int8"),
    ],
)
def test_weights_that_do_not_fit_are_refused(folder, tmp_path, change, words):
    edit_tensors(folder, change)
    with pytest.raises(CheckpointError, match=words):
        import_model(folder, tmp_path / "out")


@pytest.mark.parametrize("name", ["config.json", "vocab.json", "source.spm", "target.spm"])
def test_a_missing_or_truncated_file_is_named(folder, tmp_path, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 3])
    with pytest.raises(LongwaysError, match=name.removesuffix(".spm") if name[0] in "cv" else "S"):
        import_model(folder, tmp_path / "out")
    (folder / name).unlink()
    with pytest.raises(LongwaysError, match=f"{name} cannot be read"):
        import_model(folder, tmp_path / "out")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "no table"),
        ({"a": 1, "b": 1, "<unk>": 2}, "to two subwords"),
        ({"a": 0, "b": 1}, "has no <unk>"),
        ({"a": -1, "<unk>": 2}, "negative"),
        ({"<unk>": 1, "x": 2}, "different models"),
    ],
)
def test_a_vocabulary_that_is_none_is_refused(folder, tmp_path, content, words):
    (folder / "vocab.json").write_text(json.dumps(content))
    with pytest.raises(CheckpointError, match=words):
        import_model(folder, tmp_path / "out")


def test_a_folder_without_weights_says_which_it_has(folder, tmp_path):
    (folder / "model.safetensors").rename(folder / "tf_model.h5")
    with pytest.raises(CheckpointError, match=r"neither model.safetensors.*has tf_model.h5"):
        import_model(folder, tmp_path / "out")


def test_a_folder_that_is_not_there_or_is_the_same_is_refused(folder, tmp_path):
    with pytest.raises(CheckpointError, match="There is no folder"):
        import_model(tmp_path / "Helsinki-NLP" / "opus-mt-zh-en", tmp_path / "out")
    with pytest.raises(CheckpointError, match=r"safetensors is a file\. Name the folder"):
        import_model(folder / "model.safetensors", tmp_path / "out")
    with pytest.raises(ConfigError, match="is the model itself"):
        import_model(folder, folder)
    import_model(folder, tmp_path / "out")
    with pytest.raises(CheckpointError, match="a model of Longways already"):
        import_model(tmp_path / "out", tmp_path / "again")
