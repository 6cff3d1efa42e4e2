# ruff: noqa: RUF001 - full-width marks look like ASCII ones
"""Subwords of Marian models are those of their own tokenizer."""

import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import TextError
from longways.text.config import TextConfig
from longways.text.manifest import read_folder, write_folder
from longways.text.pipeline import TextPipeline, learn
from longways.text.tokenizers.marian import SPACE, known_tags
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD, SEP, UNK
from tests.text.corpus import HARD, SENTENCES
from tests.text.marian import TAGS, marian_pipeline

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
MIXED = st.lists(st.sampled_from([*SENTENCES["zh"], *HARD, "🙂", "ℵ", " "])).map("".join)


def spelled(ids, pipeline, side="source"):
    return [getattr(pipeline, side).vocabulary.entries[i] for i in ids]


def test_the_ids_are_places_in_the_list_of_pieces():
    pipeline = marian_pipeline()
    sentence = "她说：“把那5条船留在原地！”"
    wanted = pipeline.source._processor.encode(sentence, out_type=str)
    assert spelled(pipeline.source.encode([sentence])[0], pipeline) == wanted


def test_pieces_that_only_the_other_language_has_are_found_too():
    pipeline = marian_pipeline()
    letters = (e for e in pipeline.source.vocabulary.entries if len(e) == 1 and e.isalpha())
    only = next(e for e in letters if pipeline.source._processor.piece_to_id(e) == 0)
    assert spelled(pipeline.source.encode([f"船 {only}"])[0], pipeline)[-1] == only
    assert pipeline.source.encode(["ℵ"])[0] == [*pipeline.source.vocabulary.ids([SPACE]), UNK]


@pytest.mark.parametrize("separate", [False, True])
def test_a_target_sentence_comes_back(separate):
    target = marian_pipeline(separate=separate).target
    for sentence in SENTENCES["en"]:
        text = sentence.format(n=7)
        assert target.decode(target.encode([text])) == [text] == [target.normalise(text)]


def test_special_ids_and_tags_are_dropped_from_text():
    pipeline = marian_pipeline(TAGS[1])
    ids = pipeline.target.encode(["the lamps"])[0]
    tag = pipeline.target.vocabulary.ids([TAGS[0]])
    assert pipeline.target.decode([[BOS, *tag, *ids, SEP, UNK, EOS, PAD]]) == ["the lamps"]


def test_a_tag_stands_before_every_sentence_with_pieces():
    pipeline = marian_pipeline(TAGS[1])
    plain = marian_pipeline("")
    first, second, empty = pipeline.source.encode(["她说", "船", " "])
    assert spelled(first, pipeline)[0] == spelled(second, pipeline)[0] == TAGS[1]
    assert spelled(first, pipeline)[1:] == spelled(plain.source.encode(["她说"])[0], plain)
    assert empty == []
    assert known_tags(pipeline.source.vocabulary) == sorted(TAGS)
    assert pipeline.target.encode(["a"])[0][0] != first[0]


def test_long_lists_are_encoded_alike():
    source = marian_pipeline(TAGS[0]).source
    sentences = [f"她说{n}🙂" for n in range(1200)]
    assert source.encode(sentences) == [source.encode([one])[0] for one in sentences]


@settings(max_examples=150, deadline=None)
@given(st.one_of(TEXT, MIXED))
def test_the_ends_of_tokens_grow_to_the_end_of_the_text(text):
    for pipeline in (marian_pipeline(), marian_pipeline(TAGS[0])):
        ids = pipeline.source.encode([text])[0]
        ends = pipeline.source.ends(text, ids)
        assert len(ends) == len(ids)
        assert ends == sorted(ends)
        assert not ends or 0 <= ends[0] <= ends[-1] <= len(text)


def test_the_ends_of_tokens_are_those_of_the_given_text():
    source = marian_pipeline(TAGS[0]).source
    text = "  船，ﬁ  🙂🙂℃ ½船"
    ids = source.encode([text])[0]
    parts = zip(spelled(ids, marian_pipeline(TAGS[0])), source.ends(text, ids), strict=True)
    assert dict(parts)[","] == 4
    assert source.ends(text, ids)[0] == 0
    assert source.ends(text, ids)[-1] == len(text)


def test_characters_are_known_where_they_are_read_as_known_ones():
    characters = marian_pipeline().source.characters
    assert {"船", " ", "5", "！", "５", "，", "："} <= characters
    assert not {"ℵ", "🙂", "½", "①", SPACE, "龘"} & characters


def test_a_saved_pipeline_is_loaded_again(tmp_path):
    for number, made in enumerate(
        [marian_pipeline(), marian_pipeline(TAGS[1]), marian_pipeline(separate=True)]
    ):
        folder = tmp_path / str(number)
        made.save(folder)
        assert TextPipeline.load(folder) == made
    assert {p.name for p in (tmp_path / "0").iterdir()} == {
        "source.spm", "target.spm", "joint.subwords.json", "text.json",
    }  # fmt: skip
    assert (tmp_path / "2" / "target.subwords.json").exists()


def test_worker_processes_get_an_equal_tokenizer():
    source = marian_pipeline(TAGS[1]).source
    assert source.encode(["她说"])
    assert pickle.loads(pickle.dumps(source)) == source


def damaged(folder, change):
    manifest, files = read_folder(folder)
    write_folder(folder, manifest, {**files, "joint.subwords.json": change})
    return pytest.raises(TextError)


@pytest.mark.parametrize("content", [b"[1]", b"{}", b'["<pad>"', b'["a", "b"]'])
def test_a_damaged_list_of_pieces_is_refused(tmp_path, content):
    marian_pipeline().save(tmp_path)
    with damaged(tmp_path, content) as error:
        TextPipeline.load(tmp_path)
    assert "joint.subwords.json" in str(error.value)


def test_an_unknown_tag_is_refused_with_those_that_are_known(tmp_path):
    marian_pipeline(TAGS[1]).save(tmp_path)
    path = tmp_path / "text.json"
    content = json.loads(path.read_text())
    content["text"]["target_tag"] = ">>deu<<"
    path.write_text(json.dumps(content))
    with pytest.raises(TextError, match=r"'>>deu<<', but .* It has: >>eng<<, >>fra<<"):
        TextPipeline.load(tmp_path)


def test_these_subwords_are_not_learned():
    with pytest.raises(TextError, match="imported with a model, not learned"):
        learn(TextConfig(kind="marian"), "zh", "en", lambda: iter([]))
