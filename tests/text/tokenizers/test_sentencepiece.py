import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longways.errors import CorpusError, TextError
from longways.text.config import TextConfig
from longways.text.pipeline import learn
from longways.text.tokenizers.base import Tokenizer, round_trip_share
from longways.text.tokenizers.sentencepiece import SentencePieceTokenizer
from longways.text.tokenizers.special_tokens import BOS, EOS, PAD, SEP, SPELLINGS, UNK
from tests.text.corpus import HARD, SEPARATE, SMALL, pairs, pipeline

TEXT = st.text(st.characters(exclude_categories=["Cc", "Cs"]))


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXT, max_size=4))
def test_decoding_gives_the_normalised_text(sentences):
    tokenizer = pipeline("zh", "en", SMALL).source
    assert tokenizer.decode(tokenizer.encode(sentences)) == [
        tokenizer.normalise(s) for s in sentences
    ]


@pytest.mark.parametrize("sentence", HARD)
def test_decoding_keeps_every_space_of_difficult_text(sentence):
    tokenizer = pipeline("zh", "en", SMALL).target
    assert tokenizer.normalise(sentence) == sentence
    assert tokenizer.decode(tokenizer.encode([sentence])) == [sentence]


@settings(max_examples=200, deadline=None)
@given(TEXT, st.lists(st.integers(0, 400)))
def test_tokens_end_where_their_prefixes_end(sentence, ids):
    tokenizer = pipeline("zh", "en", SMALL).source
    for row in (tokenizer.encode([sentence])[0], [i % tokenizer.size for i in ids]):
        assert tokenizer.ends(sentence, row) == Tokenizer.ends(tokenizer, sentence, row)


def test_only_the_character_for_spaces_is_lost():
    tokenizer = pipeline("zh", "en", SMALL).source
    assert tokenizer.normalise("a\u2581b") == "a b"
    assert round_trip_share(tokenizer, ["a\u2581b", "\u2581"]) == 1


def test_special_tokens_have_the_ids_of_the_paper_and_are_never_read_from_text():
    tokenizer = pipeline("zh", "en", SMALL).source
    assert (PAD, BOS, EOS, SEP, UNK) == (0, 1, 2, 3, 4)
    assert tuple(tokenizer._processor.id_to_piece(i) for i in range(5)) == SPELLINGS
    assert min(tokenizer.encode([" ".join(SPELLINGS)])[0]) > UNK


def test_special_ids_are_dropped_from_text_and_unknown_ones_counted():
    tokenizer = pipeline("zh", "en", SMALL).source
    ids = tokenizer.encode(["the lamps"])[0]
    assert tokenizer.decode([[BOS, *ids[:1], SEP, UNK, *ids[1:], EOS, PAD]]) == ["the lamps"]
    assert tokenizer.unknown([BOS, UNK, *ids, UNK]) == 2


def test_characters_never_seen_are_spelled_in_bytes_instead_of_unknown():
    tokenizer = pipeline("zh", "en", SMALL).source
    ids = tokenizer.encode(["ཨོཾ"])[0]
    assert tokenizer.unknown(ids) == 0
    assert len(ids) == len("ཨོཾ".encode()) + 1  # and the space that opens a word
    assert tokenizer.decode([ids]) == ["ཨོཾ"]


def test_bytes_that_form_no_character_do_not_stop_decoding():
    tokenizer = pipeline("zh", "en", SMALL).source
    lone = tokenizer._processor.piece_to_id("<0xE5>")
    assert tokenizer.decode([[lone]]) == ["\ufffd"]


def test_both_languages_share_a_joint_model_or_have_one_each():
    joint, separate = pipeline("zh", "en", SMALL), pipeline("zh", "en", SEPARATE)
    assert joint.source is joint.target
    assert separate.source.encode(["港口"]) != separate.target.encode(["港口"])


def test_learning_twice_gives_the_same_bytes_even_from_a_sample():
    config = TextConfig(vocabulary=400, sample=100)
    one, two = (learn(config, "zh", "en", lambda: pairs("zh", "en")).source for _ in range(2))
    assert one.model == two.model


def test_a_small_text_gives_a_small_model_and_says_so():
    said = []
    config = TextConfig(vocabulary=24_000)
    tokenizer = learn(config, "en", "ru", lambda: pairs("en", "ru"), said.append).source
    assert tokenizer.size < 24_000
    assert (
        said[-1]
        == f"The text allows only {tokenizer.size} entries, fewer than the requested 24000."
    )


def test_a_vocabulary_too_small_for_the_characters_is_refused_with_the_minimum():
    with pytest.raises(TextError, match="must be at least") as error:
        learn(TextConfig(vocabulary=262), "zh", "en", lambda: pairs("zh", "en"))
    least = int(re.search(r"at least (\d+)", str(error.value))[1])
    assert learn(TextConfig(vocabulary=least), "zh", "en", lambda: pairs("zh", "en"))


@pytest.mark.parametrize("text", [[], [("", ""), ("", "")]])
def test_learning_from_no_text_is_refused(text):
    with pytest.raises(TextError, match="no text to learn from"):
        learn(SMALL, "zh", "en", lambda: iter(text))


def test_an_error_of_the_corpus_reaches_the_caller():
    def broken():
        yield "a", "b"
        raise CorpusError("line 2 has no tab")

    with pytest.raises(CorpusError, match="line 2 has no tab"):
        learn(SMALL, "zh", "en", broken)


def test_half_a_character_is_found_and_named():
    tokenizer = pipeline("zh", "en", SMALL).source
    with pytest.raises(
        TextError, match=r"Sentence 2 holds half a character \(U\+D83D at position 1"
    ):
        tokenizer.encode(["fine", "a\ud83d"])


def test_an_id_of_another_vocabulary_is_refused():
    tokenizer = pipeline("zh", "en", SMALL).source
    with pytest.raises(TextError, match=f"Id {tokenizer.size} is not in this vocabulary"):
        tokenizer.decode([[5, tokenizer.size]])


def test_an_invalid_model_is_refused():
    with pytest.raises(TextError, match="not a SentencePiece model"):
        SentencePieceTokenizer(b"not a model").check_special()


@settings(max_examples=100, deadline=None)
@given(TEXT, st.sets(st.integers(0, 40)))
def test_no_token_crosses_a_break_and_the_text_is_the_same(sentence, breaks):
    tokenizer = pipeline("zh", "en", SMALL).source
    ids = tokenizer.encode_split(sentence, breaks)
    assert tokenizer.decode([ids]) == [tokenizer.normalise(sentence)]
    ends = {len(tokenizer.decode([ids[:count]])[0]) for count in range(len(ids) + 1)}
    known = all(c in tokenizer.characters for c in sentence)
    if known and not sentence.startswith(" "):
        assert {place for place in breaks if place <= len(sentence)} <= ends
    if not breaks:
        assert ids == tokenizer.encode([sentence])[0]
