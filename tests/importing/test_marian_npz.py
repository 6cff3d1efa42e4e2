"""Models in Marian's own format give the numbers of the same model in other programs."""

import json

import numpy as np
import pytest
import torch

from longways.decoding.runtime import pad_rows
from longways.decoding.torch import TorchRuntime
from longways.errors import CheckpointError, DamagedCheckpoint, LongwaysError
from longways.importing.importer import import_model
from longways.model.checkpoint import load_model
from longways.text.pipeline import TextPipeline
from longways.text.tokenizers.special_tokens import EOS, SEP
from tests.importing.folders import write_marian
from tests.importing.npz import (
    SETTINGS,
    VOCABULARY,
    WEIGHTS,
    marian_arrays,
    npz_tensors,
    write_arrays,
    write_npz,
)
from tests.text.corpus import SENTENCES
from tests.text.marian import subwords, vocabulary

SIZE = len(vocabulary([0, 1])) - 1


@pytest.fixture
def folder(tmp_path):
    return write_npz(tmp_path)


def test_the_same_weights_in_both_formats_give_one_model(folder, tmp_path):
    import_model(folder, tmp_path / "ours")
    import_model(write_marian(tmp_path, std=0.2), tmp_path / "theirs")
    ours, theirs = (load_model(tmp_path / name).state_dict() for name in ("ours", "theirs"))
    assert ours.keys() == theirs.keys()
    for name, tensor in theirs.items():
        if name != "output_bias":
            assert torch.equal(ours[name], tensor), name
    different = (ours["output_bias"] != theirs["output_bias"]).nonzero().flatten().tolist()
    assert different == [0]  # padding, which Marian does not have
    texts = [TextPipeline.load(tmp_path / name / "text") for name in ("ours", "theirs")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("activation", ["swish", "relu"])
def test_probabilities_equal_those_of_ctranslate2(tmp_path, activation):
    ctranslate2 = pytest.importorskip("ctranslate2")
    folder = write_npz(tmp_path, transformer_ffn_activation=activation)
    import_model(folder, tmp_path / "ours")
    ctranslate2.converters.OpusMTConverter(str(folder)).convert(str(tmp_path / "theirs"))
    text = TextPipeline.load(tmp_path / "ours" / "text")
    sources = [s.format(n=3) for s in SENTENCES["zh"]]
    targets = [s.format(n=3) for s in SENTENCES["en"]]
    rows = [text.source.encode(sources), text.target.encode(targets)]
    windows = [pad_rows([[*row, EOS] for row in side]) for side in rows]
    found = TorchRuntime.load(tmp_path / "ours").score(*windows)
    names = {SEP: "<sep>", 4: "<unk>"}
    spelled = [
        [[names.get(i, text.source.vocabulary.entries[i]) for i in row] for row in side]
        for side in rows
    ]
    theirs = ctranslate2.Translator(str(tmp_path / "theirs"), intra_threads=1)
    for own, one in zip(found, theirs.score_batch(*spelled), strict=True):
        assert own[: len(one.log_probs)] == pytest.approx(one.log_probs, abs=1e-4)


def test_a_vocabulary_may_be_a_sentencepiece_model(folder, tmp_path):
    path = folder / "decoder.yml"
    path.write_text(path.read_text().replace(VOCABULARY, "target.spm"))
    (folder / "source.spm").unlink()
    write_arrays(folder, marian_arrays(npz_tensors(len(subwords(1)))), SETTINGS)
    import_model(folder, tmp_path / "out")
    text = TextPipeline.load(tmp_path / "out" / "text")
    sentence = SENTENCES["en"][0].format(n=5)
    assert text.target.decode(text.source.encode([sentence])) == [sentence]
    assert len(text.source.vocabulary) == len(subwords(1)) + 3  # </s> and <unk> are ours


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"transformer_decoder_autoreg": "rnn"}, "autoreg is 'rnn', but only .*'self-attention'"),
        ({"type": "s2s"}, "type is 's2s'"),
        ({"transformer_preprocess": "n"}, "transformer-preprocess is 'n'"),
        ({"transformer_postprocess_emb": "nd"}, "transformer-postprocess-emb is 'nd'"),
        ({"transformer_ffn_depth": 3}, "transformer-ffn-depth is '3'"),
        ({"transformer_ffn_activation": "gelu"}, "gelu is an approximation"),
        ({"transformer_ffn_activation": "prelu"}, "'prelu', but only"),
        ({"enc_depth": "many"}, "enc-depth is 'many'"),
        ({"enc_depth": 1}, "more layers"),
        ({"dim_emb": 16}, "different models|other sizes"),
    ],
)
def test_settings_that_cannot_be_imported_are_refused(tmp_path, changes, words):
    folder = write_npz(tmp_path, **changes)
    with pytest.raises(LongwaysError, match=words):
        import_model(folder, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_student_with_another_decoder_is_refused(folder, tmp_path):
    arrays = marian_arrays(npz_tensors(SIZE))
    arrays["decoder_l1_rnn_W"] = np.ones((2, 2), np.float32)
    write_arrays(folder, arrays, SETTINGS)
    with pytest.raises(CheckpointError, match=r"decoder_l1_rnn_W.*Students with other decoders"):
        import_model(folder, tmp_path / "out")


def test_an_output_layer_of_its_own_is_refused_and_a_tied_one_is_not(folder, tmp_path):
    arrays = marian_arrays(npz_tensors(SIZE))
    arrays["decoder_ff_logit_out_Wt"] = arrays["Wemb"]
    write_arrays(folder, arrays, SETTINGS)
    import_model(folder, tmp_path / "out")
    arrays["decoder_ff_logit_out_Wt"] = arrays["Wemb"] + 1
    write_arrays(folder, arrays, SETTINGS)
    with pytest.raises(CheckpointError, match="output layer of its own"):
        import_model(folder, tmp_path / "again")


@pytest.mark.parametrize("name", [WEIGHTS, VOCABULARY, "decoder.yml", "source.spm"])
def test_a_missing_or_truncated_file_is_named(folder, tmp_path, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 3])
    with pytest.raises(LongwaysError):
        import_model(folder, tmp_path / "out")
    (folder / name).unlink()
    expected = "neither|config.json" if name == "decoder.yml" else name
    with pytest.raises(CheckpointError, match=expected):
        import_model(folder, tmp_path / "out")


def test_arrays_of_python_objects_are_not_unpickled(folder, tmp_path):
    np.savez(folder / WEIGHTS, Wemb=np.array([print], dtype=object))
    with pytest.raises(DamagedCheckpoint, match=r"cannot be read as .npz.*allow_pickle"):
        import_model(folder, tmp_path / "out")
    np.savez(folder / WEIGHTS, Wemb=np.ones((2, 2)))
    with pytest.raises(CheckpointError, match=r"has no special:model.yml"):
        import_model(folder, tmp_path / "out")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("models: []\n", "does not name its models"),
        ("models:\n  - a.npz\n  - b.npz\nvocabs:\n  - v.yml\n", "names 2 models"),
        ("models:\n  - model.bin\nvocabs:\n  - v.yml\n", r"model.bin is no \.npz file"),
        (f"models: [{WEIGHTS}]\n", "does not name its vocabs"),
    ],
)
def test_a_decoder_file_without_models_is_refused(folder, tmp_path, content, words):
    (folder / "decoder.yml").write_text(content)
    with pytest.raises(CheckpointError, match=words):
        import_model(folder, tmp_path / "out")


def test_the_command_reads_no_file_outside_of_the_folder(folder, tmp_path):
    (tmp_path / "secret.yml").write_text(json.dumps({}))
    path = folder / "decoder.yml"
    path.write_text(path.read_text().replace(VOCABULARY, "../secret.yml"))
    with pytest.raises(CheckpointError, match=r"opus-zh-en.secret\.yml cannot be read"):
        import_model(folder, tmp_path / "out")
